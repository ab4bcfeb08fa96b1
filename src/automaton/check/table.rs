//! The records of a table, see [`format`](super::format).
//!
//! Records stand one after the other, so one pass finds where each begins, and where they lead; both sets must agree.
//! A walk ends because the defaults from every record lead to one that has none, which uses up a byte, or to a verdict.

use super::format::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, HAS_OUTPUT, KIND_MASK,
    NARROW, NARROW_MOST, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK, RUN_TARGET_SHIFT, WIDE, WIDE_WORDS,
    narrow_byte_words, rank_word,
};
use super::space::Words;
use super::{CheckSpace, Damage};
use crate::automaton::dfa::filter::FILTER_WORDS;
use crate::automaton::head::{MAIN_ROOT, START, START_BEHIND_SLASH, word};
use std::ops::Range;

pub(super) const FIRST_RECORD: usize = super::format::FIRST_RECORD as usize;

/// Targets below this are verdicts.
const VERDICTS: u32 = 2;

/// Makes sure that words, with the head that a walk looks at, are records whose outputs are below `outputs`.
pub(super) fn check(words: &[u32], outputs: u32, space: &mut CheckSpace) -> Result<(), Damage> {
    space.begins.clear(words.len());
    space.led_to.clear(words.len());
    space.explicit.clear();
    for place in [START, START_BEHIND_SLASH, MAIN_ROOT] {
        lead(words, place, &mut space.led_to)?;
    }
    let mut at = FIRST_RECORD;
    while at < words.len() {
        let record = CheckedRecord::read(words, at, outputs)?;
        space.begins.set(at);
        for place in record.targets {
            lead(words, place, &mut space.led_to)?;
        }
        if default_of(words, at) == DEFAULT_EXPLICIT {
            lead(words, at + 1, &mut space.led_to)?;
            space.explicit.push(at as u32);
        }
        at = record.end;
    }
    if let Some(at) = space.led_to.first_without(&space.begins) {
        return Damage::at(at, "something leads here, where no record begins");
    }
    let main_root = word(words, MAIN_ROOT);
    if main_root >= VERDICTS && default_of(words, main_root as usize) != DEFAULT_HERE {
        return Damage::at(MAIN_ROOT, "the main root is none");
    }
    check_defaults(words, space)
}

/// Whether a target of the table that was just checked is a verdict or a record of it.
pub(super) fn is_target(target: u32, space: &CheckSpace) -> bool {
    target < VERDICTS || space.begins.has(target as usize)
}

/// Notes where the target in a word leads.
#[inline]
fn lead(words: &[u32], place: usize, led_to: &mut Words) -> Result<(), Damage> {
    let target = word(words, place);
    if target as usize >= words.len() {
        return Damage::at(place, "it leads beyond the end");
    }
    if target >= VERDICTS {
        led_to.set(target as usize);
    }
    Ok(())
}

#[inline]
fn default_of(words: &[u32], at: usize) -> u32 {
    word(words, at) >> DEFAULT_SHIFT & DEFAULT_MASK
}

/// Makes sure that explicit defaults lead, in the end, to a record that has none. All others do so at once.
fn check_defaults(words: &[u32], space: &mut CheckSpace) -> Result<(), Damage> {
    let next = |at: usize| {
        let target = word(words, at + 1);
        let goes_on = target >= VERDICTS && default_of(words, target as usize) == DEFAULT_EXPLICIT;
        goes_on.then_some(target as usize)
    };
    space.ends.clear(words.len());
    for &at in &space.explicit {
        let (mut steps, mut link) = (0, Some(at as usize));
        while let Some(record) = link.filter(|&record| !space.ends.has(record)) {
            steps += 1;
            if steps > space.explicit.len() {
                return Damage::at(at as usize, "its defaults lead in a circle");
            }
            link = next(record);
        }
        // Once more, so that no record is asked twice, however many lead to it.
        link = Some(at as usize);
        while let Some(record) = link.filter(|&record| !space.ends.has(record)) {
            space.ends.set(record);
            link = next(record);
        }
    }
    Ok(())
}

/// Where the parts of a record are.
struct CheckedRecord {
    /// The words that hold the targets of its bytes.
    targets: Range<usize>,
    /// After its last word.
    end: usize,
}

impl CheckedRecord {
    #[inline]
    fn read(words: &[u32], at: usize, outputs: u32) -> Result<CheckedRecord, Damage> {
        let header = word(words, at);
        let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
        let is_root = default == DEFAULT_HERE;
        let has_output = header & HAS_OUTPUT != 0;
        if default > DEFAULT_MAIN_ROOT {
            return Damage::at(at, "there is no default of this number");
        }
        let output = at + 1 + usize::from(default == DEFAULT_EXPLICIT);
        if has_output && (is_root || output >= words.len() || word(words, output) >= outputs) {
            return Damage::at(at, "there is no output of this number");
        }
        let payload = if is_root { at + 1 + FILTER_WORDS } else { output + usize::from(has_output) };
        let record = CheckedRecord::payload(words, at, payload)?;
        if record.end > words.len() { Damage::at(at, "a record reaches beyond the end") } else { Ok(record) }
    }

    /// A record whose payload begins at `payload`.
    #[inline]
    fn payload(words: &[u32], at: usize, payload: usize) -> Result<CheckedRecord, Damage> {
        let header = word(words, at);
        let count = (header >> COUNT_SHIFT) as usize;
        let bytes = match header & KIND_MASK {
            RUN => return CheckedRecord::run(header, at, payload),
            NARROW if count <= NARROW_MOST => narrow_byte_words(count),
            WIDE if bitmap_is(words, payload, count) => WIDE_WORDS,
            _ => return Damage::at(at, "there is no record of this kind with so many targets"),
        };
        let targets = payload + bytes..payload + bytes + count;
        Ok(CheckedRecord { end: targets.end, targets })
    }

    #[inline]
    fn run(header: u32, at: usize, payload: usize) -> Result<CheckedRecord, Damage> {
        let target = header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK;
        let bytes = (header >> COUNT_SHIFT) as usize;
        if target > RUN_TARGET_EXPLICIT || bytes == 0 || header >> DEFAULT_SHIFT & DEFAULT_MASK == DEFAULT_HERE {
            return Damage::at(at, "a run has bytes, a target, and another record or verdict as default");
        }
        let targets = payload..payload + usize::from(target == RUN_TARGET_EXPLICIT);
        Ok(CheckedRecord { end: targets.end + bytes.div_ceil(4), targets })
    }
}

/// Whether there is a bitmap of so many bits at a place, with its rank word.
fn bitmap_is(words: &[u32], at: usize, bits: usize) -> bool {
    let Some(words) = words.get(at..at + WIDE_WORDS) else { return false };
    let bitmap: [u32; 8] = std::array::from_fn(|place| word(words, place));
    let found: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
    found as usize == bits && rank_word(&bitmap) == word(words, 8)
}
