//! What all readers of lists have in common.
//!
//! A list is read chunk by chunk, in order, by one of five readers: a [text](super::text) is cut in place where it is mapped, or read or
//! decoded into a buffer, and a [table](super::table) gives its rows as lines, or as ranges that the worker reads itself. What hands
//! out chunks knows only this interface.
//!
//! [`List::reader`](super::List::reader) begins the one for what holds the lines.

use super::TableRows;
use super::line_ends::{Buffer, Patience};
use crate::error::run::Error;
use crate::formats::made_ahead::Ahead;
use crate::input::error::SkippedRows;

/// How much to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadLimits {
    /// The bytes of a chunk, which ends with the line that is the last to begin in them.
    pub size: usize,
    /// The bytes of a range of rows.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub rows_size: usize,
    /// The bytes after which reading stops within a line.
    pub longest: usize,
    /// The longest line allowed; a row's is known to be longer before it is copied.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub longest_line: usize,
    /// Whether such a line is given all the same. If not, it stays with the reader.
    pub may_be_long: bool,
    /// How long to wait for a pipe or a device.
    pub patience: Patience,
}

/// What is read next.
pub(crate) enum Next<C> {
    Chunk(C),
    /// There is nothing more.
    End,
    /// Its line is so long that only one such chunk may exist at a time.
    Long,
    /// Its decompressor needs more memory than it was given.
    NeedsMemory,
}

/// The text of a chunk.
pub(crate) enum Text<'l> {
    /// A piece of a memory-mapped list.
    Mapped(&'l [u8]),
    /// In a buffer of its own.
    Read(Buffer),
    /// Rows of a table, which are not read yet.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    Rows(TableRows),
}

impl Text<'_> {
    /// Its bytes; none if they are not read yet.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Text::Mapped(bytes) => bytes,
            Text::Read(buffer) => &buffer.bytes,
            Text::Rows(_) => &[],
        }
    }

    /// How much further in the list the next chunk begins: bytes, or rows.
    pub fn length(&self) -> u64 {
        match self {
            Text::Mapped(bytes) => bytes.len() as u64,
            Text::Read(buffer) => {
                buffer.bytes.len() as u64 + buffer.left_out.iter().filter_map(|part| part.bytes).sum::<u64>()
            }
            Text::Rows(rows) => rows.count() as u64,
        }
    }
}

/// Reads a list, chunk by chunk.
pub(crate) trait ListReader<'l>: Send {
    /// Reads the next chunk, into an empty `buffer` if it needs one. After a failure, `buffer` has what was read before it.
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, Error>;

    /// The pieces that other workers can help to make.
    fn ahead(&self) -> Option<Ahead<'l>> {
        None
    }

    /// The rows that the last failure made unreadable, if the list goes on after them.
    fn take_broken(&mut self) -> Option<SkippedRows> {
        None
    }
}

/// The name of the Parquet format in receipts.
pub(crate) const LIST_FORMAT: &str = "parquet";
