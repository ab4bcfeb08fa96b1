//! Lists that can be read only once: pipes, devices, standard input.
//!
//! A stream can be given up while it keeps its reader waiting.
//!
//! All lists are looked into at the start, but read in turn. The bytes taken from a stream to look into it are kept, and read
//! again in its turn.

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use super::decoded::Decoder;
use super::reader::{Begin, Content, ListReader, start};
use super::regular::Regular;
use crate::formats::compression::{Compression, Peeked, Reader};
use crate::input::error::{ListError, unreadable};
use crate::input::layout::UrlField;
use crate::lock::lock;

/// The decompressed text of a stream.
type Text = Reader<Box<dyn Read + Send>>;

/// A list that comes as a stream.
pub(crate) struct Stream {
    pub compression: Option<Compression>,
    /// Until it is read: the bytes looked at, and the rest.
    text: Mutex<Option<(Vec<u8>, Text)>>,
    /// Whether it has ended without a byte, as an empty file does; so much can be read again.
    is_empty: AtomicBool,
}

impl Stream {
    /// Reads from `source`, with `memory` bytes for the decompressor.
    pub fn new(source: Box<dyn Read + Send>, memory: u64) -> io::Result<Stream> {
        let text = Reader::within(source, memory)?;
        Ok(Stream {
            compression: text.compression(),
            text: Mutex::new(Some((Vec::new(), text))),
            is_empty: AtomicBool::new(false),
        })
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
        self.is_empty.store(looked_at.is_empty(), Ordering::Relaxed);
        Ok(looked_at.clone())
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        if self.is_empty.load(Ordering::Relaxed) {
            return Decoder::of_stream(begin.path, Box::new(io::empty())).after_head(begin);
        }
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

/// Standard input; it fails once `interrupt` is set.
#[cfg(unix)]
pub(super) fn standard_input(interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    match interrupt {
        // Past the buffer of the standard library, whose bytes `poll` does not see.
        Some(_) => Ok(stream(File::from(io::stdin().as_fd().try_clone_to_owned()?), interrupt)),
        None => Ok(Box::new(io::stdin())),
    }
}

#[cfg(not(unix))]
pub(super) fn standard_input(_interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}

/// A stream; it fails once `interrupt` is set.
#[cfg(unix)]
pub(super) fn stream(stream: File, interrupt: Option<&Arc<AtomicBool>>) -> Box<dyn Read + Send> {
    match interrupt.cloned() {
        Some(interrupt) => Box::new(Interruptible { stream, interrupt }),
        None => Box::new(stream),
    }
}

#[cfg(not(unix))]
pub(super) fn stream(stream: File, _interrupt: Option<&Arc<AtomicBool>>) -> Box<dyn Read + Send> {
    Box::new(stream)
}

/// The longest wait before the flag is looked at again. A signal handler can set a flag, but not wake the thread that reads.
#[cfg(unix)]
const LOOK_AGAIN: Timespec = Timespec { tv_sec: 0, tv_nsec: 100_000_000 };

/// A stream that fails once a flag is set, even if it has nothing to read.
#[cfg(unix)]
struct Interruptible {
    stream: File,
    interrupt: Arc<AtomicBool>,
}

#[cfg(unix)]
impl Read for Interruptible {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        while !self.interrupt.load(Ordering::Relaxed) {
            match poll(&mut [PollFd::new(&self.stream, PollFlags::IN)], Some(&LOOK_AGAIN)) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return self.stream.read(bytes),
                Err(error) => return Err(error.into()),
            }
        }
        // Not `ErrorKind::Interrupted`, after which readers try again.
        Err(io::Error::other("the run was asked to end"))
    }
}
