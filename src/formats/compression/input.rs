//! A compressed file, as stored, with a count of the bytes read.

use std::io::{self, BufRead, BufReader, Chain, Cursor, Read};

/// Bytes read and decompressed at a time.
pub(super) const BUFFER: usize = 256 << 10;

/// The stored file, with a count of the bytes read.
pub(super) struct Input<'r> {
    pub text: Peeked<BufReader<StoredBytes<'r>>>,
    /// How many bytes of the file were read.
    pub offset: u64,
    pub memory: u64,
}

impl<'r> Input<'r> {
    /// Reads the file from byte `offset` on, which is where `file` begins.
    pub fn from(file: impl Read + Send + 'r, offset: u64, memory: u64) -> Input<'r> {
        let source = BufReader::with_capacity(BUFFER, StoredBytes::new(file));
        Input { text: Cursor::new(Vec::new()).chain(source), offset, memory }
    }

    /// Whether another member follows. Zeros after the last one, up to the end of the file, may be `padding`.
    pub fn has_more(&mut self, padding: bool) -> io::Result<bool> {
        if !padding {
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

impl BufRead for Input<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.text.fill_buf()
    }

    fn consume(&mut self, bytes: usize) {
        self.offset += bytes as u64;
        self.text.consume(bytes);
    }
}

impl Read for Input<'_> {
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
pub(super) struct StoredBytes<'r> {
    file: Box<dyn Read + Send + 'r>,
    pub failed: bool,
}

impl<'r> StoredBytes<'r> {
    pub fn new(file: impl Read + Send + 'r) -> StoredBytes<'r> {
        StoredBytes { file: Box::new(file), failed: false }
    }
}

impl Read for StoredBytes<'_> {
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
