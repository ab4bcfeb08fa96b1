//! Opens lists of every kind.

use serde::{Deserialize, Serialize};
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::beginning::{LIST_FORMAT, STANDARD_INPUT, start, unreadable};
#[cfg(unix)]
use super::interruptible::Interruptible;
use super::mapped::Mapped;
use super::regular::{FileState, Regular};
use super::stream::Stream;
use super::{ParquetLines, ParquetList};
use crate::formats::compression::{Compression, InPieces, Reader};
use crate::formats::made_ahead::Ahead;
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::input::error::ListError;
use crate::input::layout::{Layout, MARK, UrlField};
use crate::input::skipped::SkippedPart;

/// A list, opened.
pub(crate) struct List {
    pub path: PathBuf,
    /// Its compression, if any.
    pub compression: Option<Compression>,
    /// Where the URL is in its lines.
    pub layout: Layout,
    /// Its head line, which does not count as a line of the list, with an LF at its end; empty if there is none.
    pub head: Vec<u8>,
    /// The length of the head line in the list.
    pub head_length: usize,
    /// Whether the list is empty, without even a head line.
    pub is_empty: bool,
    /// Whether unreadable parts are left out.
    pub skips_bad: bool,
    pub(crate) content: Content,
    /// The part of its file to read, if not all of it. A list that is not memory-mapped is read all or not at all.
    part: Option<Range<usize>>,
}

/// The part of a list that a shard read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ListRange {
    /// Where its first line begins.
    pub start: u64,
    /// The byte after its last line.
    pub end: u64,
}

pub(crate) enum Content {
    Mapped {
        map: Mapped,
        file: Regular,
    },
    Compressed(Regular),
    /// A Parquet file, or a copy of one that was compressed or came through a pipe.
    Parquet {
        file: Regular,
        table: Box<ParquetList>,
    },
    /// A list that cannot be read at all, and why.
    Unreadable(String),
    /// A list that can be read only once.
    Stream(Box<Stream>),
}

