//! Why compressed data cannot be read.

use super::kind::Compression;
use std::io;

/// Compressed data that cannot be decompressed: cut short, altered, or followed by something else.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("its {} data is damaged or cut short, at or shortly after byte {offset} of the file: {error}", compression.name())]
pub struct Damaged {
    /// The compression format.
    pub compression: Compression,
    /// How many bytes of the file had been read when the damage was found.
    pub offset: u64,
    /// The decompressor's own error.
    pub error: io::Error,
}

/// Compressed data that looks back further than there is memory for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("its Zstandard data needs a larger window than the {limit} bytes of memory allowed; allow more")]
pub struct WindowTooLarge {
    /// The memory there is for it, in bytes.
    pub limit: u64,
}
