//! Lists that can be read only once: pipes, devices, standard input.
//!
//! All lists are looked into at the start, but read in turn. The bytes taken from a stream to look into it are kept, and read
//! again in its turn.

use std::io::{self, Read};
use std::sync::Mutex;

use super::beginning::{start, unreadable};
use super::content::Content;
use super::decoded::Decoder;
use super::reader::{Begin, ListReader};
use super::regular::Regular;
use crate::formats::compression::{Compression, Peeked, Reader};
use crate::input::error::ListError;
use crate::input::layout::UrlField;
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

    /// Its decompressed text; can be taken only once.
    fn text(&self) -> io::Result<Peeked<Text>> {
        let (start, rest) = lock(&self.text).take().ok_or_else(read_before)?;
        Ok(io::Cursor::new(start).chain(rest))
    }
}

impl Content for Stream {
    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        let mut text = lock(&self.text);
        let (looked_at, rest) = text.as_mut().ok_or_else(read_before)?;
        looked_at.extend(start(rest, url_field)?);
        Ok(looked_at.clone())
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let text = self.text().map_err(|error| unreadable(begin.path, error))?;
        Decoder::of_stream(begin.path, Box::new(text)).after_head(begin)
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        Regular::copy_of(self.text()?)
    }
}

fn read_before() -> io::Error {
    io::Error::other("it can be read only once")
}
