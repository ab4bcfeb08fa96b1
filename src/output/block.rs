//! A block of lines for one file.

use std::borrow::Cow;

use crate::judge::tally::Tally;

/// Lines written to one file together.
#[derive(Debug)]
pub(crate) struct Block<'b> {
    /// The set of files, and the file's index within the set.
    pub set: usize,
    pub file: usize,
    /// The bytes to write, one piece after the other.
    pub pieces: Vec<Cow<'b, [u8]>>,
    pub tally: Tally,
}

impl Block<'_> {
    /// The total length of its pieces, in bytes.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}