/// A list that is being read.
pub(crate) enum Reading<'l> {
    /// The whole text, up to where it is to be read; its lines begin at the start of [`List::range`].
    Mapped(&'l [u8]),
    /// The text, as a stream.
    Stream(Box<dyn Read + Send + 'l>),
    /// The rows of a table.
    Parquet(Box<ParquetLines<'l>>),
}

/// The result of opening a path.
enum Opened {
    /// A regular file, mapped or compressed, or a list that cannot be opened.
    Known(Option<Compression>, Content),
    /// A pipe, a device or standard input; also a file that claims to be empty, as those in `/proc` do.
    Stream(Box<dyn Read + Send>),
}

impl List {
    /// Opens all lists before looking into any: a program that feeds several pipes may wait until all are open. `-` is standard
    /// input. Decompressors take at most `memory` bytes. With `skips_bad`, a list that cannot be opened is left out, and so is
    /// the rest of a damaged one. Reading a stream fails once `interrupt` is set, even if it has nothing to read.
    pub fn open_all(
        paths: &[PathBuf],
        url_field: &UrlField,
        memory: u64,
        skips_bad: bool,
        interrupt: Option<&Arc<AtomicBool>>,
    ) -> Result<Vec<List>, ListError> {
        if paths.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
            return Err(ListError::StandardInputTwice);
        }
        let open = |path: &PathBuf| match Opened::at(path, memory, interrupt) {
            Err(error) if skips_bad => Ok(Opened::Known(None, Content::Unreadable(error.to_string()))),
            opened => opened.map_err(|error| unreadable(path, error)),
        };
        let opened: Vec<Opened> = paths.iter().map(open).collect::<Result<_, _>>()?;
        let examine =
            |(path, opened): (&PathBuf, Opened)| match List::examine(path, opened, url_field, memory, skips_bad) {
                Err(failure) if skips_bad && failure.is_bad_list() => {
                    let content = Content::Unreadable(failure.problem());
                    Ok(List { skips_bad, is_empty: true, ..List::plain(path, None, content) })
                }
                looked => looked.map(|list| List { skips_bad, ..list }),
            };
        paths.iter().zip(opened).map(examine).collect()
    }

    /// A list without a head line, in which each line is a URL.
    fn plain(path: &Path, compression: Option<Compression>, content: Content) -> List {
        List {
            path: path.to_owned(),
            compression,
            layout: Layout::Whole,
            head: Vec::new(),
            head_length: 0,
            is_empty: false,
            skips_bad: false,
            content,
            part: None,
        }
    }

    /// Opens one list, whose lines are taken as they are.
    pub fn open(path: &Path) -> Result<List, ListError> {
        let any = UrlField::default();
        let content = Opened::at(path, u64::MAX, None).and_then(|opened| {
            let (compression, content) = opened.content(u64::MAX)?;
            let is_empty = content.start(&any)?.is_empty();
            Ok((compression, is_empty, content))
        });
        let (compression, is_empty, content) = content.map_err(|error| unreadable(path, error))?;
        Ok(List { is_empty, ..List::plain(path, compression, content) })
    }

    fn examine(
        path: &Path,
        opened: Opened,
        url_field: &UrlField,
        memory: u64,
        skips_bad: bool,
    ) -> Result<List, ListError> {
        let (compression, content) = opened.content(memory).map_err(|error| unreadable(path, error))?;
        let start = content.start(url_field).map_err(|error| unreadable(path, error))?;
        if start.starts_with(PARQUET_MARK) {
            return List::table(path, compression, content, url_field);
        }
        let known = url_field.layout(&start);
        // If the start is lost, the layout found may be wrong.
        match content.unchanged(path) {
            Err(ListError::Cut { .. }) if skips_bad => {}
            unchanged => unchanged?,
        }
        let (layout, head) = known.map_err(|error| ListError::UrlField { path: path.to_owned(), error })?;
        let (head_length, is_empty) = (head.len(), start.is_empty());
        let mut head = head.to_vec();
        if !head.is_empty() && !head.ends_with(b"\n") {
            head.push(b'\n');
        }
        Ok(List { layout, head, head_length, is_empty, ..List::plain(path, compression, content) })
    }

    fn table(
        path: &Path,
        compression: Option<Compression>,
        content: Content,
        url_field: &UrlField,
    ) -> Result<List, ListError> {
        let file = content.seekable().map_err(|error| unreadable(path, error))?;
        // Problems should be reported before the run begins.
        let own = file.file.try_clone().map_err(|error| unreadable(path, error))?;
        let table = Box::new(ParquetList::open(path, own, url_field)?);
        let content = Content::Parquet { file, table };
        Ok(List::plain(path, compression, content))
    }

    /// The name of its format in receipts.
    pub fn format(&self) -> &'static str {
        match &self.content {
            Content::Parquet { .. } => LIST_FORMAT,
            _ => self.layout.name(),
        }
    }

    /// The whole text of a memory-mapped list; `None` for any other.
    pub fn mapped(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Mapped { map, .. } => Some(map),
            _ => None,
        }
    }

    /// Whether it can be read only once.
    pub fn is_stream(&self) -> bool {
        matches!(self.content, Content::Stream(_))
    }

    /// Whether its text is decoded from a file: at some cost, but as often as needed.
    pub fn is_decoded(&self) -> bool {
        matches!(self.content, Content::Compressed(_) | Content::Parquet { .. })
    }

    /// The table, if the list is one.
    pub fn parquet_list(&self) -> Option<&ParquetList> {
        match &self.content {
            Content::Parquet { table, .. } => Some(table),
            _ => None,
        }
    }

    /// Length of the byte order mark before the first URL of a chunk that begins at `at`. Only the start of a text has one.
    pub fn mark(&self, at: u64, chunk: &[u8]) -> usize {
        let is_start = at == 0 && self.head.is_empty() && !matches!(self.content, Content::Parquet { .. });
        if is_start && chunk.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Whether it is a file without bytes.
    pub fn is_empty_file(&self) -> bool {
        let is_file = || std::fs::metadata(&self.path).is_ok_and(|metadata| metadata.is_file());
        self.is_empty && self.path.as_os_str() != STANDARD_INPUT && is_file()
    }

    /// Why none of it can be read, so that all of it is left out, if that is the case.
    pub fn unreadable(&self) -> Option<&str> {
        match &self.content {
            Content::Unreadable(problem) => Some(problem),
            _ => None,
        }
    }

    /// The state of its file, to detect a change when it is read again; `None` if it cannot be read again.
    pub fn file_state(&self) -> Option<FileState> {
        match &self.content {
            // A table may be a copy of bytes that came through a pipe.
            Content::Parquet { file, .. } if !file.is_at(&self.path) => None,
            Content::Mapped { file, .. } | Content::Compressed(file) | Content::Parquet { file, .. } => {
                Some(file.state.clone())
            }
            Content::Unreadable(_) => FileState::at(&self.path),
            Content::Stream(_) => self.is_empty_file().then_some(FileState { length: 0, modified: None }),
        }
    }

    /// How many bytes of its file are read; `None` for a stream.
    pub fn source_length(&self) -> Option<u64> {
        match &self.content {
            Content::Mapped { .. } => Some(self.range().len() as u64),
            Content::Compressed(_) | Content::Parquet { .. } if self.is_in_other_shards() => Some(0),
            Content::Compressed(file) | Content::Parquet { file, .. } => Some(file.state.length),
            Content::Unreadable(_) => Some(0),
            Content::Stream(_) => None,
        }
    }

    /// Restricts reading to this part of its file, without the head line. A list that is not memory-mapped is read all or not
    /// at all.
    pub fn cut_to(&mut self, part: Range<usize>) {
        let head = if self.mapped().is_some() { self.head_length } else { 0 };
        self.part = Some(part.start.max(head)..part.end.max(head));
    }

    /// Whether only other shards read this list.
    pub fn is_in_other_shards(&self) -> bool {
        let is_whole = matches!(self.content, Content::Compressed(_) | Content::Parquet { .. });
        is_whole && self.part.as_ref().is_some_and(Range::is_empty)
    }

    /// Restricts reading to the part named in a shard's receipt, of a list that had `had` bytes then. Returns the problem if
    /// that part no longer exists.
    pub fn cut_again(&mut self, range: &ListRange, had: u64) -> Option<String> {
        let length = self.file_state().map_or(0, |state| state.length);
        if length != had || range.start > range.end || range.end > length {
            return Some(format!("the list had {had} bytes, now it has {length}"));
        }
        let is_all_or_nothing = range.start == range.end || (range.start, range.end) == (0, length);
        if self.mapped().is_none() && !is_all_or_nothing {
            return Some("a part of a compressed list cannot be read by itself".to_owned());
        }
        self.cut_to(range.start as usize..range.end as usize);
        None
    }

    /// Leaves out exactly the rows of a table that a receipt names. Returns the problem if the receipt cannot be of this table.
    pub fn leave_out(&mut self, parts: &[SkippedPart]) -> Option<String> {
        match &mut self.content {
            Content::Parquet { table, .. } => table.leave_out(parts),
            _ => None,
        }
    }

    /// The part of a memory-mapped list that is read; empty for any other list.
    pub fn range(&self) -> Range<usize> {
        let Some(text) = self.mapped() else { return 0..0 };
        self.part.clone().unwrap_or(self.head_length..text.len())
    }

    /// Where its first chunk begins.
    pub fn start(&self) -> u64 {
        self.range().start as u64
    }

    /// The part that the list was [cut to](List::cut_to), for a shard's receipt.
    pub fn shard_range(&self) -> Option<ListRange> {
        self.part.as_ref().map(|part| ListRange { start: part.start as u64, end: part.end as u64 })
    }

    /// Begins to read the list, and returns the pieces of it that other workers can help to make: of a compressed file, each
    /// with `memory` bytes for its decompressor, or of a table. Their texts share `room` bytes. A list without pieces is read
    /// in sequence, a memory-mapped one from byte `at` on. The bytes taken from its file are added to `source`.
    pub fn read<'l>(
        &'l self,
        at: u64,
        source: &'l AtomicU64,
        memory: u64,
        room: u64,
    ) -> Result<(Reading<'l>, Option<Ahead<'l>>), ListError> {
        let failed = |error| unreadable(&self.path, error);
        let mut ahead: Option<Ahead<'l>> = None;
        let mut stream: Box<dyn Read + Send + 'l> = match &self.content {
            // Read the file, not the map: a failure is then an I/O error instead of a signal.
            Content::Mapped { file, .. } if self.skips_bad => {
                let part = file.part(at, self.range().end as u64, source);
                return Ok((Reading::Stream(Box::new(part)), None));
            }
            Content::Mapped { map, .. } => return Ok((Reading::Mapped(&map[..self.range().end]), None)),
            Content::Compressed(file) => match self.compression.map(|kind| file.pieces(kind, memory, room)) {
                Some(Ok(Some(pieces))) => {
                    let pieces = Arc::new(pieces);
                    ahead = Some(Arc::clone(&pieces) as Ahead<'l>);
                    Box::new(InPieces::new(pieces, source))
                }
                // An error is met again.
                _ => Box::new(file.text_within(source, memory).map_err(failed)?),
            },
            Content::Unreadable(problem) => return Err(failed(io::Error::other(problem.clone()))),
            Content::Stream(stream) => Box::new(stream.text().map_err(failed)?),
            Content::Parquet { table, .. } => {
                let lines = ParquetLines::of(table, source, room);
                let ahead = lines.ahead();
                return Ok((Reading::Parquet(Box::new(lines)), ahead));
            }
        };
        io::copy(&mut stream.by_ref().take(self.head_length as u64), &mut io::sink()).map_err(failed)?;
        Ok((Reading::Stream(stream), ahead))
    }

    /// Releases a part of its text that will not be read again, if it is memory-mapped.
    pub fn release(&self, part: Range<usize>) {
        if let Content::Mapped { map, .. } = &self.content {
            map.release(part);
        }
    }

    /// Checks that the file has not changed since it was opened, and that all of it could be read: the bytes read are those of
    /// the file.
    pub fn unchanged(&self) -> Result<(), ListError> {
        match self.content.unchanged(&self.path) {
            // The rest of the file is left out.
            Err(ListError::Cut { .. }) if self.skips_bad => Ok(()),
            unchanged => unchanged,
        }
    }

    /// Makes this check if a byte of a map was found missing; costs nothing otherwise.
    pub fn nothing_lost(&self) -> Result<(), ListError> {
        if self.content.lost().is_none() { Ok(()) } else { self.unchanged() }
    }
}

