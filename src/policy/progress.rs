//! The progress of making a policy, for another thread to watch.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The progress of making a policy: first answers are read, then origins are sorted and written.
#[derive(Debug, Default)]
pub struct CompileProgress {
    pub(super) read: AtomicU64,
    pub(super) origins: AtomicU64,
    pub(super) placed: AtomicU64,
}

impl CompileProgress {
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
}
