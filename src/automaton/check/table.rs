//! Checks the records of a [table](crate::automaton::dfa::table).
//!
//! Records are contiguous, so one pass finds where each begins and where its targets are; every target must be the beginning of
//! a record. A walk ends because the defaults from every record lead to a verdict, or to a root, which has no default and uses
//! up a byte.

use super::space::Words;
use super::{CheckSpace, Damage};
use crate::automaton::dfa::filter::FILTER_WORDS;
use crate::automaton::dfa::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, HAS_OUTPUT, KIND_MASK,
    NARROW, NARROW_MOST, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK, RUN_TARGET_SHIFT, WIDE, WIDE_WORDS, rank_word,
};
use crate::automaton::head::{MAIN_ROOT, START, word};

pub(super) const FIRST_RECORD: usize = crate::automaton::dfa::table::FIRST_RECORD as usize;

/// Targets below this are verdicts.
const VERDICTS: u32 = 2;

/// Checks that words, including the head that a walk reads, are records whose outputs are below `outputs`.
pub(super) fn check(words: &[u32], outputs: u32, space: &mut CheckSpace) -> Result<(), Damage> {
    space.begins.clear(words.len());
    space.led_to.clear(words.len());
    space.explicit.clear();
    for verdict in 0..VERDICTS {
        space.begins.insert(verdict as usize);
    }
    // The three words of the head that a walk may go to.
    lead(&words[START..FIRST_RECORD], START, &mut space.led_to)?;
    let mut at = FIRST_RECORD;
    while at < words.len() {
        space.begins.insert(at);
        let record = CheckedRecord::read(words, at, outputs)?;
        lead(record.targets, at, &mut space.led_to)?;
        if record.is_explicit {
            lead(&words[at + 1..=at + 1], at, &mut space.led_to)?;
            if default_of(words, word(words, at + 1) as usize) == DEFAULT_EXPLICIT {
                space.explicit.push(at as u32);
            }
        }
        at = record.end;
    }
    if let Some(at) = space.led_to.first_without(&space.begins) {
        return Damage::at(at, "a target is not the start of a record");
    }
    let main_root = word(words, MAIN_ROOT);
    if main_root >= VERDICTS && default_of(words, main_root as usize) != DEFAULT_HERE {
        return Damage::at(MAIN_ROOT, "the main root is not a root");
    }
    check_defaults(words, space)
}

/// Whether a target in the table just checked is a verdict or one of its records.
pub(super) fn is_target(target: u32, space: &CheckSpace) -> bool {
    space.begins.has(target as usize)
}

/// Notes the targets of the record at `at`.
#[inline]
fn lead(targets: &[u32], at: usize, led_to: &mut Words) -> Result<(), Damage> {
    for &target in targets {
        if !led_to.insert(u32::from_le(target) as usize) {
            return Damage::at(at, "a target is beyond the end");
        }
    }
    Ok(())
}

/// The default of the record that begins here, if one does; verdicts have none.
#[inline]
fn default_of(words: &[u32], at: usize) -> u32 {
    if at < FIRST_RECORD || at >= words.len() { 0 } else { word(words, at) >> DEFAULT_SHIFT & DEFAULT_MASK }
}

/// Checks that chains of explicit defaults end.
fn check_defaults(words: &[u32], space: &mut CheckSpace) -> Result<(), Damage> {
    if space.explicit.is_empty() {
        return Ok(());
    }
    let next = |at: usize| {
        let target = word(words, at + 1) as usize;
        (default_of(words, target) == DEFAULT_EXPLICIT).then_some(target)
    };
    space.ends.clear(words.len());
    for &at in &space.explicit {
        let (mut steps, mut link) = (0, Some(at as usize));
        while let Some(record) = link.filter(|&record| !space.ends.has(record)) {
            steps += 1;
            // All records of the chain but the last are in `explicit`.
            if steps > space.explicit.len() + 1 {
                return Damage::at(at as usize, "its defaults form a cycle");
            }
            link = next(record);
        }
        // Mark the chain, so that no record is followed twice, however many lead to it.
        link = Some(at as usize);
        while let Some(record) = link.filter(|&record| !space.ends.has(record)) {
            space.ends.insert(record);
            link = next(record);
        }
    }
    Ok(())
}

