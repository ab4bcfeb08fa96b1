//! Reads a file from an offset on.

use std::fs::File;
use std::io::{self, Read};

use super::read_at::read_at;

/// A file from an offset on, read without moving the position that all its users share.
pub(crate) struct Placed<'f> {
    pub file: &'f File,
    pub at: u64,
    /// The file's length when it was opened. If it ends earlier, it was cut short meanwhile ([`CutShort`]).
    pub length: u64,
}

impl Read for Placed<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = read_at(self.file, buffer, self.at)?;
        if length == 0 && !buffer.is_empty() && self.at < self.length {
            return Err(io::Error::other(CutShort { at: self.at, had: self.length }));
        }
        self.at += length as u64;
        Ok(length)
    }
}

/// The error for a file that another program cut short while it was read.
#[derive(Debug, thiserror::Error)]
#[error("it was cut short while it was read, at byte {at} of {had}")]
pub(crate) struct CutShort {
    pub at: u64,
    pub had: u64,
}
