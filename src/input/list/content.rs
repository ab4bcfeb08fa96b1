//! What holds the lines of a list.
//!
//! Each kind of list is one implementation: a [mapped](super::mapped_file) file, a file or [stream](super::stream) to be
//! [decoded](super::decoded), a [table](super::table). [Opening](super::opened) recognises the kind.

use std::io::{self, BufRead, Read};
use std::ops::Range;

use super::ParquetList;
use super::reader::{Begin, ListReader};
use super::regular::Regular;
use crate::input::error::{ListError, unreadable};
use crate::input::layout::{LOOK, UrlField};
use crate::input::skipped::SkippedPart;

/// What holds the lines of a list.
pub(crate) trait Content: Send + Sync {
    /// The file that can be read again and again; `None` for what can be read only once, or not at all.
    fn file(&self) -> Option<&Regular> {
        None
    }

    /// Its whole text, if that is memory-mapped.
    fn mapped(&self) -> Option<&[u8]> {
        None
    }

    fn table(&self) -> Option<&ParquetList> {
        None
    }

    /// Why nothing of it can be read, if so.
    fn unreadable(&self) -> Option<&str> {
        None
    }

    /// The beginning of its text, enough of it to determine the layout.
    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>>;

    /// Begins to read it.
    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError>;

    /// A file that can be read at any offset: its own if it holds the text uncompressed, else a copy of the text.
    fn seekable(self: Box<Self>) -> io::Result<Regular>;

    /// Skips exactly the rows that a receipt names. Returns the problem if the receipt cannot be of this table.
    fn skip(&mut self, _parts: &[SkippedPart]) -> Option<String> {
        None
    }

    /// Releases a part of the mapped text that will not be read again.
    fn release(&self, _part: Range<usize>) {}

    /// The first byte of the mapped text that was found missing.
    fn lost(&self) -> Option<usize> {
        None
    }
}

/// A list that cannot be read at all, and why.
pub(super) struct Unreadable(pub String);

impl Unreadable {
    fn error(&self) -> io::Error {
        io::Error::other(self.0.clone())
    }
}

impl Content for Unreadable {
    fn unreadable(&self) -> Option<&str> {
        Some(&self.0)
    }

    fn start(&self, _: &UrlField) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        Err(unreadable(begin.path, self.error()))
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        Err(self.error())
    }
}

/// The name of the Parquet format in receipts.
pub(crate) const LIST_FORMAT: &str = "parquet";

/// Reads the first lines of a text, until its layout is determined.
pub(super) fn start(text: &mut dyn BufRead, url_field: &UrlField) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut text = text.take(LOOK as u64);
    loop {
        // Look at each line only once: a million empty lines may come before one that counts.
        let line = start.len();
        if text.read_until(b'\n', &mut start)? == 0 || url_field.is_determined_by(&start[line..]) {
            return Ok(start);
        }
    }
}
