//! How a file is compressed.

use memchr::memmem;
use std::ops::RangeInclusive;

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Compression {
    /// RFC 1952; consecutive members form one text. Zeros after the last one, which fill up a block, are ignored.
    Gzip,
    /// RFC 8878; consecutive frames form one text.
    Zstd,
    /// The format of bzip2 1.0; consecutive streams form one text.
    Bzip2,
}

/// A Zstandard skippable frame that holds the dictionary for the frames after it.
pub(super) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The largest dictionary allowed, in bytes: the tool that makes them makes none larger.
pub(super) const DICTIONARY_LIMIT: u64 = 100 << 20;

/// The largest window that `zstd` decompresses by default.
pub(crate) const DEFAULT_WINDOW: u64 = 1 << 27;

/// The window sizes that the decompressor supports, in bits.
const WINDOW_BITS: RangeInclusive<u32> = 10..=if usize::BITS == 64 { 31 } else { 30 };

impl Compression {
    /// The compression of a file that begins with these bytes; `None` if it is not one of these formats.
    pub fn of(start: &[u8]) -> Option<Compression> {
        match start {
            [0x1f, 0x8b, 0x08, ..] => Some(Compression::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Some(Compression::Zstd),
            // After the letters and the block size comes pi, for a block, or its square root, for the end.
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41, 0x59, 0x26, 0x53, 0x59, ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Compression::Bzip2),
            _ => None,
        }
    }

    /// The most bytes that a decompressor takes for a file that was compressed with its format's default settings, and a little
    /// more.
    pub(crate) fn usual_memory(self) -> u64 {
        match self {
            Compression::Gzip => 128 << 10,
            Compression::Bzip2 => 4 << 20,
            // The window of `zstd -19`.
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

/// The largest window, as a power of two, for a decompressor that may take this much memory.
pub(super) fn window_bits(memory: u64) -> u32 {
    memory.max(1).ilog2().clamp(*WINDOW_BITS.start(), *WINDOW_BITS.end())
}

/// Bytes needed to recognise how a file is compressed, and where a member, frame or stream may begin.
pub(super) const HEAD: usize = 10;

/// The first place in `bytes` where a member, frame or stream may begin, of which [`HEAD`] bytes are there.
pub(super) fn first_head(compression: Compression, bytes: &[u8]) -> Option<usize> {
    // The bytes to search for, and how many bytes of a head precede them.
    let marks: &[(&[u8], usize)] = match compression {
        Compression::Gzip => &[(&[0x1f, 0x8b, 0x08], 0)],
        Compression::Zstd => &[(&[0xb5, 0x2f, 0xfd], 1), (&[0x2a, 0x4d, 0x18], 1)],
        Compression::Bzip2 => &[(b"BZh", 0)],
    };
    let first = |&(mark, before): &(&[u8], usize)| {
        let mut heads = memmem::find_iter(bytes, mark).filter_map(|at| at.checked_sub(before));
        heads.find(|&at| bytes.get(at..at + HEAD).is_some_and(|bytes| is_head(compression, bytes)))
    };
    marks.iter().filter_map(first).min()
}

/// Whether a member, frame or stream may begin with these bytes.
fn is_head(compression: Compression, bytes: &[u8]) -> bool {
    Compression::of(bytes) == Some(compression) && (compression != Compression::Gzip || bytes[3] & 0xe0 == 0)
}
