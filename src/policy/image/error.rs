//! Why an image cannot be read, or written.

use std::io;
use std::path::PathBuf;

/// Why bytes are no policy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// No bytes.
    #[error("it is empty; make it again with `robosieve compile`")]
    Empty,
    /// Bytes of something else.
    #[error("it is no policy file; `robosieve compile` makes one of robots.txt files")]
    Foreign,
    /// A later version of the format.
    #[error("it is a policy file of version {found}, and this robosieve reads version {known}; use a newer robosieve")]
    Newer {
        /// Its version.
        found: u32,
        /// The newest version that can be read.
        known: u32,
    },
    /// An earlier version of the format, which is not read any more.
    #[error(
        "it was written by an older robosieve (version {found} of the file, and this one reads {known}); compile it again"
    )]
    Older {
        /// Its version.
        found: u32,
        /// The only version that can be read.
        known: u32,
    },
    /// The end is missing.
    #[error("it is cut short: {found} bytes instead of {expected}; copy or make it again")]
    Truncated {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// Something stands after the end.
    #[error("something stands after its end: {found} bytes instead of {expected}; copy or make it again")]
    TooLong {
        /// How many bytes it should have.
        expected: u64,
        /// How many it has.
        found: u64,
    },
    /// A header that does not fit its own hash, or that no version writes so.
    #[error("its header is damaged; copy or make it again")]
    Header,
    /// The content is not what was written.
    #[error("it is damaged: its checksum differs; copy or make it again")]
    Checksum,
    /// The content cannot be what was written.
    #[error("it is damaged: {section} (byte {at}): {problem}; copy or make it again")]
    Damaged {
        /// The section, as FORMAT.md calls it.
        section: &'static str,
        /// Where the damage is seen, in bytes from the start.
        at: u64,
        /// The problem.
        problem: String,
    },
}

/// Why a policy file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// It is missing, or cannot be read.
    #[error("cannot read the policy {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// It is no policy, or not whole.
    #[error("cannot use the policy {}: {problem}", path.display())]
    Image {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: ImageError,
    },
}

/// Why a policy cannot be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// The system does not let it be written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// The temporary file, for policies that do not fit into memory, cannot be written.
    #[error("cannot keep a temporary file in {}: {error}; make room there, or name another folder", folder.display())]
    Spill {
        /// The folder.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A section beyond what its places can name.
    #[error("too much for one policy: {section} would take more than {limit} GiB; make several")]
    Full {
        /// The section, as FORMAT.md calls it.
        section: &'static str,
        /// The most that it can hold.
        limit: u64,
    },
    /// An origin that is far too long.
    #[error("an origin of {length} bytes, where at most 65,535 are possible: {start}...")]
    LongOrigin {
        /// How long it is.
        length: usize,
        /// How it begins.
        start: String,
    },
}
