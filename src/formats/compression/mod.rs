//! Reads compressed files, recognised by their first bytes and not by their names: those of the [formats](codec) that are known, or
//! uncompressed.
//!
//! Data that ends early, does not match its checksum or is followed by something else is an error ([`Damaged`]), never a silent
//! end. A Zstandard file may begin with a dictionary for all its frames, as `.warc.zst` files do
//! (<https://iipc.github.io/warc-specifications/specifications/warc-zstd/>).

mod codec;
mod damage;
mod input;
mod pieces;
mod reader;
#[cfg(feature = "warc")]
mod salvage;

pub use codec::Compression;
pub(crate) use codec::DEFAULT_WINDOW;
pub(crate) use damage::is_damage;
pub use damage::{Damaged, DamagedMember, WindowTooLarge};
pub(crate) use input::peeked;
#[cfg(feature = "warc")]
pub(crate) use input::read_through;
pub(crate) use pieces::{InPieces, Pieces, with_help};
pub use reader::Reader;
pub(crate) use reader::read_within;
#[cfg(feature = "warc")]
pub(crate) use salvage::Salvage;
