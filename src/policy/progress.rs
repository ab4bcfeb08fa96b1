//! How far a policy in the making is, for another thread to watch.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// How far a policy in the making is: answers of hosts are read, then origins are put in their order and written.
#[derive(Debug, Default)]
pub struct Progress {
    read: AtomicU64,
    origins: AtomicU64,
    placed: AtomicU64,
}

impl Progress {
    /// How many answers were read and compiled.
    pub fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    /// How many origins there are; 0 as long as answers are read.
    pub fn origins(&self) -> u64 {
        self.origins.load(Relaxed)
    }

    /// How many of them are in their place.
    pub fn placed(&self) -> u64 {
        self.placed.load(Relaxed)
    }

    /// So many answers were read by now.
    pub(super) fn reads(&self, answers: u64) {
        self.read.store(answers, Relaxed);
    }

    /// All answers are read; they are of so many origins.
    pub(super) fn places(&self, origins: usize) {
        self.origins.store(origins as u64, Relaxed);
    }

    /// One more origin is in its place.
    pub(super) fn placed_one(&self) {
        self.placed.fetch_add(1, Relaxed);
    }
}
