//! Errors in reading files, and in giving them names.

/// The error for a file that another program cut short while it was read.
#[derive(Debug, thiserror::Error)]
#[error("it was cut short while it was read, at byte {at} of {had}")]
pub(crate) struct CutShort {
    pub at: u64,
    pub had: u64,
}

/// The error for a file that is not [replaced](super::replaceable), because it is not of the kind that is written.
#[derive(Debug, thiserror::Error)]
#[error("it exists and is not {kind}; move it, or choose another name")]
pub(crate) struct NotReplaced {
    pub kind: &'static str,
}
