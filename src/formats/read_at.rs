//! Reads a file at an offset, without moving the position that all its users share.

use std::fs::File;
use std::io;

/// Reads once at an offset; returns how many bytes were read.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, bytes, at);
}
