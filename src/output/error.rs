//! Why bytes did not get to a file.

use std::io;

/// Bytes that could not be written, most often because a disk is full. It is what an [`io::Error`] holds that tells of
/// it, in [`FilterError::Output`](crate::input::FilterError::Output).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("at byte {at}: {error}")]
pub struct Unwritten {
    /// The byte of the file that was to be written next. Where several workers write, bytes before it may be missing too.
    pub at: u64,
    /// What the system said.
    pub error: io::Error,
}

impl Unwritten {
    pub(super) fn told(at: u64, error: io::Error) -> io::Error {
        io::Error::new(error.kind(), Unwritten { at, error })
    }
}
