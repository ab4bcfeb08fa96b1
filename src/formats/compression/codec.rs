//! The formats of compressed files: one table, which lists, sources, receipts and the names of files ask.
//!
//! A file is a sequence of *members*, as gzip calls them (frames of Zstandard, streams of bzip2), which are decompressed one after the
//! other, or by several threads: each can be read on its own, and is found by the bytes that it begins with. Another format needs a row
//! in [`CODECS`].

use bzip2::bufread::BzDecoder;
use flate2::bufread::GzDecoder;
use memchr::memmem;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::io::{self, Read};
use std::ops::RangeInclusive;
use zstd::stream::read::Decoder as ZstdDecoder;

use super::input::Input;
use crate::formats::coding::{begins_bzip2, begins_zstd};

/// How a file is compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    /// Its row in the table.
    row: usize,
}

/// A format of compressed files.
pub(crate) struct Codec {
    /// The name in receipts, and the one in messages.
    id: &'static str,
    name: &'static str,
    /// The extension of file names, with its dot.
    pub extension: &'static str,
    /// Whether a file or a member begins with these bytes, of which [`HEAD`] are there.
    begins: fn(&[u8]) -> bool,
    /// The rarest bytes that all members begin with, and how many bytes precede them; none if a file is read from its start only.
    marks: &'static [(&'static [u8], usize)],
    /// Whether zeros may follow the last member, up to the end of the file.
    pub(super) padding: bool,
    /// The most bytes that a decompressor takes for a file that was compressed with its format's default settings, and a little
    /// more.
    pub usual_memory: u64,
    /// Whether some files ask for more.
    pub asks_for_memory: bool,
    /// Begins to decompress a member, with a dictionary that may be empty.
    pub(super) open: OpenMember,
}

type OpenMember = for<'r> fn(Input<'r>, &[u8]) -> io::Result<Box<dyn Member<'r> + 'r>>;

/// A member that is being decompressed. With a dictionary, which takes long to load, it may be all members.
pub(super) trait Member<'r>: Read + Send {
    fn input(&self) -> &Input<'r>;
    fn into_input(self: Box<Self>) -> Input<'r>;
}

static CODECS: &[Codec] = &[
    // RFC 1952.
    Codec {
        id: "gzip",
        name: "gzip",
        extension: ".gz",
        begins: |start| start.starts_with(b"\x1f\x8b\x08"),
        marks: &[(b"\x1f\x8b\x08", 0)],
        padding: true,
        usual_memory: 128 << 10,
        asks_for_memory: false,
        open: |input, _| Ok(Box::new(GzDecoder::new(input))),
    },
    // RFC 8878. The first frame may be a skippable one.
    Codec {
        id: "zstd",
        name: "Zstandard",
        extension: ".zst",
        begins: begins_zstd,
        marks: &[(b"\xb5\x2f\xfd", 1), (b"\x2a\x4d\x18", 1)],
        padding: false,
        // The window of `zstd -19`.
        usual_memory: 8 << 20,
        asks_for_memory: true,
        open: open_zstd,
    },
    // After the letters and the block size comes pi, for a block, or its square root, for the end.
    Codec {
        id: "bzip2",
        name: "bzip2",
        extension: ".bz2",
        begins: |start| start.len() >= HEAD && begins_bzip2(start),
        marks: &[(b"BZh", 0)],
        padding: false,
        usual_memory: 4 << 20,
        asks_for_memory: false,
        open: |input, _| Ok(Box::new(BzDecoder::new(input))),
    },
];

/// The largest window that `zstd` decompresses by default.
pub(crate) const DEFAULT_WINDOW: u64 = 1 << 27;

/// The window sizes that the decompressor of Zstandard supports, in bits.
const WINDOW_BITS: RangeInclusive<u32> = 10..=if usize::BITS == 64 { 31 } else { 30 };

fn open_zstd<'r>(input: Input<'r>, dictionary: &[u8]) -> io::Result<Box<dyn Member<'r> + 'r>> {
    // The largest window, as a power of two, for the memory that it may take.
    let bits = input.memory.max(1).ilog2().clamp(*WINDOW_BITS.start(), *WINDOW_BITS.end());
    let mut decoder = ZstdDecoder::with_dictionary(input, dictionary)?;
    decoder.window_log_max(bits)?;
    Ok(Box::new(if dictionary.is_empty() { decoder.single_frame() } else { decoder }))
}

impl<'r> Member<'r> for GzDecoder<Input<'r>> {
    fn input(&self) -> &Input<'r> {
        self.get_ref()
    }

    fn into_input(self: Box<Self>) -> Input<'r> {
        self.into_inner()
    }
}

impl<'r> Member<'r> for ZstdDecoder<'static, Input<'r>> {
    fn input(&self) -> &Input<'r> {
        self.get_ref()
    }

    fn into_input(self: Box<Self>) -> Input<'r> {
        self.finish()
    }
}

impl<'r> Member<'r> for BzDecoder<Input<'r>> {
    fn input(&self) -> &Input<'r> {
        self.get_ref()
    }

    fn into_input(self: Box<Self>) -> Input<'r> {
        self.into_inner()
    }
}

/// Bytes needed to recognise how a file is compressed, and where a member may begin.
pub(super) const HEAD: usize = 10;

impl Compression {
    /// The compression of a file that begins with these bytes; `None` if it is not one of these formats.
    pub fn of(start: &[u8]) -> Option<Compression> {
        Compression::all().find(|compression| (compression.codec().begins)(start))
    }

    /// All formats.
    pub(crate) fn all() -> impl Iterator<Item = Compression> {
        (0..CODECS.len()).map(|row| Compression { row })
    }

    /// Its row in the table.
    pub(crate) fn codec(self) -> &'static Codec {
        &CODECS[self.row]
    }

    /// The name of the format.
    pub fn name(self) -> &'static str {
        self.codec().name
    }

    /// The first place in `bytes` where a member may begin, of which [`HEAD`] bytes are there.
    pub(super) fn first_head(self, bytes: &[u8]) -> Option<usize> {
        let first = |&(mark, before): &(&[u8], usize)| {
            let mut heads = memmem::find_iter(bytes, mark).filter_map(|at| at.checked_sub(before));
            heads.find(|&at| bytes.get(at..at + HEAD).is_some_and(self.codec().begins))
        };
        self.codec().marks.iter().filter_map(first).min()
    }
}

impl Serialize for Compression {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.codec().id)
    }
}

impl<'de> Deserialize<'de> for Compression {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Compression, D::Error> {
        let id = String::deserialize(deserializer)?;
        let found = Compression::all().find(|compression| compression.codec().id == id);
        found.ok_or_else(|| serde::de::Error::custom(format!("the compression {id:?} is unknown")))
    }
}
