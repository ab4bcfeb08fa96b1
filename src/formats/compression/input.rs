//! A compressed file, as stored: its format, by its first bytes, where its members may begin, and what is wrong with it.

use memchr::memmem;
use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};
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
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

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
    Damaged::caused(error) || WindowTooLarge::of(error).is_some()
}

/// Bytes read and decompressed at a time.
pub(super) const BUFFER: usize = 256 << 10;

/// The stored file, with a count of the bytes read.
pub(super) struct Input<R: Read> {
    pub text: Peeked<BufReader<StoredBytes<R>>>,
    /// How many bytes of the file were read.
    pub offset: u64,
    pub memory: u64,
}

impl<R: Read> Input<R> {
    /// Reads the file from byte `offset` on, which is where `file` begins.
    pub fn from(file: R, offset: u64, memory: u64) -> Input<R> {
        let source = BufReader::with_capacity(BUFFER, StoredBytes { file, failed: false });
        Input { text: Cursor::new(Vec::new()).chain(source), offset, memory }
    }

    /// Adds the offset to an error of the decompressor in a member, if it is known; an error of the file is returned as it is.
    pub fn with_offset(&self, error: io::Error, compression: Compression, member: Option<DamagedMember>) -> io::Error {
        if self.text.get_ref().1.get_ref().failed {
            return error;
        }
        // The library reports this in no other way.
        if compression == Compression::Zstd && error.to_string().contains("requires too much memory") {
            return io::Error::other(WindowTooLarge { limit: self.memory });
        }
        io::Error::new(error.kind(), Damaged { compression, offset: self.offset, member, error })
    }

    /// Whether another member, frame or stream follows. Zeros after the last member of gzip, up to the end of the file, are
    /// padding.
    pub fn has_more(&mut self, compression: Compression) -> io::Result<bool> {
        if compression != Compression::Gzip {
            return Ok(!self.fill_buf()?.is_empty());
        }
        let mut zeros = false;
        loop {
            let bytes = self.fill_buf()?;
            match bytes.iter().position(|&byte| byte != 0) {
                Some(0) if !zeros => return Ok(true),
                Some(_) => {
                    let problem = "bytes follow the zeros after its last member";
                    return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
                }
                None if bytes.is_empty() => return Ok(false),
                None => {
                    zeros = true;
                    let length = bytes.len();
                    self.consume(length);
                }
            }
        }
    }
}

impl<R: Read> BufRead for Input<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.text.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.text.consume(bytes);
    }
}

impl<R: Read> Read for Input<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        read_through(self, bytes)
    }
}

/// Reads as [`Read::read`] does, through the buffer of the reader.
pub(crate) fn read_through(reader: &mut impl BufRead, bytes: &mut [u8]) -> io::Result<usize> {
    let read = reader.fill_buf()?.read(bytes)?;
    reader.consume(read);
    Ok(read)
}

/// A file that remembers its own failures, so that they are not mistaken for damaged data.
pub(super) struct StoredBytes<R> {
    pub file: R,
    pub failed: bool,
}

impl<R: Read> Read for StoredBytes<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.file.read(bytes) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => {
                    self.failed |= read.is_err();
                    return read;
                }
            }
        }
    }
}

/// The first bytes of a reader, at most `most`, and a reader that still returns all bytes.
pub(crate) fn peeked<R: BufRead>(mut reader: R, most: usize) -> io::Result<(Vec<u8>, Peeked<R>)> {
    let mut start = Vec::new();
    reader.by_ref().take(most as u64).read_to_end(&mut start)?;
    Ok((start.clone(), Cursor::new(start).chain(reader)))
}

/// A reader whose first bytes have been looked at.
pub(crate) type Peeked<R> = Chain<Cursor<Vec<u8>>, R>;
