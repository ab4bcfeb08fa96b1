//! Files that can be read to their end.
//!
//! The path of a file that a run wrote may since have become something else, such as a named pipe, and reading that could wait
//! forever.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Checks that a path is a regular file, or a link to one.
///
/// # Errors
///
/// If it is not, or cannot be looked up.
pub(crate) fn ensure(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"))
}

/// Opens a regular file to be read.
///
/// # Errors
///
/// See [`ensure`]; also if it cannot be opened.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ensure(path)?;
    File::open(path)
}
