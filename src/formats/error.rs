//! Errors in reading files.

/// The error for a file that another program cut short while it was read.
#[derive(Debug, thiserror::Error)]
#[error("it was cut short while it was read, at byte {at} of {had}")]
pub(crate) struct CutShort {
    pub at: u64,
    pub had: u64,
}
