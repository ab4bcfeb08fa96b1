//! A compressed file, as stored.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

use super::kind::Compression;
use crate::formats::error::{Damaged, DamagedMember, WindowTooLarge};

/// Bytes read and decompressed at a time.
pub(super) const BUFFER: usize = 256 << 10;

/// The stored file, with a count of the bytes read.
pub(super) struct Input<R: Read> {
    pub text: Peeked<BufReader<StoredBytes<R>>>,
    /// How many bytes of the file were read.
    pub offset: u64,
    /// Memory for a decompressor.
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
        let read = self.fill_buf()?.read(bytes)?;
        self.consume(read);
        Ok(read)
    }
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
