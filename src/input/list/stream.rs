//! Lists that can be read only once: pipes, devices, standard input.
//!
//! All lists are looked into at the start, but read in turn. The bytes taken from a stream to look into it are kept, and read
//! again in its turn.

use std::io::{self, BufRead, Read};
use std::sync::Mutex;

use crate::formats::compression::{Compression, Peeked, Reader};
use crate::lock::lock;

/// The decompressed text of a stream.
type Text = Reader<Box<dyn Read + Send>>;

/// A list that comes as a stream.
pub(crate) struct Stream {
    pub compression: Option<Compression>,
    /// Until it is read: the bytes looked at, and the rest.
    text: Mutex<Option<(Vec<u8>, Text)>>,
}

impl Stream {
    /// Reads from `source`, with `memory` bytes for the decompressor.
    pub fn new(source: Box<dyn Read + Send>, memory: u64) -> io::Result<Stream> {
        let text = Reader::within(source, memory)?;
        Ok(Stream { compression: text.compression(), text: Mutex::new(Some((Vec::new(), text))) })
    }

    /// The start of its text, as far as `take` reads it.
    pub fn start(&self, take: impl FnOnce(&mut dyn BufRead) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let mut text = lock(&self.text);
        let (start, rest) = text.as_mut().ok_or_else(read_before)?;
        start.extend(take(rest)?);
        Ok(start.clone())
    }

    /// Its decompressed text; can be taken only once.
    pub fn text(&self) -> io::Result<Peeked<Text>> {
        let (start, rest) = lock(&self.text).take().ok_or_else(read_before)?;
        Ok(io::Cursor::new(start).chain(rest))
    }
}

fn read_before() -> io::Error {
    io::Error::other("it can be read only once")
}
