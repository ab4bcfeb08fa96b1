//! Lists that can be read only once: pipes, devices, standard input.
//!
//! All lists are looked into at the start, but read one after the other. What was taken of a stream to look into it is kept
//! and read again when its turn is there.

use std::io::{self, BufRead, Read};
use std::sync::{Mutex, MutexGuard};

use crate::formats::compression::{Compression, Peeked, Reader};
use crate::lock::lock;

/// The text of a stream, decompressed.
type Text = Reader<Box<dyn Read + Send>>;

/// A list that comes as a stream.
pub(crate) struct Stream {
    pub compression: Option<Compression>,
    /// Until it is read: what was looked at, and what follows.
    text: Mutex<Option<(Vec<u8>, Text)>>,
}

impl Stream {
    /// Of what `source` gives, with a decompressor that takes so much memory.
    pub fn new(source: Box<dyn Read + Send>, memory: u64) -> io::Result<Stream> {
        let text = Reader::within(source, memory)?;
        Ok(Stream { compression: text.compression(), text: Mutex::new(Some((Vec::new(), text))) })
    }

    fn lock(&self) -> MutexGuard<'_, Option<(Vec<u8>, Text)>> {
        lock(&self.text)
    }

    /// The start of its text, as far as `take` takes it.
    pub fn start(&self, take: impl FnOnce(&mut dyn BufRead) -> io::Result<Vec<u8>>) -> io::Result<Vec<u8>> {
        let mut text = self.lock();
        let (start, rest) = text.as_mut().ok_or_else(read_before)?;
        start.extend(take(rest)?);
        Ok(start.clone())
    }

    /// Its text, decompressed; it can be had once.
    pub fn text(&self) -> io::Result<Peeked<Text>> {
        let (start, rest) = self.lock().take().ok_or_else(read_before)?;
        Ok(io::Cursor::new(start).chain(rest))
    }
}

fn read_before() -> io::Error {
    io::Error::other("it can be read only once")
}
