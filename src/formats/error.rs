//! Errors in reading files, and in giving them names.

use std::io;
use std::path::{Path, PathBuf};

use super::compression::Compression;
use super::visible::shown;

/// A file or folder that cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("cannot {doing} {}: {}", shown(path), in_words(error))]
pub struct FileError {
    /// What cannot be done, such as `read` or `read the policy`.
    pub doing: &'static str,
    /// The file or folder.
    pub path: PathBuf,
    /// The system's error, or the damage in its compressed data.
    pub error: io::Error,
}

impl FileError {
    /// Adds to an error what could not be done, and to which file.
    pub(crate) fn of<'p>(doing: &'static str, path: &'p Path) -> impl Fn(io::Error) -> FileError + Copy + use<'p> {
        move |error| FileError { doing, path: path.to_owned(), error }
    }
}

/// What a system's error says, without the number that Rust adds to it.
pub(crate) fn in_words(error: &io::Error) -> String {
    let text = error.to_string();
    let number = error.raw_os_error().map(|number| format!(" (os error {number})"));
    number.and_then(|number| text.strip_suffix(&number).map(str::to_owned)).unwrap_or(text)
}

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

/// Compressed data that cannot be decompressed: cut short, altered, or followed by something else.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("its {} data is damaged or cut short, at or shortly after byte {offset} of the file: {error}", compression.name())]
pub struct Damaged {
    /// The compression format.
    pub compression: Compression,
    /// How many bytes of the file had been read when the damage was found.
    pub offset: u64,
    /// The member, frame or stream with the damage; `None` if it is not known where it begins.
    pub member: Option<DamagedMember>,
    /// The decompressor's own error.
    pub error: io::Error,
}

/// A member of gzip, a frame of Zstandard, or a stream of bzip2 in which there is damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DamagedMember {
    /// Where it begins, in bytes of the file.
    pub start: u64,
    /// How many bytes of its text had been read when the damage was found.
    pub text: u64,
}

impl Damaged {
    /// The damage that an error comes from; `None` if it comes from the file.
    pub(crate) fn of(error: &io::Error) -> Option<&Damaged> {
        error.get_ref()?.downcast_ref()
    }

    /// Whether an error comes from damage, rather than from the file.
    pub(crate) fn caused(error: &io::Error) -> bool {
        Damaged::of(error).is_some()
    }

    /// The error that this damage is reported with, once more.
    #[cfg(feature = "warc")]
    pub(crate) fn again(&self) -> io::Error {
        let Damaged { compression, offset, member, ref error } = *self;
        let kind = error.kind();
        io::Error::new(kind, Damaged { compression, offset, member, error: io::Error::new(kind, error.to_string()) })
    }
}

/// Compressed data that looks back further than there is memory for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[error("its Zstandard data needs a larger window than the {limit} bytes of memory allowed; allow more")]
pub struct WindowTooLarge {
    /// The memory there is for it, in bytes.
    pub limit: u64,
}