/// Standard input; it fails once `interrupt` is set.
#[cfg(unix)]
fn standard_input(interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Box<dyn Read + Send>> {
    use std::os::fd::AsFd;
    match interrupt {
        // Past the buffer of the standard library, whose bytes `poll` does not see.
        Some(_) => Ok(stream(File::from(io::stdin().as_fd().try_clone_to_owned()?), interrupt)),
        None => Ok(Box::new(io::stdin())),
    }
}

#[cfg(not(unix))]
fn standard_input(_interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Box<dyn Read + Send>> {
    Ok(Box::new(io::stdin()))
}

/// A stream; it fails once `interrupt` is set.
#[cfg(unix)]
fn stream(stream: File, interrupt: Option<&Arc<AtomicBool>>) -> Box<dyn Read + Send> {
    match interrupt.cloned() {
        Some(interrupt) => Box::new(Interruptible { stream, interrupt }),
        None => Box::new(stream),
    }
}

#[cfg(not(unix))]
fn stream(stream: File, _interrupt: Option<&Arc<AtomicBool>>) -> Box<dyn Read + Send> {
    Box::new(stream)
}

impl Opened {
    fn at(path: &Path, memory: u64, interrupt: Option<&Arc<AtomicBool>>) -> io::Result<Opened> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Opened::Stream(standard_input(interrupt)?));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if is_streamed(&metadata) {
            return Ok(Opened::Stream(stream(file, interrupt)));
        }
        let file = Regular { state: FileState::of(&file)?, file, memory };
        let compression = Reader::new(&file.file)?.compression();
        if compression.is_some() {
            return Ok(Opened::Known(compression, Content::Compressed(file)));
        }
        let map = Mapped::of(&file.file)?;
        Ok(Opened::Known(None, Content::Mapped { map, file }))
    }

    /// Its content. Of a stream, just enough is read to recognise its compression.
    fn content(self, memory: u64) -> io::Result<(Option<Compression>, Content)> {
        match self {
            Opened::Known(compression, content) => Ok((compression, content)),
            Opened::Stream(stream) => {
                let stream = Stream::new(stream, memory)?;
                Ok((stream.compression, Content::Stream(Box::new(stream))))
            }
        }
    }
}

