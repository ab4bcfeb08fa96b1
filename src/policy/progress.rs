//! The progress of making a policy, for another thread to watch.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The progress of making a policy: first answers are read, then origins are sorted and written.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    origins: AtomicU64,
    placed: AtomicU64,
}

impl Progress {
    /// How many answers have been read and compiled.
    pub fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// How many origins there are; 0 while answers are being read.
    pub fn origins(&self) -> u64 {
        self.origins.load(Relaxed)
    }

    /// How many of them have been written.
    pub fn placed(&self) -> u64 {
        self.placed.load(Relaxed)
    }

    /// Sets the number of answers read so far.
    pub(super) fn reads(&self, answers: u64) {
        self.read.store(answers, Relaxed);
    }

    /// Sets the number of origins, once all answers are read.
    pub(super) fn places(&self, origins: usize) {
        self.origins.store(origins as u64, Relaxed);
    }

    /// Counts an origin as written.
    pub(super) fn placed_one(&self) {
        self.placed.fetch_add(1, Relaxed);
    }
}
