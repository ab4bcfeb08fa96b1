//! Walks one byte at a time, for questions about all paths: a [`Spot`] is the position of a walk, and [`Nexts`] has all
//! its successors.
//!
//! Like [`walk`](super::walk), this is total: words that are not a compiled table give no answer, or a wrong one.

use super::record::Record;
use super::table::{FIRST_RECORD, Target, verdict_of};
use crate::automaton::head::{START, word_if_any};
use crate::rules::Verdict;

/// The position of a walk: at a record, or within its run, after this many bytes of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Spot {
    record: Target,
    matched: u32,
}

impl Spot {
    fn at(record: Target) -> Spot {
        Spot { record, matched: 0 }
    }

    /// Where every walk through a table begins.
    pub fn start(table: &[u32]) -> Option<Spot> {
        word_if_any(table, START).map(Spot::at)
    }

    /// The verdict, if it is settled.
    #[inline]
    pub fn settled(self) -> Option<Verdict> {
        (self.record < FIRST_RECORD).then(|| verdict_of(self.record))
    }

    /// One number for each spot.
    #[inline]
    pub fn number(self) -> u64 {
        u64::from(self.record) | u64::from(self.matched) << 32
    }

    /// The verdict if the path ends here. `None` if the words are not a table.
    pub fn at_end(self, table: &[u32]) -> Option<Verdict> {
        if let Some(verdict) = self.settled() {
            return Some(verdict);
        }
        let record = Record::at(table, self.record)?;
        Some(if self.matched == 0 { record.at_end() } else { record.within() })
    }
}

/// The successors of a spot; reused.
#[derive(Debug)]
pub(crate) struct Nexts {
    /// The bytes with a transition of their own.
    pub bytes: Vec<u8>,
    /// Where all other bytes lead.
    pub rest: Spot,
    /// By byte, where it leads, if it is one of `bytes`.
    targets: [Option<Spot>; 256],
}

impl Default for Nexts {
    fn default() -> Nexts {
        Nexts { bytes: Vec::new(), rest: Spot::at(0), targets: [None; 256] }
    }
}

impl Nexts {
    /// Where a byte leads.
    #[inline]
    pub fn on(&self, byte: u8) -> Spot {
        self.targets[usize::from(byte)].unwrap_or(self.rest)
    }

    /// Whether a byte has a transition of its own.
    #[inline]
    pub fn has(&self, byte: u8) -> bool {
        self.targets[usize::from(byte)].is_some()
    }

    /// Finds the successors of a spot. `None` if the words are not a table.
    pub fn find(&mut self, table: &[u32], spot: Spot) -> Option<()> {
        for byte in self.bytes.drain(..) {
            self.targets[usize::from(byte)] = None;
        }
        let mut spot = spot;
        // A chain of defaults passes no record twice.
        for _ in 0..=table.len() {
            if spot.settled().is_some() {
                self.rest = spot;
                return Some(());
            }
            let default = self.add_record(table, spot)?;
            if default == spot {
                self.rest = spot;
                return Some(());
            }
            spot = default;
        }
        None
    }

    /// Adds the transitions of one record; returns the spot that handles all other bytes: the same spot if it is a
    /// root.
    fn add_record(&mut self, table: &[u32], spot: Spot) -> Option<Spot> {
        let record = Record::at(table, spot.record)?;
        let matched = spot.matched as usize;
        record.edges(|bytes, target| {
            if let [byte, rest @ ..] = &bytes[matched.min(bytes.len())..] {
                let next = Spot { matched: spot.matched + 1, ..spot };
                self.add(*byte, if rest.is_empty() { Spot::at(target) } else { next });
            }
        })?;
        Some(Spot::at(record.default.unwrap_or(spot.record)))
    }

    /// Adds a transition, unless one of a record before has the byte.
    #[inline]
    fn add(&mut self, byte: u8, next: Spot) {
        let target = &mut self.targets[usize::from(byte)];
        if target.is_none() {
            *target = Some(next);
            self.bytes.push(byte);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::compiled;
    use crate::automaton::{Scratch, verdict};

    /// The verdict of a walk byte by byte.
    fn walked(table: &[u32], path: &[u8]) -> Option<Verdict> {
        let mut nexts = Nexts::default();
        let mut spot = Spot::start(table)?;
        for &byte in path {
            if spot.settled().is_some() {
                break;
            }
            nexts.find(table, spot)?;
            spot = nexts.on(byte);
        }
        spot.at_end(table)
    }

    #[test]
    fn a_walk_byte_by_byte_has_the_same_verdicts() {
        let many: String = ('a'..='z').map(|letter| format!("-/{letter}x +/*{letter}y$ ")).collect();
        for rules in ["-/", "+/", "-/shop +/shop/*.html$ -/long-enough-for-a-run/*x -/ab$", "-/a*b$ +*/a", &many] {
            let words = compiled(rules, usize::MAX);
            let pieces = ["/", "a", "b", "x", "y", "shop", ".html", "long-enough-for-a-run"];
            let mut paths = vec![String::new()];
            for _ in 0..4 {
                paths = paths.iter().flat_map(|path| pieces.map(|piece| format!("{path}{piece}"))).collect();
                for path in paths.iter().map(String::as_bytes) {
                    let expected = verdict(&words, path, &mut Scratch::default());
                    assert_eq!(walked(&words, path), Some(expected), "{rules} {}", path.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn words_that_are_no_table_end_a_walk() {
        let narrow = 1 | 3 << 4 | 1 << 10;
        let words = [0, 4, 4, 0, narrow, 8, 97, 0, narrow, 4, 98, 0].map(u32::to_le);
        assert_eq!(walked(&words, b"/x"), None, "a cycle of defaults");
        let mut words = compiled("-/shop +/shop/*.html$ -/long-enough-for-a-run/*x", usize::MAX);
        for bit in 0..32 * words.len() {
            words[bit / 32] ^= 1 << (bit % 32);
            std::hint::black_box(walked(&words, b"/shop/long.html"));
            words[bit / 32] ^= 1 << (bit % 32);
        }
        for length in 0..words.len() {
            std::hint::black_box(walked(&words[..length], b"/shop/long.html"));
        }
    }
}
