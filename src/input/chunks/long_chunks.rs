//! Admits one long chunk at a time, to bound memory.

use std::sync::{Arc, Condvar, Mutex};

use crate::lock::{lock, wait};

/// Admits one long chunk at a time.
#[derive(Default)]
pub(crate) struct LongChunks {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to hold a long chunk; dropping it gives the right back.
pub(crate) struct Permit(Arc<LongChunks>);

impl LongChunks {
    /// Waits until no other worker holds a long chunk.
    pub fn permit(self: &Arc<LongChunks>) -> Permit {
        let mut taken = lock(&self.taken);
        while *taken {
            taken = wait(&self.free, taken);
        }
        *taken = true;
        Permit(Arc::clone(self))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        *lock(&self.0.taken) = false;
        self.0.free.notify_one();
    }
}
