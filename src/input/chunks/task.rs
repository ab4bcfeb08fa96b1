//! A chunk, from its reader to its worker.

use super::long_chunks::Permit;
use super::store::StoredChunk;
use crate::input::buffer::Buffer;
use crate::input::list::TableRows;
use crate::input::skipped::Skipped;
use crate::outcome::Reason;

/// The longest chunk; offsets of lines have 32 bits.
pub(crate) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

/// A chunk.
pub(crate) struct Task<'l> {
    /// The chunk's number, given when it is handed out.
    pub ticket: u64,
    /// The number of its list.
    pub list: usize,
    /// Where it begins in the list's text.
    pub at: u64,
    /// Where the next chunk begins.
    pub end: u64,
    pub(super) bytes: TaskBytes<'l>,
    /// Parts left out before the chunk, and of its rows.
    pub skipped: Vec<Skipped>,
    /// Lists that ended since the last chunk was handed out.
    pub ended: Vec<usize>,
    /// Whether it is so long that no worker should keep a buffer of its size.
    pub is_long: bool,
    /// The right to hold a long chunk, which it needs before it is handed out.
    pub(super) permit: Option<Permit>,
}

/// Where the bytes of a task are.
pub(super) enum TaskBytes<'l> {
    /// A slice of a memory-mapped list.
    Mapped(&'l [u8]),
    /// Bytes in the buffer of the worker that took it.
    Buffered,
    /// Bytes on disk, to be [read](super::Chunks::read) into the buffer.
    Stored(StoredChunk),
    /// Rows of a table; [reading](super::Chunks::read) them puts their lines into the buffer.
    Rows(TableRows),
}

impl<'l> Task<'l> {
    /// Its rows, if it was handed out as rows.
    #[cfg(feature = "parquet")]
    pub fn rows(&self) -> Option<&TableRows> {
        match &self.bytes {
            TaskBytes::Rows(rows) => Some(rows),
            TaskBytes::Mapped(_) | TaskBytes::Buffered | TaskBytes::Stored(_) => None,
        }
    }

    /// Its bytes, if the list is memory-mapped.
    pub fn mapped(&self) -> Option<&'l [u8]> {
        if let TaskBytes::Mapped(bytes) = self.bytes { Some(bytes) } else { None }
    }

    /// Its bytes, if it was taken with this `buffer`.
    pub fn bytes<'b>(&'b self, buffer: &'b Buffer) -> &'b [u8] {
        if let TaskBytes::Mapped(bytes) = self.bytes { bytes } else { &buffer.bytes }
    }

    /// Its lines that are invalid whatever they contain, by line number.
    pub fn flaws<'b>(&self, buffer: &'b Buffer) -> &'b [(u64, Reason)] {
        if let TaskBytes::Mapped(_) = self.bytes { &[] } else { &buffer.flaws }
    }
}
