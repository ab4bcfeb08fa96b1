//! One long chunk at a time, because of memory.

use std::sync::{Arc, Condvar, Mutex, PoisonError};

use crate::lock::lock;

/// Lets one long chunk at a time go its way.
#[derive(Default)]
pub(super) struct Alone {
    taken: Mutex<bool>,
    free: Condvar,
}

/// The right to have a long chunk, until it is dropped.
pub(super) struct Permit(Arc<Alone>);

impl Alone {
    /// Waits until no other worker has a long chunk.
    pub fn permit(self: &Arc<Alone>) -> Permit {
        let mut taken = lock(&self.taken);
        while *taken {
            taken = self.free.wait(taken).unwrap_or_else(PoisonError::into_inner);
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