impl Content {
    /// The beginning of the text, enough of it to determine the layout.
    fn start(&self, url_field: &UrlField) -> io::Result<Vec<u8>> {
        match self {
            Content::Mapped { map, .. } => start(&mut &map[..], url_field),
            Content::Compressed(file) => start(&mut file.text(&AtomicU64::new(0))?, url_field),
            Content::Stream(stream) => stream.start(|text| start(text, url_field)),
            Content::Unreadable(_) | Content::Parquet { .. } => Ok(Vec::new()),
        }
    }

    /// The first byte of a map that was found missing, if there is one.
    pub(crate) fn lost(&self) -> Option<usize> {
        match self {
            Content::Mapped { map, .. } => map.lost(),
            _ => None,
        }
    }

    /// Checks that nothing read from it was missing, and that the file has not changed.
    fn unchanged(&self, path: &Path) -> Result<(), ListError> {
        let (Content::Mapped { file, .. } | Content::Compressed(file) | Content::Parquet { file, .. }) = self else {
            return Ok(());
        };
        // Ask before the check below: a later loss may come from a later cut.
        let lost = self.lost();
        file.unchanged(path)?;
        // The file is whole, so its storage failed.
        let failed = |at| io::Error::other(format!("its text cannot be read from byte {at} on (SIGBUS)"));
        lost.map_or(Ok(()), |at| Err(unreadable(path, failed(at))))
    }

    /// A file that can be read at any offset: the list's own if it holds the text uncompressed, else a copy of the text.
    fn seekable(self) -> io::Result<Regular> {
        match self {
            Content::Mapped { file, .. } | Content::Parquet { file, .. } => Ok(file),
            Content::Compressed(file) => Regular::copy_of(file.text(&AtomicU64::new(0))?),
            Content::Unreadable(problem) => Err(io::Error::other(problem)),
            Content::Stream(stream) => Regular::copy_of(stream.text()?),
        }
    }
}

/// Whether to read a file as a stream: it is not a regular file, or claims to be empty, as those in `/proc` do.
fn is_streamed(metadata: &Metadata) -> bool {
    !metadata.is_file() || metadata.len() == 0
}

/// The head line common to all lists; empty lists do not count.
pub(crate) fn common_head<'l>(lists: &[&'l List]) -> Result<&'l [u8], ListError> {
    let mut lists = lists.iter().filter(|list| !list.is_empty);
    let Some(one) = lists.next() else { return Ok(b"") };
    match lists.find(|other| other.head != one.head) {
        Some(other) => Err(ListError::HeadsDiffer { one: one.path.clone(), other: other.path.clone() }),
        None => Ok(&one.head),
    }
}
