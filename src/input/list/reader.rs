//! What all readers of lists have in common.
//!
//! A list is read chunk by chunk, in order, by one of five readers: a [text](super::text) is cut in place where it is mapped, or read or
//! decoded into a buffer, and a [table](super::table) gives its rows as lines, or as ranges that the worker reads itself. What hands
//! out chunks knows only this interface.
//!
//! What holds the lines begins their reader. [Opening](super::opened) recognises which kind it is.

use std::io::{self, BufRead, Read};
use std::path::Path;
use std::sync::atomic::AtomicU64;

use super::line_ends::{Buffer, Patience};
use super::regular::{Mapped, Regular};
use super::short_lines::LongLines;
use super::{ParquetList, TableRows};
use crate::formats::made_ahead::Ahead;
use crate::formats::marks::MARKED;
use crate::input::error::{ListError, SkippedPart, SkippedRows};
use crate::input::layout::{LOOK, UrlField};

/// Where and how to begin reading a list.
#[derive(Debug, Clone)]
pub(crate) struct Begin<'l> {
    /// The list's path.
    pub path: &'l Path,
    /// The length of its head line, after which a decoder begins.
    pub head_length: usize,
    /// Where a plain text ends for this run.
    pub end: usize,
    /// Whether unreadable parts are skipped.
    pub skips_bad: bool,
    /// The lines of a text that are left out because they are too long, if any are.
    pub long_lines: Option<LongLines>,
    /// Where in its text, or at which row. A decoder begins at the start, whatever this says.
    pub at: u64,
    /// Whether a table is read by ranges of rows.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub by_rows: bool,
    /// Counts the bytes taken from its file.
    pub source: &'l AtomicU64,
    /// Memory for a decompressor.
    pub memory: u64,
    /// Memory for the texts of pieces that other workers help to make.
    pub room: u64,
}

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
            Text::Read(buffer) => buffer.bytes.len() as u64 + buffer.left_out,
            Text::Rows(rows) => rows.count() as u64,
        }
    }
}

/// Reads a list, chunk by chunk.
pub(crate) trait ListReader<'l>: Send {
    /// Reads the next chunk, into an empty `buffer` if it needs one. After a failure, `buffer` has what was read before it.
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, ListError>;

    /// The pieces that other workers can help to make.
    fn ahead(&self) -> Option<Ahead<'l>> {
        None
    }

    /// The lines that were left out before or in the last chunk, or after it at the end.
    fn take_left_out(&mut self) -> Vec<SkippedPart> {
        Vec::new()
    }

    /// The rows that the last failure made unreadable, if the list goes on after them.
    fn take_broken(&mut self) -> Option<SkippedRows> {
        None
    }
}

/// What holds the lines of a list.
pub(crate) trait Content: Send + Sync {
    /// The file that can be read again and again; `None` for what can be read only once.
    fn file(&self) -> Option<&Regular> {
        None
    }

    /// Whether the file is stored as its text, so that any part of it can be read.
    fn is_plain(&self) -> bool {
        false
    }

    /// Its whole text, if that is memory-mapped.
    fn mapped(&self) -> Option<&Mapped> {
        None
    }

    /// The table, if it is one.
    fn table(&self) -> Option<&ParquetList> {
        None
    }

    /// The beginning of its text, enough of it to determine the layout.
    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>>;

    /// Begins to read it.
    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError>;

    /// A file that can be read at any offset: its own if it holds the text uncompressed, else a copy of the text.
    fn seekable(&self) -> io::Result<Regular>;
}

/// The name of the Parquet format in receipts.
pub(crate) const LIST_FORMAT: &str = "parquet";

/// Reads the first lines of a text, until its layout is determined, and its mark if it may be no text.
pub(super) fn start(text: &mut dyn BufRead, url_field: &UrlField) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut text = text.take(LOOK as u64);
    let mut is_determined = false;
    loop {
        // Look at each line only once: a million empty lines may come before one that counts.
        let line = start.len();
        if text.read_until(b'\n', &mut start)? == 0 {
            return Ok(start);
        }
        is_determined |= url_field.is_determined_by(&start[line..]);
        // A mark may go on after a line feed. Nothing else waits for more than it needs: it may come through a pipe.
        if is_determined && (start.len() >= MARKED || !may_be_binary(&start)) {
            return Ok(start);
        }
    }
}

/// Whether a text that begins so may be a binary file, whose mark is yet to come.
fn may_be_binary(start: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n');
    start.first().is_some_and(|byte| *byte >= 0x80) || start.iter().any(is_control)
}
