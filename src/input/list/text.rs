//! Lists that are text: a plain file, [memory-mapped](super::regular::Mapped) and cut in place or read by ranges; or text that is decoded
//! into buffers, of a compressed file or of a stream, which can be read only once: a pipe, a device, standard input.
//!
//! A stream can be given up while it keeps its reader waiting. All lists are looked into at the start, but read in turn: the bytes
//! taken from a stream to look into it are kept, and read again in its turn.

#[cfg(unix)]
use rustix::event::{PollFd, PollFlags, Timespec, poll};
#[cfg(unix)]
use rustix::io::Errno;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::mem::{swap, take};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::line_ends::{Buffer, Patience, chunk_end, fill};
use super::reader::{Begin, Content, ListReader, Next, ReadLimits, Text, start};
use super::regular::{Mapped, Regular};
use super::short_lines::{LongLines, ShortLines};
use crate::formats::compression::{Compression, InPieces, Peeked, Reader};
use crate::formats::made_ahead::Ahead;
use crate::formats::seekable::FileAt;
use crate::input::error::{ListError, SkippedPart, unreadable};
use crate::input::layout::UrlField;
use crate::lock::{Mutex, lock};

/// A compressed file.
pub(super) struct CompressedFile {
    pub file: Regular,
    pub compression: Compression,
}

impl Content for CompressedFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        start(&mut self.file.text(&AtomicU64::new(0))?, url_field)
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let &Begin { path, source, memory, room, .. } = &begin;
        if let Ok(Some(pieces)) = self.file.pieces(self.compression, memory, room) {
            let pieces = Arc::new(pieces);
            let ahead = Arc::clone(&pieces) as Ahead<'l>;
            let decoder = Decoder::new(path, Box::new(InPieces::new(pieces, source)));
            return Decoder { ahead: Some(ahead), ..decoder }.after_head(begin);
        }
        // An error is met again.
        let text = self.file.text_within(source, memory).map_err(|error| unreadable(path, error))?;
        Decoder::new(path, Box::new(text)).after_head(begin)
    }

    fn seekable(&self) -> io::Result<Regular> {
        Regular::copy_of(self.file.text(&AtomicU64::new(0))?)
    }
}

/// Cuts a text that comes in order.
pub(super) struct Decoder<'l> {
    /// The list's path.
    path: &'l Path,
    text: DecodedText<'l>,
    /// The bytes of the text that were given, without those left out.
    given: u64,
    /// The lines left out before or in the last chunk.
    left_out: Vec<SkippedPart>,
    /// Whether it may keep its lines waiting, as only a pipe or a device does.
    is_stream: bool,
    /// What was read past the last chunk.
    rest: Vec<u8>,
    /// The pieces of the text that other workers can help to make.
    ahead: Option<Ahead<'l>>,
}

impl<'l> Decoder<'l> {
    /// Of the text of the file at `path`.
    pub fn new(path: &'l Path, text: Box<dyn Read + Send + 'l>) -> Decoder<'l> {
        let text = DecodedText::Whole(text);
        Decoder { path, text, given: 0, left_out: Vec::new(), is_stream: false, rest: Vec::new(), ahead: None }
    }

    /// Of a text that comes through a pipe or from a device.
    pub fn of_stream(path: &'l Path, text: Box<dyn Read + Send + 'l>) -> Decoder<'l> {
        Decoder { is_stream: true, ..Decoder::new(path, text) }
    }

    /// Begins after the head line.
    pub fn after_head(mut self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let head = io::copy(&mut self.text.by_ref().take(begin.head_length as u64), &mut io::sink());
        head.map_err(|error| unreadable(self.path, error))?;
        Ok(Box::new(self.without_long_lines(0, begin.long_lines)))
    }

    /// Leaves out lines that are too long, if that is asked for, of a text that goes on at byte `at`.
    fn without_long_lines(self, at: u64, long: Option<LongLines>) -> Decoder<'l> {
        let text = match (self.text, long) {
            (DecodedText::Whole(text), Some(long)) => DecodedText::Short(Box::new(ShortLines::new(text, at, long))),
            (text, _) => text,
        };
        Decoder { text, ..self }
    }

    /// Takes the lines left out before what comes next, and returns their bytes.
    fn leave_out(&mut self) -> u64 {
        let DecodedText::Short(text) = &mut self.text else { return 0 };
        let parts = text.take_before(self.given);
        let bytes = parts.iter().filter_map(|part| part.bytes).sum();
        self.left_out.extend(parts);
        bytes
    }
}

