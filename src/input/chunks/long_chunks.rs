//! Admits one long chunk at a time, to bound memory.

use std::sync::Arc;

use crate::monitor::Monitor;

/// Admits one long chunk at a time: whether there is one.
#[derive(Default)]
pub(crate) struct LongChunks(Monitor<bool>);

/// The right to hold a long chunk; dropping it gives the right back.
pub(crate) struct Permit(Arc<LongChunks>);

impl LongChunks {
    /// Waits until no other worker holds a long chunk.
    pub fn permit(self: &Arc<LongChunks>) -> Permit {
        self.0.when(|is_taken| (!std::mem::replace(is_taken, true)).then_some(()));
        Permit(Arc::clone(self))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.0.change(|is_taken| *is_taken = false);
    }
}
