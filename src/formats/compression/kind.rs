//! How a file is compressed.

use std::ops::RangeInclusive;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// RFC 1952; members that follow each other are one text. Zeros after the last one, which fill up a block, are no data.
    Gzip,
    /// RFC 8878; frames that follow each other are one text.
    Zstd,
    /// The format of bzip2 1.0; streams that follow each other are one text.
    Bzip2,
}

/// So many bytes tell how a file is compressed.
pub(super) const MAGIC_LENGTH: usize = 10;

/// A Zstandard skippable frame that holds the dictionary of those after it.
pub(super) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The most bytes of a dictionary: the tool that makes them does not make larger ones.
pub(super) const DICTIONARY_LIMIT: u64 = 100 << 20;

/// The window of `zstd` when it decompresses, unless asked otherwise.
pub(crate) const DEFAULT_WINDOW: u64 = 1 << 27;

/// The windows that the format allows, in bits: no decompressor gives more.
const WINDOW_BITS: RangeInclusive<u32> = 10..=if usize::BITS == 64 { 31 } else { 30 };

impl Compression {
    /// How a file that begins with these bytes is compressed; `None` where it is not, as far as is known here.
    pub fn of(start: &[u8]) -> Option<Compression> {
        match start {
            [0x1f, 0x8b, 0x08, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            // After the letters and the size of blocks: pi, for a block, or its square root, for the end.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }

    /// The most bytes that a decompressor takes for a file which was compressed as the programs of its format do by default,
    /// and a little more.
    pub(crate) fn usual_memory(self) -> u64 {
        match self {
            Compression::Gzip => 128 << 10,
            Compression::Bzip2 => 4 << 20,
            // What `zstd -19` looks back.
            Compression::Zstd => 8 << 20,
        }
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        match self {
            Compression::Gzip => "gzip",
            Compression::Zstd => "Zstandard",
            Compression::Bzip2 => "bzip2",
        }
    }
}

/// How far back a decompressor that takes so much memory may look, as a power of two.
pub(super) fn window_bits(memory: u64) -> u32 {
    memory.max(1).ilog2().clamp(*WINDOW_BITS.start(), *WINDOW_BITS.end())
}