impl<'l> ListReader<'l> for Decoder<'l> {
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
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
        buffer.left_out = self.leave_out();
        if !filled.map_err(|error| unreadable(self.path, error))? {
            return Ok(Next::End);
        }
        Ok(Next::Chunk(Text::Read(take(buffer))))
    }

    fn ahead(&self) -> Option<Ahead<'l>> {
        self.ahead.clone()
    }

    fn take_left_out(&mut self) -> Vec<SkippedPart> {
        take(&mut self.left_out)
    }
}

/// A text that is decoded.
enum DecodedText<'l> {
    Whole(Box<dyn Read + Send + 'l>),
    /// Without lines that are too long.
    Short(Box<ShortLines<Box<dyn Read + Send + 'l>>>),
}

impl Read for DecodedText<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        match self {
            DecodedText::Whole(text) => text.read(bytes),
            DecodedText::Short(text) => text.read(bytes),
        }
    }
}

/// The decompressed text of a stream.
type StreamText = Reader<'static>;

/// A list that comes as a stream.
pub(crate) struct Stream {
    pub compression: Option<Compression>,
    /// Until it is read: the bytes looked at, and the rest.
    text: Mutex<Option<(Vec<u8>, StreamText)>>,
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
    fn text(&self) -> io::Result<Peeked<StreamText>> {
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

    fn seekable(&self) -> io::Result<Regular> {
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

/// A file that is stored as its text.
pub(super) struct PlainFile {
    pub map: Option<Mapped>,
    pub file: Regular,
}

impl Content for PlainFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn is_plain(&self) -> bool {
        true
    }

    fn mapped(&self) -> Option<&Mapped> {
        self.map.as_ref()
    }

    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        start(&mut BufReader::new(self.file.from(0)?), url_field)
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let Begin { path, at, end, skips_bad, source, long_lines, .. } = begin;
        if skips_bad {
            // Read the file, not the map: a failure is then an I/O error instead of a signal.
            let part = self.file.part(at, end as u64, source).map_err(|error| unreadable(path, error))?;
            return Ok(Box::new(Decoder::new(path, Box::new(part)).without_long_lines(at, long_lines)));
        }
        if let Some(map) = &self.map {
            return Ok(Box::new(MappedReader { text: &map[..end], at: at as usize, source }));
        }
        let text = self.file.from(0).map_err(|error| unreadable(path, error))?;
        Ok(Box::new(RangeReader { path, text, at, end: end as u64, source }))
    }

    fn seekable(&self) -> io::Result<Regular> {
        Ok(self.file.clone())
    }
}

/// Cuts a mapped text in place.
struct MappedReader<'l> {
    /// The whole text, up to where it is to be read.
    text: &'l [u8],
    at: usize,
    source: &'l AtomicU64,
}

impl<'l> ListReader<'l> for MappedReader<'l> {
    fn next(&mut self, wanted: ReadLimits, _: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
        let chunk = &self.text[self.at..chunk_end(self.text, self.at, wanted.size)];
        self.at += chunk.len();
        self.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
        Ok(if chunk.is_empty() { Next::End } else { Next::Chunk(Text::Mapped(chunk)) })
    }
}

/// How many bytes are read at a time beyond a chunk's size, to find the end of its last line.
const TO_LINE_END: u64 = 4 << 10;

/// Reads a plain file by ranges, into buffers. Chunks end where they do in a mapped text.
struct RangeReader<'l> {
    path: &'l Path,
    /// The file, from its start.
    text: FileAt<Arc<File>>,
    at: u64,
    /// Where it is to be read to.
    end: u64,
    source: &'l AtomicU64,
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
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
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
