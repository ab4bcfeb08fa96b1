//! What is said of a file that another program cuts short.

/// A file that another program cut short while it was read.
#[derive(Debug, thiserror::Error)]
#[error("it was cut short while it was read, at byte {at} of {had}")]
pub(super) struct CutShort {
    pub at: u64,
    pub had: u64,
}
