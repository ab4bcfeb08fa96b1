//! Files that can be read to their end.
//!
//! Where a run wrote a file, something else may stand by now, such as a named pipe, which would be waited for for ever.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// Makes sure that a regular file stands at a path, or a link to one.
///
/// # Errors
///
/// Checks that there is a regular file.
pub(crate) fn ensure(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(io::Error::new(io::ErrorKind::InvalidInput, "it is no regular file"))
}

/// Opens a regular file to be read.
///
/// # Errors
///
/// As [`ensure`].
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ensure(path)?;
    File::open(path)
}
