//! How lists begin, and how they are named.

use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::formats::error::{CutShort, FileError};
use crate::input::error::ListError;
use crate::input::layout::{LOOK, UrlField};

/// The name of the Parquet format in receipts.
pub(crate) const LIST_FORMAT: &str = "parquet";

/// The path that means standard input.
pub const STANDARD_INPUT: &str = "-";

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

/// The error for a list that cannot be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> ListError {
    match error.downcast::<CutShort>() {
        Ok(CutShort { at, had }) => ListError::Cut { path: path.to_owned(), at, had },
        Err(error) => FileError::of("read the list", path)(error).into(),
    }
}
