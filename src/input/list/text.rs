//! Reads lists that are text: a plain file, [memory-mapped](super::regular::Mapped) and cut in place or read by ranges; or text that is
//! decoded into buffers, of a compressed file or of a stream, which can be read only once: a pipe, a device, standard input.
//!
//! A stream can be given up while it keeps its reader waiting.

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, Read};
use std::mem::{swap, take};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::line_ends::{Buffer, Patience, chunk_end, fill};
use super::reader::{ListReader, Next, ReadLimits, Text};
use super::short_lines::{LongLines, ShortLines};
use crate::error::run::Error;
use crate::formats::made_ahead::Ahead;
use crate::formats::seekable::FileAt;
use crate::input::error::unreadable;

/// Cuts a text that comes in order.
pub(super) struct Decoder<'l> {
    /// The list's path.
    path: &'l Path,
    text: ShortLines<Box<dyn Read + Send + 'l>>,
    /// The bytes of the text that were given, without those left out.
    given: u64,
    /// Whether it may keep its lines waiting, as only a pipe or a device does.
    pub is_stream: bool,
    /// What was read past the last chunk.
    rest: Vec<u8>,
    /// The pieces of the text that other workers can help to make.
    pub ahead: Option<Ahead<'l>>,
}

impl<'l> Decoder<'l> {
    /// Of the text of the file at `path`, which goes on at byte `at` after its head line of so many bytes. Leaves out lines that are too
    /// long, if that is asked for.
    pub fn new(
        path: &'l Path,
        mut text: Box<dyn Read + Send + 'l>,
        head_length: usize,
        at: u64,
        long: Option<LongLines>,
    ) -> Result<Decoder<'l>, Error> {
        let head = io::copy(&mut text.by_ref().take(head_length as u64), &mut io::sink());
        head.map_err(|error| unreadable(path, error))?;
        let text = ShortLines::new(text, at, long);
        Ok(Decoder { path, text, given: 0, is_stream: false, rest: Vec::new(), ahead: None })
    }
}

impl<'l> ListReader<'l> for Decoder<'l> {
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, Error> {
        let patience = if self.is_stream { wanted.patience } else { Patience::UntilFull };
        let filled = fill(&mut self.text, wanted.size, wanted.longest, patience, &mut self.rest, &mut buffer.bytes);
        let is_unfinished = buffer.bytes.last() != Some(&b'\n') && buffer.bytes.len() > wanted.longest;
        if filled.is_ok() && is_unfinished && !wanted.may_be_long {
            swap(&mut self.rest, &mut buffer.bytes);
            return Ok(Next::Long);
        }
        if filled.is_err() {
            // The last line was cut.
            buffer.bytes.truncate(memchr::memrchr(b'\n', &buffer.bytes).map_or(0, |end| end + 1));
        }
        self.given += buffer.bytes.len() as u64;
        buffer.left_out = self.text.take_before(self.given);
        if !filled.map_err(|error| unreadable(self.path, error))? {
            return Ok(Next::End);
        }
        Ok(Next::Chunk(Text::Read(take(buffer))))
    }

    fn ahead(&self) -> Option<Ahead<'l>> {
        self.ahead.clone()
    }
}

/// Standard input; it fails once `interrupt` is set.
#[cfg_attr(not(unix), allow(unused_variables))]
pub(super) fn standard_input(interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Box<dyn Read + Send>> {
    #[cfg(unix)]
    if interrupt.is_some() {
        // Past the buffer of the standard library, whose bytes `poll` does not see.
        return Ok(stream(File::from(std::os::fd::AsFd::as_fd(&io::stdin()).try_clone_to_owned()?), interrupt));
    }
    Ok(Box::new(io::stdin()))
}

/// A stream; it fails once `interrupt` is set.
#[cfg_attr(not(unix), allow(unused_variables))]
pub(super) fn stream(stream: File, interrupt: Option<&Arc<AtomicBool>>) -> Box<dyn Read + Send> {
    #[cfg(unix)]
    if let Some(interrupt) = interrupt.cloned() {
        return Box::new(Interruptible { stream, interrupt });
    }
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

/// Cuts a mapped text in place.
pub(super) struct MappedReader<'l> {
    /// The whole text, up to where it is to be read.
    pub text: &'l [u8],
    pub at: usize,
    pub source: &'l AtomicU64,
}

impl<'l> ListReader<'l> for MappedReader<'l> {
    fn next(&mut self, wanted: ReadLimits, _: &mut Buffer) -> Result<Next<Text<'l>>, Error> {
        let chunk = &self.text[self.at..chunk_end(self.text, self.at, wanted.size)];
        self.at += chunk.len();
        self.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        Ok(if chunk.is_empty() { Next::End } else { Next::Chunk(Text::Mapped(chunk)) })
    }
}

/// How many bytes are read at a time beyond a chunk's size, to find the end of its last line.
const TO_LINE_END: u64 = 4 << 10;

/// Reads a plain file by ranges, into buffers. Chunks end where they do in a mapped text.
pub(super) struct RangeReader<'l> {
    pub path: &'l Path,
    /// The file, from its start.
    pub text: FileAt<Arc<File>>,
    pub at: u64,
    /// Where it is to be read to.
    pub end: u64,
    pub source: &'l AtomicU64,
}

impl RangeReader<'_> {
    /// Reads the whole lines that begin in the next bytes. Returns false if that is [long](Next::Long), and may not be; a last line that
    /// is longer than any may be is not read to its end.
    fn read(&self, wanted: ReadLimits, bytes: &mut Vec<u8>) -> io::Result<bool> {
        let mut text = self.text.from(self.at).take(self.end - self.at);
        bytes.reserve_exact((wanted.size as u64).min(text.limit()) as usize);
        text.by_ref().take(wanted.size as u64).read_to_end(bytes)?;
        let last_line = memchr::memrchr(b'\n', bytes).map_or(0, |end| end + 1);
        while bytes.last().is_some_and(|&last| last != b'\n') && text.limit() > 0 {
            if bytes.len() > wanted.longest && !wanted.may_be_long {
                return Ok(false);
            }
            if bytes.len() - last_line > wanted.longest {
                break;
            }
            // Not twice as much: a long line may take all the memory there is for it.
            let step = TO_LINE_END.max(bytes.len() as u64 / 8).min(text.limit());
            let searched = bytes.len();
            bytes.reserve_exact(step as usize);
            text.by_ref().take(step).read_to_end(bytes)?;
            if let Some(end) = memchr::memchr(b'\n', &bytes[searched..]) {
                bytes.truncate(searched + end + 1);
            }
        }
        Ok(true)
    }
}

impl<'l> ListReader<'l> for RangeReader<'l> {
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, Error> {
        let may_be = self.read(wanted, &mut buffer.bytes).map_err(|error| unreadable(self.path, error))?;
        if !may_be {
            buffer.clear();
            return Ok(Next::Long);
        }
        let length = buffer.bytes.len() as u64;
        self.at += length;
        self.source.fetch_add(length, Ordering::Relaxed);
        Ok(if length == 0 { Next::End } else { Next::Chunk(Text::Read(take(buffer))) })
    }
}