/// The parts of a record.
struct CheckedRecord<'w> {
    /// Whether its default is in the word after its header.
    is_explicit: bool,
    /// The targets of its bytes.
    targets: &'w [u32],
    /// The word after its last.
    end: usize,
}

impl CheckedRecord<'_> {
    #[inline]
    fn read(words: &[u32], at: usize, outputs: u32) -> Result<CheckedRecord<'_>, Damage> {
        let header = word(words, at);
        let (shape, count) = (SHAPES[(header & SHAPE_MASK) as usize], header >> COUNT_SHIFT);
        if !(shape.least..=shape.most).contains(&count) {
            return Damage::at(at, "a record has a wrong number of bytes or targets for its kind");
        }
        let is_wide = header & KIND_MASK == WIDE;
        let byte_words = if is_wide { WIDE_WORDS } else { count.max(1).div_ceil(4) as usize };
        let payload = at + usize::from(shape.before);
        let targets = payload + usize::from(shape.bytes_first) * byte_words;
        let targets = targets..targets + (shape.targets + u32::from(shape.bytes_first) * count) as usize;
        let end = targets.end + usize::from(!shape.bytes_first) * byte_words;
        if end > words.len() {
            return Damage::at(at, "a record reaches beyond the end");
        }
        if header & HAS_OUTPUT != 0 && word(words, payload - 1) >= outputs {
            return Damage::at(at, "unknown output");
        }
        if is_wide && !bitmap_is(words, payload, count) {
            return Damage::at(at, "its bitmap does not match its number of targets");
        }
        Ok(CheckedRecord { is_explicit: shape.is_explicit, targets: &words[targets], end })
    }
}

/// The bits of a header that determine the layout of its record.
const SHAPE_MASK: u32 = (1 << COUNT_SHIFT) - 1;

/// The layout of a record.
#[derive(Clone, Copy)]
struct Shape {
    /// Words before its bytes, or before a run's target.
    before: u8,
    /// Whether it has one target for each byte, after the bytes, instead of targets before them.
    bytes_first: bool,
    is_explicit: bool,
    /// Other targets.
    targets: u32,
    /// The least and most bytes of a run, or targets; no number satisfies both if there is no such record.
    least: u32,
    most: u32,
}

/// The layouts, by header. One look-up replaces a branch for each field: opening a million origins, with 42 million records,
/// takes 0.69 s instead of 0.79 s.
const SHAPES: [Shape; 1 << COUNT_SHIFT] = {
    let mut shapes = [Shape::of(0); 1 << COUNT_SHIFT];
    let mut header = 1;
    while header < shapes.len() {
        shapes[header] = Shape::of(header as u32);
        header += 1;
    }
    shapes
};

impl Shape {
    const fn of(header: u32) -> Shape {
        let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
        let (is_root, is_explicit) = (default == DEFAULT_HERE, default == DEFAULT_EXPLICIT);
        let has_output = header & HAS_OUTPUT != 0;
        let (is_run, run_target) = (header & KIND_MASK == RUN, header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK);
        let (least, most) = match header & KIND_MASK {
            _ if default > DEFAULT_MAIN_ROOT || (is_root && has_output) => (1, 0),
            // A run has bytes, a target, and another record or a verdict as default.
            RUN if run_target > RUN_TARGET_EXPLICIT || is_root => (1, 0),
            RUN => (1, u32::MAX),
            NARROW => (0, NARROW_MOST as u32),
            // The bitmap determines the number.
            WIDE => (0, u32::MAX),
            _ => (1, 0),
        };
        let filter = if is_root { FILTER_WORDS as u8 } else { 0 };
        Shape {
            before: 1 + is_explicit as u8 + has_output as u8 + filter,
            bytes_first: !is_run,
            is_explicit,
            targets: (is_run && run_target == RUN_TARGET_EXPLICIT) as u32,
            least,
            most,
        }
    }
}

/// Whether the words at `at` are a bitmap with this many bits set, and its rank word.
fn bitmap_is(words: &[u32], at: usize, bits: u32) -> bool {
    let bitmap: [u32; 8] = std::array::from_fn(|place| word(words, at + place));
    let found: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
    found == bits && rank_word(&bitmap) == word(words, at + 8)
}
