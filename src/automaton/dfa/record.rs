//! Reads the records of a table one by one, for questions about all paths and for drawings; paths are
//! [walked](super::walk) otherwise. Words that are not a compiled table give no record, or a wrong one.

use super::filter::FILTER_WORDS;
use super::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, END_BLOCKED,
    FIRST_RECORD, HAS_OUTPUT, KIND_MASK, MIDDLE_BLOCKED, NARROW, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK,
    RUN_TARGET_SHIFT, Target, WIDE_WORDS, narrow_byte_words,
};
use super::walk::{blocked_if, head_words};
use crate::automaton::head::{MAIN_ROOT, word_if_any};
use crate::rules::Verdict;

/// A record.
pub(crate) struct Record<'t> {
    header: u32,
    /// What its state reports.
    pub output: Option<u32>,
    /// Where bytes without an edge go; `None`: here.
    pub default: Option<Target>,
    /// Where its edges begin in the table.
    edges_at: usize,
    edges: &'t [u32],
}

impl<'t> Record<'t> {
    /// The record at a word of a table.
    pub fn at(table: &'t [u32], at: Target) -> Option<Record<'t>> {
        let at = at as usize;
        let header = word_if_any(table, at)?;
        let code = header >> DEFAULT_SHIFT & DEFAULT_MASK;
        let default = match code {
            DEFAULT_HERE => None,
            DEFAULT_EXPLICIT => Some(word_if_any(table, at + 1)?),
            DEFAULT_MAIN_ROOT => Some(word_if_any(table, MAIN_ROOT)?),
            settled if settled < FIRST_RECORD => Some(settled),
            _ => return None,
        };
        let head = head_words(header, code);
        let output = if header & HAS_OUTPUT != 0 { word_if_any(table, at + head - 1) } else { None };
        let edges_at = at + head + if default.is_none() { FILTER_WORDS } else { 0 };
        Some(Record { header, output, default, edges_at, edges: table.get(edges_at..)? })
    }

    /// The verdict if the path ends here.
    pub fn at_end(&self) -> Verdict {
        blocked_if(self.header, END_BLOCKED)
    }

    /// The verdict if the path ends within the bytes of the only edge.
    pub fn within(&self) -> Verdict {
        blocked_if(self.header, MIDDLE_BLOCKED)
    }

    /// Passes on the bytes and the target of each edge; returns where the record ends.
    pub fn edges(&self, mut edge: impl FnMut(&[u8], Target)) -> Option<usize> {
        let count = (self.header >> COUNT_SHIFT) as usize;
        let kind = self.header & KIND_MASK;
        if kind == RUN {
            let code = self.header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK;
            let (target, at) = match code {
                RUN_TARGET_EXPLICIT => (word_if_any(self.edges, 0)?, 1),
                settled => (settled, 0),
            };
            edge(bytemuck::cast_slice(self.edges.get(at..)?).get(..count)?, target);
            return Some(self.edges_at + at + count.div_ceil(4));
        }
        let words = if kind == NARROW { narrow_byte_words(count) } else { WIDE_WORDS };
        let (bytes, targets) = self.edges.split_at_checked(words)?;
        let targets = targets.get(..count)?.iter().map(|&target| u32::from_le(target));
        if kind == NARROW {
            let bytes: &[u8] = bytemuck::cast_slice(bytes);
            bytes.iter().zip(targets).for_each(|(byte, target)| edge(&[*byte], target));
        } else {
            let is_set = |byte: &u8| u32::from_le(bytes[usize::from(byte >> 5)]) >> (byte & 31) & 1 == 1;
            (0..=u8::MAX).filter(is_set).zip(targets).for_each(|(byte, target)| edge(&[byte], target));
        }
        Some(self.edges_at + words + count)
    }
}
