//! What the bytes of a chunk are kept in.

use crate::outcome::Reason;

/// A worker's space for chunks that are not mapped; used for one after the other.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// The lines of a table whose URLs are not what they were there, by their numbers in the chunk.
    pub(super) flaws: Vec<(u64, Reason)>,
}

impl Buffer {
    /// Keeps no memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}
