//! Walks one byte at a time, for questions about all paths: a [`Spot`] is the position of a walk, and [`Nexts`] has all
//! its successors.
//!
//! Like [`walk`](super::walk), this is total: words that are not a compiled table give no answer, or a wrong one.

use super::filter::FILTER_WORDS;
use super::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, END_BLOCKED,
    FIRST_RECORD, KIND_MASK, MIDDLE_BLOCKED, NARROW, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK, RUN_TARGET_SHIFT,
    Target, narrow_byte_words, verdict_of,
};
use super::walk::{blocked_if, branch, head_words, word, words_from};
use crate::automaton::head::{MAIN_ROOT, START};
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
        word(table, START).ok().map(Spot::at)
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
        let header = word(table, self.record as usize).ok()?;
        Some(blocked_if(header, if self.matched == 0 { END_BLOCKED } else { MIDDLE_BLOCKED }))
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
        let record = spot.record as usize;
        let header = word(table, record).ok()?;
        let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
        let is_root = default == DEFAULT_HERE;
        let head = if is_root { 1 + FILTER_WORDS } else { head_words(header, default) };
        let payload = words_from(table, record + head).ok()?;
        let count = (header >> COUNT_SHIFT) as usize;
        match header & KIND_MASK {
            RUN if is_root => return None,
            RUN => self.add_run(header, payload, count, spot)?,
            kind => self.add_branch(header, payload, count, kind == NARROW)?,
        }
        match default {
            DEFAULT_HERE => Some(Spot::at(spot.record)),
            DEFAULT_EXPLICIT => word(table, record + 1).ok().map(Spot::at),
            DEFAULT_MAIN_ROOT => word(table, MAIN_ROOT).ok().map(Spot::at),
            0 | 1 => Some(Spot::at(default)),
            _ => None,
        }
    }

    fn add_run(&mut self, header: u32, payload: &[u32], count: usize, spot: Spot) -> Option<()> {
        let code = header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK;
        let explicit = code == RUN_TARGET_EXPLICIT;
        let bytes: &[u8] = bytemuck::cast_slice(words_from(payload, usize::from(explicit)).ok()?);
        let byte = *bytes.get(..count)?.get(spot.matched as usize)?;
        let next = match () {
            () if spot.matched as usize + 1 < count => Spot { matched: spot.matched + 1, ..spot },
            () if explicit => Spot::at(word(payload, 0).ok()?),
            () => Spot::at(code),
        };
        self.add(byte, next);
        Some(())
    }

    fn add_branch(&mut self, header: u32, payload: &[u32], count: usize, is_narrow: bool) -> Option<()> {
        if is_narrow {
            let bytes: &[u8] = bytemuck::cast_slice(payload.get(..narrow_byte_words(count))?);
            for &byte in bytes.get(..count)? {
                self.add(byte, Spot::at(branch(header, payload, count, byte).ok()??));
            }
            return Some(());
        }
        for byte in 0..=u8::MAX {
            if let Some(target) = branch(header, payload, count, byte).ok()? {
                self.add(byte, Spot::at(target));
            }
        }
        Some(())
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
