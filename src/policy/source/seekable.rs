//! Files that can be read at any offset.

use std::fs::File;
use std::io::{self, BufRead};
use std::path::Path;

use super::error::SourceError;

/// A file that can be read at any offset: the one at `path` if it stores the text as is, else a copy of the text.
pub(super) fn seekable(path: &Path, is_stored_as_read: bool, text: &mut impl BufRead) -> Result<File, SourceError> {
    let mut open = || {
        if is_stored_as_read && std::fs::metadata(path)?.is_file() {
            return File::open(path);
        }
        let mut copy = tempfile::tempfile()?;
        io::copy(text, &mut copy)?;
        io::Seek::rewind(&mut copy)?;
        Ok(copy)
    };
    open().map_err(SourceError::unreadable(path))
}
