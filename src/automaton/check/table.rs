//! The records of a table, see [`format`](super::format).
//!
//! Records stand one behind the other, so one pass finds where each begins, and a second one makes sure that every target
//! is such a place. A walk takes linear time if each record's *depth*, the number of defaults from it to a record
//! without one, is at most one more than that of a record whose octets lead to it: every step that uses up no octet goes
//! down by one, and an octet goes up by at most one.

use super::format::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, HAS_OUTPUT, KIND_MASK,
    NARROW, NARROW_MOST, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK, RUN_TARGET_SHIFT, WIDE, WIDE_WORDS,
    narrow_octet_words, rank_word,
};
use super::{CheckSpace, Damage};
use crate::automaton::filter::FILTER_WORDS;
use crate::automaton::{MAIN_ROOT, START, START_BEHIND_SLASH, word};
use std::ops::Range;

pub(super) const FIRST_RECORD: usize = super::format::FIRST_RECORD as usize;

/// Targets below this are verdicts.
const VERDICTS: u32 = 2;

/// No record begins here.
const NO_RECORD: u32 = u32::MAX;
/// One does; how deep it is, is not known yet.
const UNKNOWN: u32 = u32::MAX - 1;

/// Makes sure that words, with the head that a walk looks at, are records whose outputs are below `outputs`.
pub(super) fn check(words: &[u32], outputs: u32, space: &mut CheckSpace) -> Result<(), Damage> {
    let depths = &mut space.depths;
    depths.clear();
    depths.resize(words.len(), NO_RECORD);
    let mut at = FIRST_RECORD;
    while at < words.len() {
        let record = Record::read(words, at, outputs)?;
        depths[at] = UNKNOWN;
        at = record.end;
    }
    let mut table = Table { words, depths };
    for place in [START, START_BEHIND_SLASH, MAIN_ROOT] {
        table.target(place)?;
    }
    let mut at = FIRST_RECORD;
    while at < words.len() {
        let record = Record::read(words, at, outputs)?;
        let depth = table.depth(at)?;
        for place in record.targets {
            let target = table.target(place)?;
            if target >= VERDICTS && table.depth(target as usize)? > depth + 1 {
                return Damage::at(place, "it leads to a record of more defaults than a walk has octets for");
            }
        }
        at = record.end;
    }
    Ok(())
}

/// Whether a target of the table in `words`, which is checked, is a verdict or a record of it.
pub(super) fn is_target(target: u32, space: &CheckSpace) -> bool {
    target < VERDICTS || space.depths.get(target as usize).is_some_and(|&depth| depth != NO_RECORD)
}

/// Where the parts of a record are.
struct Record {
    /// The words that hold the targets of its octets.
    targets: Range<usize>,
    /// Behind its last word.
    end: usize,
}

impl Record {
    fn read(words: &[u32], at: usize, outputs: u32) -> Result<Record, Damage> {
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
        let record = Record::payload(words, at, payload)?;
        if record.end > words.len() { Damage::at(at, "a record reaches beyond the end") } else { Ok(record) }
    }

    /// A record whose payload begins at `payload`.
    fn payload(words: &[u32], at: usize, payload: usize) -> Result<Record, Damage> {
        let header = word(words, at);
        let count = (header >> COUNT_SHIFT) as usize;
        let octets = match header & KIND_MASK {
            RUN => return Record::run(header, at, payload),
            NARROW if count <= NARROW_MOST => narrow_octet_words(count),
            WIDE if bitmap_is(words, payload, count) => WIDE_WORDS,
            _ => return Damage::at(at, "there is no record of this kind with so many targets"),
        };
        let targets = payload + octets..payload + octets + count;
        Ok(Record { end: targets.end, targets })
    }

    fn run(header: u32, at: usize, payload: usize) -> Result<Record, Damage> {
        let target = header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK;
        let octets = (header >> COUNT_SHIFT) as usize;
        if target > RUN_TARGET_EXPLICIT || octets == 0 || header >> DEFAULT_SHIFT & DEFAULT_MASK == DEFAULT_HERE {
            return Damage::at(at, "a run has octets, a target, and another record or verdict as default");
        }
        let targets = payload..payload + usize::from(target == RUN_TARGET_EXPLICIT);
        Ok(Record { end: targets.end + octets.div_ceil(4), targets })
    }
}

/// Whether there is a bitmap of so many bits at a place, with its rank word.
fn bitmap_is(words: &[u32], at: usize, bits: usize) -> bool {
    let Some(words) = words.get(at..at + WIDE_WORDS) else { return false };
    let bitmap: [u32; 8] = std::array::from_fn(|place| word(words, place));
    let found: u32 = bitmap.iter().map(|word| word.count_ones()).sum();
    found as usize == bits && rank_word(&bitmap) == word(words, 8)
}

struct Table<'w, 's> {
    words: &'w [u32],
    depths: &'s mut [u32],
}

impl Table<'_, '_> {
    /// The target in a word, which is a verdict or where a record begins.
    fn target(&self, place: usize) -> Result<u32, Damage> {
        let target = word(self.words, place);
        let is_record = || self.depths.get(target as usize).is_some_and(|&depth| depth != NO_RECORD);
        if target < VERDICTS || is_record() { Ok(target) } else { Damage::at(place, "no record begins where it leads") }
    }

    /// Where the default of a record leads; `None` if it stays, or is a verdict.
    fn default(&self, at: usize) -> Result<Option<usize>, Damage> {
        let target = match word(self.words, at) >> DEFAULT_SHIFT & DEFAULT_MASK {
            DEFAULT_EXPLICIT => self.target(at + 1)?,
            DEFAULT_MAIN_ROOT => self.target(MAIN_ROOT)?,
            _ => return Ok(None),
        };
        Ok((target >= VERDICTS).then_some(target as usize))
    }

    /// How many defaults lead from the record at `at` to one that has none.
    fn depth(&mut self, at: usize) -> Result<u32, Damage> {
        if self.depths[at] < UNKNOWN {
            return Ok(self.depths[at]);
        }
        let (mut steps, mut end) = (0, at);
        let bottom = loop {
            if self.depths[end] < UNKNOWN {
                break self.depths[end];
            }
            let Some(next) = self.default(end)? else { break 0 };
            (steps, end) = (steps + 1, next);
            if steps as usize > self.words.len() {
                return Damage::at(at, "its defaults lead in a circle");
            }
        };
        let depth = bottom + steps;
        let mut link = at;
        for below in (0..=depth).rev() {
            self.depths[link] = below;
            match self.default(link)? {
                Some(next) if link != end => link = next,
                _ => break,
            }
        }
        Ok(depth)
    }
}
