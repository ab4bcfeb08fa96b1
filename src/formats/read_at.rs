//! Reading a file from a place, without moving a place that all who share it have in common.

use std::fs::File;
use std::io;

/// Reads what stands at a place, as much as there is at once.
pub(crate) fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    return std::os::unix::fs::FileExt::read_at(file, bytes, at);
    #[cfg(windows)]
    return std::os::windows::fs::FileExt::seek_read(file, bytes, at);
}
