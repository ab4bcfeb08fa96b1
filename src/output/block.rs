//! Lines that go to one file together.

use std::borrow::Cow;

use crate::judge::tally::Tally;

/// Lines that go to one file together.
#[derive(Debug)]
pub(crate) struct Block<'b> {
    /// The set of files, and the file of it.
    pub set: usize,
    pub file: usize,
    /// As they are written.
    pub bytes: Cow<'b, [u8]>,
    pub tally: Tally,
}
