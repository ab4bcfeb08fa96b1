//! How lists begin, and how they are named.

use std::io::{self, BufRead, Read};
use std::path::Path;

use crate::formats::placed::CutShort;
use crate::input::error::ListError;
use crate::input::layout::{LOOK, UrlField};

/// The name of Parquet lists in receipts.
pub(crate) const LIST_FORMAT: &str = "parquet";

/// How a list is named where a path stands: standard input.
pub const STANDARD_INPUT: &str = "-";

/// The lines at the start of a text that tell its layout.
pub(super) fn start(text: &mut dyn BufRead, url_field: &UrlField) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut text = text.take(LOOK as u64);
    loop {
        // There may be a million empty lines before one that tells, so that each is looked at once.
        let line = start.len();
        if text.read_until(b'\n', &mut start)? == 0 || url_field.is_told_by(&start[line..]) {
            return Ok(start);
        }
    }
}

/// The failure of a list that cannot be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> ListError {
    let path = path.to_owned();
    match error.downcast::<CutShort>() {
        Ok(CutShort { at, had }) => ListError::Cut { path, at, had },
        Err(error) => ListError::Unreadable { path, error },
    }
}
