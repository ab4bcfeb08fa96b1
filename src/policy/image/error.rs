//! Errors in reading and writing images.

use std::io;
use std::path::PathBuf;

use crate::formats::shown;

/// Why bytes are not a policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// There are no bytes.
    #[error("it is empty; compile it again with `robosieve compile`")]
    Empty,
    /// The bytes are something else.
    #[error("it is not a policy file; create one with `robosieve compile`")]
    Foreign,
    /// A later version of the format.
    #[error("it is a policy file of version {found}, and this robosieve reads version {known}; use a newer robosieve")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// An earlier version of the format, which is no longer read.
    #[error(
        "it was written by an older robosieve (file version {found}, and this one reads {known}); compile it again"
    )]
    Older {
        /// Its version.
        found: u32,
        /// The only version that can be read.
        known: u32,
    },
    /// The end is missing.
    #[error("it is cut short: {found} bytes instead of {expected}; copy or compile it again")]
    Truncated {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// There are bytes after the end.
    #[error("there are bytes after its end: {found} bytes instead of {expected}; copy or compile it again")]
    TooLong {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// A header that does not match its own hash, or that no writer produces.
    #[error("its header is damaged; copy or compile it again")]
    Header,
    /// The content differs from what was written.
    #[error("it is damaged: its checksum differs; copy or compile it again")]
    Checksum,
    /// The content is invalid.
    #[error("it is damaged: {section} (byte {at}): {problem}; copy or compile it again")]
    Damaged {
        /// The section, by its name in FORMAT.md.
        section: &'static str,
        /// The position of the damage, in bytes from the start.
        at: u64,
        /// The problem.
        problem: String,
    },
}

/// Why a policy file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is missing or cannot be read.
    #[error("cannot read the policy {}: {error}", shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is not a policy, or damaged.
    #[error("cannot use the policy {}: {problem}", shown(path))]
    Image {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: ImageError,
    },
}

/// Why a policy cannot be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system reports an error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The temporary file for a policy that does not fit into memory cannot be written.
    #[error("cannot write a temporary file in {}: {error}; free space there, or choose another folder", shown(folder))]
    Spill {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A section is larger than places can address.
    #[error("too much for one policy: {section} would take more than {limit} GiB; compile several")]
    Full {
        /// The section, by its name in FORMAT.md.
        section: &'static str,
        /// The most it can hold, in GiB.
        limit: u64,
    },
    /// An origin is far too long.
    #[error("an origin has {length} bytes, but at most 65,535 are possible: {start}...")]
    LongOrigin {
        /// Its length.
        length: usize,
        /// Its beginning.
        start: String,
    },
}
