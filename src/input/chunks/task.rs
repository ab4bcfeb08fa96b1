//! A chunk that was handed out.

use super::alone::Permit;
use super::buffer::Buffer;
use super::store::StoredChunk;
use crate::input::list::RowRange;
use crate::input::skipped::Skipped;
use crate::outcome::Reason;

/// The longest chunk: lines are found by 32-bit offsets.
pub(crate) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

/// A chunk that was handed out.
pub(crate) struct Task<'l> {
    /// Its number.
    pub ticket: u64,
    /// The list that it is of.
    pub list: usize,
    /// Where it begins in the list's text.
    pub at: u64,
    /// Where the next one begins.
    pub end: u64,
    pub(super) what: What<'l>,
    /// The parts left out before it, and of its rows.
    pub skipped: Vec<Skipped>,
    /// Lists that have ended since the last chunk was handed out.
    pub ended: Vec<usize>,
    /// Held by a chunk that is far longer than others are.
    pub(super) permit: Option<Permit>,
}

/// The text of a task: mapped, in a buffer, or as rows.
pub(super) enum What<'l> {
    /// A part of a mapped list.
    Mapped(&'l [u8]),
    /// Bytes in the buffer of the worker that took it.
    Buffered,
    /// Bytes on disk; they are in the buffer once they were [read](super::Chunks::read).
    Stored(StoredChunk),
    /// Rows of a table; their lines are in the buffer once they were [read](super::Chunks::read).
    Rows(Vec<RowRange>),
}

impl<'l> Task<'l> {
    /// The rows that it is, if rows were handed out.
    pub fn ranges(&self) -> Option<&[RowRange]> {
        match &self.what {
            What::Rows(ranges) => Some(ranges),
            What::Mapped(_) | What::Buffered | What::Stored(_) => None,
        }
    }

    /// Whether it is so long that no worker should keep memory of its size.
    pub fn is_long(&self) -> bool {
        self.permit.is_some()
    }

    /// Its bytes, if they are those of a mapped list.
    pub fn mapped(&self) -> Option<&'l [u8]> {
        if let What::Mapped(bytes) = self.what { Some(bytes) } else { None }
    }

    /// Its bytes, if it was taken with this `buffer`.
    pub fn bytes<'b>(&'b self, buffer: &'b Buffer) -> &'b [u8] {
        if let What::Mapped(bytes) = self.what { bytes } else { &buffer.bytes }
    }

    /// Its lines that are invalid whatever they say, by their numbers in it.
    pub fn flaws<'b>(&self, buffer: &'b Buffer) -> &'b [(u64, Reason)] {
        if let What::Mapped(_) = self.what { &[] } else { &buffer.flaws }
    }
}
