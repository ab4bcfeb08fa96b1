//! The content of a list: a file that is stored as its text, a compressed file, a table, or a stream.

use std::fs::{File, Metadata};
use std::io::{self, BufRead, BufReader, Cursor, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::ParquetList;
use super::regular::{Mapped, Maps, Regular};
use super::text::{standard_input, stream};
use crate::error::run::Error;
use crate::formats::STANDARD_INPUT;
use crate::formats::compression::{Compression, Reader};
use crate::formats::marks::MARKED;
use crate::input::error::unreadable;
use crate::input::layout::{LOOK, UrlField};
use crate::lock::{Mutex, lock};

/// The content of a list.
pub(super) enum Content {
    /// A file that is stored as its text, and that text if it is memory-mapped.
    Plain(Regular, Option<Mapped>),
    /// A compressed file.
    Compressed(Regular, Compression),
    /// A Parquet file, or a copy of one that was compressed or came through a pipe.
    Table(Regular, Box<ParquetList>),
    /// A pipe, a device or standard input; also a file that claims to be empty, as those in `/proc` do.
    Stream(Stream),
}

/// The text of a stream, which can be read only once; `None` once it is taken.
pub(super) type Stream = Mutex<Option<Box<dyn Read + Send>>>;

impl Content {
    /// Opens the list with this number in its job. Of a stream nothing is read yet, and reading it fails once `interrupt` is set.
    pub fn at(
        path: &Path,
        number: usize,
        maps: Option<Maps>,
        interrupt: Option<&Arc<AtomicBool>>,
    ) -> io::Result<Content> {
        let of_stream = |source| Content::Stream(Mutex::new(Some(source)));
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(of_stream(standard_input(interrupt)?));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if is_streamed(&metadata) {
            return Ok(of_stream(stream(file, interrupt)));
        }
        let compression = Reader::new(&file)?.compression();
        if let Some(compression) = compression {
            return Ok(Content::Compressed(Regular::new(file, path, number)?, compression));
        }
        let map = maps.map(|maps| Mapped::of(&file, maps)).transpose()?;
        Ok(Content::Plain(Regular::new(file, path, number)?, map))
    }

    /// The beginning of its text, enough of it to determine the layout, and its compression. What is read of a stream is kept, and read
    /// again in its turn.
    pub fn start(&self, url_field: &UrlField, memory: u64) -> io::Result<(Vec<u8>, Option<Compression>)> {
        let none = &AtomicU64::new(0);
        match self {
            Content::Plain(file, _) => Ok((start(&mut BufReader::new(file.from(0)?), url_field)?, None)),
            Content::Compressed(file, compression) => {
                Ok((start(&mut file.text(none, memory)?, url_field)?, Some(*compression)))
            }
            Content::Table(..) => Ok((Vec::new(), None)),
            Content::Stream(stream) => {
                let mut text = Reader::within(taken(stream)?, memory)?;
                let (compression, start) = (text.compression(), start(&mut text, url_field)?);
                *lock(stream) = Some(Box::new(Cursor::new(start.clone()).chain(text)));
                Ok((start, compression))
            }
        }
    }

    /// A file that can be read at any offset: its own if it holds the text uncompressed, else a copy of the text.
    pub fn seekable(self, memory: u64) -> io::Result<Regular> {
        match self {
            Content::Plain(file, _) | Content::Table(file, _) => Ok(file),
            Content::Compressed(file, _) => Regular::copy_of(file.text(&AtomicU64::new(0), memory)?),
            Content::Stream(stream) => Regular::copy_of(taken(&stream)?),
        }
    }

    /// The file that can be read again and again; `None` for what can be read only once.
    pub fn file(&self) -> Option<&Regular> {
        match self {
            Content::Plain(file, _) | Content::Compressed(file, _) | Content::Table(file, _) => Some(file),
            Content::Stream(_) => None,
        }
    }

    /// Its whole text, if that is memory-mapped.
    pub fn mapped(&self) -> Option<&Mapped> {
        if let Content::Plain(_, map) = self { map.as_ref() } else { None }
    }

    /// Checks that nothing read from it was missing, and that its file has not changed.
    pub fn unchanged(&self, path: &Path) -> Result<(), Error> {
        let Some(file) = self.file() else { return Ok(()) };
        // Ask before the check below: a later loss may come from a later cut.
        let lost = self.mapped().and_then(Mapped::lost);
        file.unchanged(path)?;
        // The file is whole, so its storage failed.
        let failed = |at| io::Error::other(format!("its text cannot be read from byte {at} on (SIGBUS)"));
        lost.map_or(Ok(()), |at| Err(unreadable(path, failed(at))))
    }
}

/// Takes the text of a stream.
pub(super) fn taken(stream: &Stream) -> io::Result<Box<dyn Read + Send>> {
    lock(stream).take().ok_or_else(|| io::Error::other("it can be read only once"))
}

/// Whether to read a file as a stream: it is not a regular file, or claims to be empty, as those in `/proc` do.
fn is_streamed(metadata: &Metadata) -> bool {
    !metadata.is_file() || metadata.len() == 0
}

/// Reads the first lines of a text, until its layout is determined, and its mark if it may be no text.
fn start(text: &mut dyn BufRead, url_field: &UrlField) -> io::Result<Vec<u8>> {
    let mut start = Vec::new();
    let mut text = text.take(LOOK as u64);
    let mut is_determined = false;
    loop {
        // Look at each line only once: a million empty lines may come before one that counts.
        let line = start.len();
        if text.read_until(b'\n', &mut start)? == 0 {
            return Ok(start);
        }
        is_determined |= url_field.is_determined_by(&start[line..]);
        // A mark may go on after a line feed. Nothing else waits for more than it needs: it may come through a pipe.
        if is_determined && (start.len() >= MARKED || !may_be_binary(&start)) {
            return Ok(start);
        }
    }
}

/// Whether a text that begins so may be a binary file, whose mark is yet to come.
fn may_be_binary(start: &[u8]) -> bool {
    let is_control = |byte: &u8| *byte < b' ' && !matches!(byte, b'\t' | b'\r' | b'\n');
    start.first().is_some_and(|byte| *byte >= 0x80) || start.iter().any(is_control)
}
