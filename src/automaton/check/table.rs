//! The records of a table, see [`format`](super::format).
//!
//! Records stand one behind the other, so one pass finds where each begins, and a second one makes sure that every target
//! is such a place. A walk ends because the defaults from every record lead to one that has none, which uses up an octet,
//! or to a verdict.

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

/// What is known of a word: no record begins there, one does, or one whose defaults end.
const NO_RECORD: u8 = 0;
const RECORD: u8 = 1;
const ENDS: u8 = 2;

/// Makes sure that words, with the head that a walk looks at, are records whose outputs are below `outputs`.
pub(super) fn check(words: &[u32], outputs: u32, space: &mut CheckSpace) -> Result<(), Damage> {
    let marks = &mut space.marks;
    marks.clear();
    marks.resize(words.len(), NO_RECORD);
    let mut at = FIRST_RECORD;
    while at < words.len() {
        let record = Record::read(words, at, outputs)?;
        marks[at] = RECORD;
        at = record.end;
    }
    let mut table = Table { words, marks };
    for place in [START, START_BEHIND_SLASH, MAIN_ROOT] {
        table.target(place)?;
    }
    let mut at = FIRST_RECORD;
    while at < words.len() {
        let record = Record::read(words, at, outputs)?;
        table.ends(at)?;
        for place in record.targets {
            table.target(place)?;
        }
        at = record.end;
    }
    Ok(())
}

/// Whether a target of the table in `words`, which is checked, is a verdict or a record of it.
pub(super) fn is_target(target: u32, space: &CheckSpace) -> bool {
    target < VERDICTS || space.marks.get(target as usize).is_some_and(|&mark| mark != NO_RECORD)
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
    marks: &'s mut [u8],
}

impl Table<'_, '_> {
    /// The target in a word, which is a verdict or where a record begins.
    fn target(&self, place: usize) -> Result<u32, Damage> {
        let target = word(self.words, place);
        let is_record = || self.marks.get(target as usize).is_some_and(|&mark| mark != NO_RECORD);
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

    /// Makes sure that the defaults lead from the record at `at` to one that has none, or to a verdict.
    fn ends(&mut self, at: usize) -> Result<(), Damage> {
        let (mut steps, mut link) = (0, Some(at));
        while let Some(next) = link.filter(|&next| self.marks[next] != ENDS) {
            steps += 1;
            if steps > self.words.len() {
                return Damage::at(at, "its defaults lead in a circle");
            }
            link = self.default(next)?;
        }
        // Once more, so that no record is asked twice, however many lead to it.
        link = Some(at);
        while let Some(next) = link.filter(|&next| self.marks[next] != ENDS) {
            self.marks[next] = ENDS;
            link = self.default(next)?;
        }
        Ok(())
    }
}
