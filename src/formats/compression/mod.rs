//! Reads compressed files, recognised by their first bytes and not by their names: gzip (all members), Zstandard (all frames),
//! bzip2 (all streams), or uncompressed.
//!
//! Data that ends early, does not match its checksum or is followed by something else is an error ([`Damaged`]), never a silent
//! end. A Zstandard file may begin with a dictionary for all its frames, as `.warc.zst` files do
//! (<https://iipc.github.io/warc-specifications/specifications/warc-zstd/>).

mod input;
mod pieces;
mod reader;
#[cfg(feature = "warc")]
mod salvage;

#[cfg(feature = "warc")]
pub(crate) use input::read_through;
pub use input::{Compression, Damaged, DamagedMember, WindowTooLarge};
pub(crate) use input::{DEFAULT_WINDOW, DICTIONARY_MAGIC, Peeked, is_damage, peeked};
pub(crate) use pieces::{InPieces, Pieces, with_help};
pub use reader::Reader;
pub(crate) use reader::read_within;
#[cfg(feature = "warc")]
pub(crate) use salvage::Salvage;
