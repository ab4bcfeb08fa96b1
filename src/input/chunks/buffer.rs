//! The buffer that a worker reads chunks into.

use crate::outcome::Reason;

/// A worker's buffer for chunks that are not memory-mapped, reused from chunk to chunk.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// Lines of a table whose URLs were altered, by line number in the chunk.
    pub(super) flaws: Vec<(u64, Reason)>,
}

impl Buffer {
    /// Frees its memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}
