//! A chunk, from its reader to its writer.

use serde::{Deserialize, Serialize};
use std::mem::take;
use std::sync::Arc;

use super::store::StoredChunk;
use crate::input::error::Skipped;
use crate::input::layout::Layout;
use crate::input::list::{Buffer, List, TableRows, Text};
use crate::monitor::Monitor;
use crate::outcome::Reason;

/// The longest chunk; offsets of lines have 32 bits.
pub(crate) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

/// Whole lines of a list, and where they are from. Only the last line of a list may lack its LF.
pub(crate) struct Chunk<'l> {
    /// The chunk's number, given when it is handed out.
    pub ticket: u64,
    /// The number of its list.
    pub list: usize,
    /// Where it begins in the list's text, or its first row.
    pub at: u64,
    /// Where the next chunk begins.
    pub end: u64,
    /// How its lines are read.
    pub layout: &'l Layout,
    /// Length of the byte order mark before the first line's URL.
    pub bom_len: usize,
    pub(super) text: Text<'l>,
    /// Where its text is until it is [read](super::Chunks::read), if it waited on disk.
    pub(super) stored: Option<StoredChunk>,
    /// The rows that its lines were made of.
    pub(super) rows: Option<TableRows>,
    /// The numbers of the lines that were left out of it.
    pub left_out: Vec<usize>,
    /// Parts skipped before the chunk, and of its rows.
    pub skipped: Vec<Skipped>,
    /// Lists that ended since the last chunk was handed out.
    pub ended: Vec<usize>,
    /// Whether it is so long that no worker should keep a buffer of its size.
    pub is_long: bool,
    /// The right to hold a long chunk, which it needs before it is handed out.
    pub(super) permit: Option<Permit>,
}

impl<'l> Chunk<'l> {
    /// The chunk of list number `number` that begins at `at`.
    pub(super) fn new(list: &'l List, number: usize, at: u64, text: Text<'l>) -> Chunk<'l> {
        let (end, bom_len) = (at + text.length(), list.bom_len(at, text.bytes()));
        Chunk { list: number, at, end, ..Chunk::of_text(text, &list.layout, bom_len) }
    }

    /// A chunk of no list.
    fn of_text(text: Text<'l>, layout: &'l Layout, bom_len: usize) -> Chunk<'l> {
        Chunk {
            ticket: 0,
            list: 0,
            at: 0,
            end: 0,
            layout,
            bom_len,
            text,
            stored: None,
            rows: None,
            left_out: Vec::new(),
            skipped: Vec::new(),
            ended: Vec::new(),
            is_long: false,
            permit: None,
        }
    }

    /// A chunk of these lines.
    #[cfg(test)]
    pub fn of_lines(lines: &'l [u8], layout: &'l Layout, bom_len: usize) -> Chunk<'l> {
        Chunk::of_text(Text::Mapped(lines), layout, bom_len)
    }

    /// Its lines; none until they are [read](super::Chunks::read).
    pub fn text(&self) -> &[u8] {
        self.text.bytes()
    }

    /// Whether its lines are those of a mapped list, in place.
    pub fn is_mapped(&self) -> bool {
        matches!(self.text, Text::Mapped(_))
    }

    /// Its lines that are invalid whatever they contain, by line number.
    pub fn flaws(&self) -> &[(u64, Reason)] {
        match &self.text {
            Text::Read(buffer) => &buffer.flaws,
            Text::Mapped(_) | Text::Rows(_) => &[],
        }
    }

    /// The rows that its lines were made of, if they were kept.
    #[cfg(feature = "parquet")]
    pub fn rows(&self) -> Option<&TableRows> {
        self.rows.as_ref()
    }

    /// Replaces its lines, and returns the memory of the old ones. Rows that are read as these lines are kept.
    pub fn set_lines(&mut self, lines: Buffer) -> Buffer {
        match std::mem::replace(&mut self.text, Text::Read(lines)) {
            Text::Read(old) => return old,
            Text::Rows(rows) => self.rows = Some(rows),
            Text::Mapped(_) => {}
        }
        Buffer::default()
    }

    /// The memory of its lines.
    pub(super) fn held_bytes(&self) -> u64 {
        if let Text::Read(buffer) = &self.text { buffer.bytes.capacity() as u64 } else { 0 }
    }

    /// Whether it is long, and has no right to be held yet.
    pub(super) fn needs_permit(&self) -> bool {
        self.is_long && self.permit.is_none()
    }

    /// The right to hold a long chunk, if this is one.
    pub fn take_permit(&mut self) -> Option<Permit> {
        self.permit.take()
    }

    /// Frees what nothing needs any more once its lines are judged: all but lines of a mapped list, which may be written from there.
    /// Returns its buffer, to be used again.
    pub fn end_judging(&mut self) -> Buffer {
        self.rows = None;
        match &mut self.text {
            Text::Read(buffer) => take(buffer),
            Text::Mapped(_) | Text::Rows(_) => Buffer::default(),
        }
    }

    /// Releases its part of `list`, once its lines are written.
    pub fn release(&self, list: &List) {
        list.release(self.at as usize..self.end as usize);
    }
}

/// Admits one long chunk at a time, to bound memory: whether there is one.
#[derive(Default)]
pub(crate) struct LongChunks(Monitor<bool>);

/// The right to hold a long chunk; dropping it gives the right back.
pub(crate) struct Permit(Arc<LongChunks>);

impl LongChunks {
    /// Waits until no other worker holds a long chunk.
    pub fn permit(self: &Arc<LongChunks>) -> Permit {
        self.0.when(|is_taken| (!std::mem::replace(is_taken, true)).then_some(()));
        Permit(Arc::clone(self))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.0.change(|is_taken| *is_taken = false);
    }
}

/// Where in the lists of a run a chunk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The list, counted from 0.
    pub list: usize,
    /// The byte of its text, or the row.
    pub at: u64,
}
