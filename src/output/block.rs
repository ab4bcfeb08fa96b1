//! Lines that go to one file together.

use std::borrow::Cow;

use crate::judge::tally::Tally;

/// Lines that go to one file together.
#[derive(Debug)]
pub(crate) struct Block<'b> {
    /// The set of files, and the file of it.
    pub set: usize,
    pub file: usize,
    /// As they are written, one after the other.
    pub pieces: Vec<Cow<'b, [u8]>>,
    pub tally: Tally,
}

impl Block<'_> {
    /// How many bytes it has.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.len() as u64).sum()
    }
}
