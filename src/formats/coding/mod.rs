//! The content codings of HTTP, undone.
//!
//! What they are, and when a body is in one, is the same in every build (`undo`, `begins`); only the decoders themselves may be missing.
//! Without them, a body in a coding is [missing](Ending::Missing), never a text.

mod begins;
#[cfg(feature = "batch")]
mod decoders;
mod part;
#[cfg(test)]
#[cfg(feature = "batch")]
pub(crate) mod tests;
mod undo;

#[cfg(feature = "batch")]
pub(crate) use begins::{DICTIONARY_MAGIC, ZSTD, begins_bzip2, begins_zstd};
pub(crate) use part::{Ending, FRAMING, begins_as_ascii_text, looks_like_text};
pub(crate) use undo::{Body, MAX_CODINGS, decode, decode_by_marks, decode_by_trial, is_known, is_marked, names};
