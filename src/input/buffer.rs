//! The buffer that lines of a list are read into.

use crate::outcome::Reason;

/// A buffer for lines that are not memory-mapped, reused from chunk to chunk.
#[derive(Default)]
pub(crate) struct Buffer {
    pub(super) bytes: Vec<u8>,
    /// Lines of a table whose URLs were altered, by their numbers in the buffer.
    pub(super) flaws: Vec<(u64, Reason)>,
}

impl Buffer {
    /// Empties it, but keeps its memory.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.flaws.clear();
    }

    /// Frees its memory.
    pub fn release(&mut self) {
        *self = Buffer::default();
    }
}
