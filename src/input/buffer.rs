//! The buffer that lines of a list are read into.

use crate::outcome::Reason;

/// Lines that are not memory-mapped, in memory that is reused from chunk to chunk.
#[derive(Debug, Default)]
pub(crate) struct Buffer {
    pub bytes: Vec<u8>,
    /// Lines that are invalid whatever they contain, by their numbers in the buffer: URLs of a table that were altered.
    pub flaws: Vec<(u64, Reason)>,
}

impl Buffer {
    /// Empties it, but keeps its memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.flaws.clear();
    }

    /// Empties it for a text of `size` bytes; the memory for a huge one is not held for the rest of the run.
    pub fn reuse(&mut self, size: usize) {
        self.clear();
        self.bytes.shrink_to(2 * size);
    }

    /// Frees its memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}
