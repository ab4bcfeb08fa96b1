//! Damage to a compressed file.

use std::io;

use super::codec::{Compression, DEFAULT_WINDOW};
use super::input::Input;

/// Compressed data that cannot be decompressed: cut short, altered, or followed by something else.
#[derive(Debug, thiserror::Error)]
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

/// A member of a file (a frame of Zstandard, or a stream of bzip2) in which there is damage.
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

    /// The error that this damage is reported with, once more.
    #[cfg(feature = "warc")]
    pub(crate) fn again(&self) -> io::Error {
        let Damaged { compression, offset, member, ref error } = *self;
        Damaged::error(compression, offset, member, io::Error::new(error.kind(), error.to_string()))
    }

    /// The error of a decompressor, at this offset and in this member, if it is known.
    pub(super) fn error(
        compression: Compression,
        offset: u64,
        member: Option<DamagedMember>,
        error: io::Error,
    ) -> io::Error {
        io::Error::new(error.kind(), Damaged { compression, offset, member, error })
    }
}

/// Compressed data that looks back further than there is memory for.
#[derive(Debug, thiserror::Error)]
#[error("its Zstandard data needs a larger window than the {limit} bytes of memory allowed; {}", self.remedy())]
pub struct WindowTooLarge {
    /// The memory there is for it, in bytes.
    pub limit: u64,
}

impl WindowTooLarge {
    /// Whether a larger budget of memory makes room for it, as far as that is known.
    pub(crate) fn is_of_budget(&self) -> bool {
        self.limit < DEFAULT_WINDOW
    }

    fn remedy(&self) -> &'static str {
        if self.is_of_budget() { "allow more" } else { "compress it with a smaller one, as zstd does by default" }
    }

    /// Whether an error comes from such a window.
    pub(crate) fn of(error: &io::Error) -> Option<&WindowTooLarge> {
        error.get_ref()?.downcast_ref()
    }
}

/// Whether an error comes from compressed data, rather than from the file: it is damaged, or asks for too much memory.
pub(crate) fn is_damage(error: &io::Error) -> bool {
    Damaged::of(error).is_some() || WindowTooLarge::of(error).is_some()
}

impl Input<'_> {
    /// Adds the offset to an error of the decompressor in a member, if it is known; an error of the file is returned as it is.
    pub fn with_offset(&self, error: io::Error, compression: Compression, member: Option<DamagedMember>) -> io::Error {
        if self.text.get_ref().1.get_ref().failed {
            return error;
        }
        // The library reports this in no other way.
        if compression.codec().asks_for_memory && error.to_string().contains("requires too much memory") {
            return io::Error::other(WindowTooLarge { limit: self.memory });
        }
        Damaged::error(compression, self.offset, member, error)
    }
}
