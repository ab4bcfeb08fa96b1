//! Files that can be read to their end, and from any offset on.
//!
//! The path of a file that a run wrote may since have become something else, such as a named pipe, and reading that could wait
//! forever.

use std::fs::{self, File};
use std::io::{self, Read};
use std::ops::Deref;
use std::path::Path;

use super::error::CutShort;
#[cfg(any(feature = "parquet", feature = "warc"))]
use super::standard_input::is_standard_input;

/// Checks that a path is a regular file, or a link to one.
pub(crate) fn ensure(path: &Path) -> io::Result<()> {
    if fs::metadata(path)?.is_file() {
        return Ok(());
    }
    Err(not_regular())
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")
}

/// Whether a path is a pipe, or a link to one.
#[cfg(all(feature = "cli", unix))]
pub(crate) fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;

    fs::metadata(path).is_ok_and(|metadata| metadata.file_type().is_fifo())
}

/// Elsewhere, no path is a pipe.
#[cfg(all(feature = "cli", not(unix)))]
pub(crate) fn is_pipe(_path: &Path) -> bool {
    false
}

/// Opens a regular file to be read. Never waits, as opening a pipe does until something writes to it: also if the file becomes one
/// between the look and the opening.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ensure(path)?;
    let mut options = File::options();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, rustix::fs::OFlags::NONBLOCK.bits() as i32);
    let file = options.read(true).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
}

/// A file that can be read at any offset: the one at `path` if it stores the text as is, else a copy of the text.
#[cfg(any(feature = "parquet", feature = "warc"))]
pub(crate) fn or_copied(path: &Path, is_stored_as_read: bool, text: &mut impl io::BufRead) -> io::Result<File> {
    if is_stored_as_read && !is_standard_input(path) && fs::metadata(path)?.is_file() {
        return open(path);
    }
    let mut copy = tempfile::tempfile()?;
    io::copy(text, &mut copy)?;
    io::Seek::rewind(&mut copy)?;
    Ok(copy)
}

/// A file from an offset on, read without moving the position that all its users share.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileAt<F> {
    file: F,
    at: u64,
    /// The file's length when it was opened. If it ends earlier, it was cut short meanwhile ([`CutShort`]).
    pub length: u64,
}

impl<F: Deref<Target = File> + Clone> FileAt<F> {
    /// A file of this length, from its start.
    pub fn new(file: F, length: u64) -> FileAt<F> {
        FileAt { file, at: 0, length }
    }

    /// The same file from another offset on.
    pub fn from(&self, at: u64) -> FileAt<F> {
        FileAt { at, ..self.clone() }
    }
}

impl<F: Deref<Target = File>> Read for FileAt<F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = read_at(&self.file, buffer, self.at)?;
        if length == 0 && !buffer.is_empty() && self.at < self.length {
            return Err(io::Error::other(CutShort { at: self.at, had: self.length }));
        }
        self.at += length as u64;
        Ok(length)
    }
}

/// Reads once at an offset; returns how many bytes were read.
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, bytes, at);
}
