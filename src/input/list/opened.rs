//! A list, opened, whatever its kind.

use std::borrow::Cow;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::beginning::{LIST_FORMAT, STANDARD_INPUT, start, unreadable};
use super::mapped::Mapped;
use super::range::ListRange;
use super::regular::{FileState, Regular};
use super::stream::Stream;
use super::{Ahead, ParquetAhead, ParquetLines, ParquetList};
use crate::formats::compression::{Compression, InPieces, Pieces, Reader, Steady};
use crate::formats::parquet_mark::PARQUET_MARK;
use crate::input::error::ListError;
use crate::input::error::Unfit;
use crate::input::layout::{LOOK, Layout, MARK, UrlField};
use crate::input::skipped::SkippedPart;

/// A list to be read.
pub(crate) struct List {
    pub path: PathBuf,
    /// How it is compressed, if it is.
    pub compression: Option<Compression>,
    /// Where the URLs stand in its lines.
    pub layout: Layout,
    /// Its head line, which is no line of the list, with a LF after it; empty where there is none.
    pub head: Vec<u8>,
    /// How many bytes it takes in the list.
    pub head_length: usize,
    /// Whether there is nothing in it, not even a head line.
    pub is_empty: bool,
    /// Whether what cannot be read of it is left out.
    pub skips_bad: bool,
    pub(crate) content: Content,
    /// The part of its file that is read, if not all of it: of a list that is not mapped, all or nothing.
    part: Option<Range<usize>>,
}

pub(crate) enum Content {
    Mapped {
        map: Mapped,
        file: Regular,
    },
    Compressed(Regular),
    /// A Parquet file, or a copy of one that came compressed or through a pipe.
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
    /// The whole text, up to where it is read; its lines begin where [`List::range`] does.
    Mapped(&'l [u8]),
    /// The text as it comes.
    Stream(Box<dyn Read + Send + 'l>),
    /// The rows of a table.
    Parquet(Box<ParquetLines<'l>>),
}

/// The result of opening a path.
enum Opened {
    /// A regular file, mapped or compressed.
    Regular(Option<Compression>, Content),
    /// A list that cannot be opened, and why.
    Unreadable(String),
    /// A pipe or a device, or standard input; also a file that says it is empty, as those of `/proc` do.
    Stream(Box<dyn Read + Send>),
}

impl List {
    /// Opens all lists, and then looks into them: a program that feeds several pipes may wait for all to be opened.
    /// `-` is standard input. Decompressors take so much `memory` at most. With `skips_bad`, a list that cannot be opened is
    /// left out, and so is the rest of one that is damaged.
    pub fn open_all(
        paths: &[PathBuf],
        url_field: &UrlField,
        memory: u64,
        skips_bad: bool,
    ) -> Result<Vec<List>, ListError> {
        if paths.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
            return Err(ListError::StandardInputTwice);
        }
        let open = |path: &PathBuf| match Opened::at(path, memory) {
            Err(error) if skips_bad => Ok(Opened::Unreadable(error.to_string())),
            opened => opened.map_err(|error| unreadable(path, error)),
        };
        let opened: Vec<Opened> = paths.iter().map(open).collect::<Result<_, _>>()?;
        let look = |(path, opened): (&PathBuf, Opened)| match List::look(path, opened, url_field, memory, skips_bad) {
            Err(failure) if skips_bad && failure.is_bad_list() => {
                let content = Content::Unreadable(failure.problem());
                Ok(List { skips_bad, is_empty: true, ..List::plain(path, None, content) })
            }
            looked => looked.map(|list| List { skips_bad, ..list }),
        };
        paths.iter().zip(opened).map(look).collect()
    }

    /// A list without a head line, each line of which is a URL.
    fn plain(path: &Path, compression: Option<Compression>, content: Content) -> List {
        List {
            path: path.to_owned(),
            compression,
            layout: Layout::WHOLE,
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
        let content = Opened::at(path, u64::MAX).and_then(|opened| {
            let (compression, content) = opened.content(u64::MAX)?;
            let is_empty = content.start(&any)?.is_empty();
            Ok((compression, is_empty, content))
        });
        let (compression, is_empty, content) = content.map_err(|error| unreadable(path, error))?;
        Ok(List { is_empty, ..List::plain(path, compression, content) })
    }

    fn look(
        path: &Path,
        opened: Opened,
        url_field: &UrlField,
        memory: u64,
        skips_bad: bool,
    ) -> Result<List, ListError> {
        let (compression, content) = opened.content(memory).map_err(|error| unreadable(path, error))?;
        let start = content.start(url_field).map_err(|error| unreadable(path, error))?;
        if start.starts_with(PARQUET_MARK) {
            drop(start);
            return List::table(path, compression, content, url_field);
        }
        let known = url_field.layout(&start);
        // What is lost of the start tells another layout than it had.
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
        drop(start);
        Ok(List { layout, head, head_length, is_empty, ..List::plain(path, compression, content) })
    }

    fn table(
        path: &Path,
        compression: Option<Compression>,
        content: Content,
        url_field: &UrlField,
    ) -> Result<List, ListError> {
        let file = content.seekable().map_err(|error| unreadable(path, error))?;
        // What is wrong with it should be told before the run begins.
        let own = file.file.try_clone().map_err(|error| unreadable(path, error))?;
        let table = ParquetList::open(own, url_field);
        let table = table.map_err(|unfit| match unfit {
            Unfit::Malformed(problem) => ListError::Parquet { path: path.to_owned(), problem },
            Unfit::UrlField(error) => ListError::UrlField { path: path.to_owned(), error },
        })?;
        let content = Content::Parquet { file, table: Box::new(table) };
        Ok(List::plain(path, compression, content))
    }

    /// The form of its lines, for receipts.
    pub fn format(&self) -> &'static str {
        match &self.content {
            Content::Parquet { .. } => LIST_FORMAT,
            _ => self.layout.name(),
        }
    }

    /// The whole text of a mapped list; `None` for one that is read as a stream.
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

    /// Whether its text is made of a file, which takes more time than to look at it, and any number of times.
    pub fn is_made(&self) -> bool {
        matches!(self.content, Content::Compressed(_) | Content::Parquet { .. })
    }

    /// The table of a list that is one.
    pub fn parquet_list(&self) -> Option<&ParquetList> {
        match &self.content {
            Content::Parquet { table, .. } => Some(table),
            _ => None,
        }
    }

    /// How many bytes stand before the first URL of a chunk that begins at `at`: a byte order mark, at the start of a text.
    pub fn mark(&self, at: u64, chunk: &[u8]) -> usize {
        let is_start = at == 0 && self.head.is_empty() && !matches!(self.content, Content::Parquet { .. });
        if is_start && chunk.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Whether it is a file that has no bytes and gives none.
    pub fn is_empty_file(&self) -> bool {
        let is_file = || std::fs::metadata(&self.path).is_ok_and(|metadata| metadata.is_file());
        self.is_empty && self.path.as_os_str() != STANDARD_INPUT && is_file()
    }

    /// Whether nothing of it can be read, and all of it is left out.
    pub fn is_unreadable(&self) -> bool {
        self.unreadable().is_some()
    }

    /// Why nothing of it can be read, if so.
    pub fn unreadable(&self) -> Option<&str> {
        match &self.content {
            Content::Unreadable(problem) => Some(problem),
            _ => None,
        }
    }

    /// The state of the file, by which a change shows when it is read again; `None` where it cannot be.
    pub fn file_state(&self) -> Option<FileState> {
        match &self.content {
            // A table may be a copy of what came through a pipe.
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
            Content::Compressed(_) | Content::Parquet { .. } if self.is_others() => Some(0),
            Content::Compressed(file) | Content::Parquet { file, .. } => Some(file.state.length),
            Content::Unreadable(_) => Some(0),
            Content::Stream(_) => None,
        }
    }

    /// Reads only this part of its file, without the head line; of a list that is not mapped, all or nothing.
    pub fn cut_to(&mut self, part: Range<usize>) {
        let head = if self.mapped().is_some() { self.head_length } else { 0 };
        self.part = Some(part.start.max(head)..part.end.max(head));
    }

    /// Whether other shards read it, and this run nothing of it.
    pub fn is_others(&self) -> bool {
        let is_whole = matches!(self.content, Content::Compressed(_) | Content::Parquet { .. });
        is_whole && self.part.as_ref().is_some_and(Range::is_empty)
    }

    /// Reads only the part that a shard's receipt speaks of, of a list that had so many bytes; if there is none such any
    /// more, why.
    pub fn cut_again(&mut self, range: &ListRange, had: u64) -> Option<String> {
        let length = self.file_state().map_or(0, |state| state.length);
        if length != had || range.start > range.end || range.end > length {
            return Some(format!("the list had {had} bytes, now it has {length}"));
        }
        let is_all_or_nothing = range.start == range.end || (range.start, range.end) == (0, length);
        if self.mapped().is_none() && !is_all_or_nothing {
            return Some("a part of what is compressed cannot be read by itself".to_owned());
        }
        self.cut_to(range.start as usize..range.end as usize);
        None
    }

    /// Leaves out the same rows of a table as a receipt says, and no others; if it cannot be that of this table, why.
    pub fn leave_out(&mut self, parts: &[SkippedPart]) -> Option<String> {
        match &mut self.content {
            Content::Parquet { table, .. } => table.leave_out(parts),
            _ => None,
        }
    }

    /// The part of a mapped list that is read; of a stream, nothing.
    pub fn range(&self) -> Range<usize> {
        let Some(text) = self.mapped() else { return 0..0 };
        self.part.clone().unwrap_or(self.head_length..text.len())
    }

    /// Where the first chunk of it begins.
    pub fn start(&self) -> u64 {
        self.range().start as u64
    }

    /// The range of a list that was [cut](List::cut_to), for a shard's receipt.
    pub fn shard_range(&self) -> Option<ListRange> {
        self.part.as_ref().map(|part| ListRange { start: part.start as u64, end: part.end as u64 })
    }

    /// The pieces that many can make of a compressed file, each with so much `memory`, or of a table, to texts for which there is so much
    /// `room` together; `None` where there is only one way through.
    pub fn ahead(&self, memory: u64, room: u64) -> Option<Ahead<'_>> {
        if self.is_others() {
            return None;
        }
        if let Content::Parquet { table, .. } = &self.content {
            return ParquetAhead::new(table, room).map(Arc::new).map(Ahead::Parquet);
        }
        let (Content::Compressed(file), Some(compression)) = (&self.content, self.compression) else { return None };
        let memory = memory.min(file.memory);
        // What cannot be read now is told when it is read.
        Pieces::new(file, file.state.length, compression, memory, room).ok().flatten().map(Arc::new).map(Ahead::Members)
    }

    /// Begins to read the lines of the list, decompressed with so much `memory`, or with what others make `ahead`; of a mapped
    /// one, those from byte `at` on. The bytes that are taken from its file are added to `source`.
    pub fn read<'l>(
        &'l self,
        at: u64,
        source: &'l AtomicU64,
        memory: u64,
        ahead: Option<&Ahead<'l>>,
    ) -> Result<Reading<'l>, ListError> {
        let failed = |error| unreadable(&self.path, error);
        let mut stream: Box<dyn Read + Send + 'l> = match &self.content {
            // What cannot be read of a file is an error of the system, and not a signal.
            Content::Mapped { file, .. } if self.skips_bad => {
                let part = file.part(at, self.range().end as u64, source);
                return Ok(Reading::Stream(Box::new(part)));
            }
            Content::Mapped { map, .. } => return Ok(Reading::Mapped(&map[..self.range().end])),
            Content::Compressed(file) => match ahead {
                Some(Ahead::Members(pieces)) => Box::new(Steady(InPieces::new(Arc::clone(pieces), source))),
                _ => Box::new(Steady(file.text_within(source, memory).map_err(failed)?)),
            },
            Content::Unreadable(problem) => return Err(failed(io::Error::other(problem.clone()))),
            Content::Stream(stream) => Box::new(stream.text().map_err(failed)?),
            Content::Parquet { table, .. } => {
                let ahead = ahead
                    .and_then(|ahead| if let Ahead::Parquet(rows) = ahead { Some(Arc::clone(rows)) } else { None });
                return Ok(Reading::Parquet(Box::new(ParquetLines::of(table, ahead))));
            }
        };
        io::copy(&mut stream.by_ref().take(self.head_length as u64), &mut io::sink()).map_err(failed)?;
        Ok(Reading::Stream(stream))
    }

    /// Lets go of a part of its text that was read for the last time, if it is mapped.
    pub fn let_go(&self, part: Range<usize>) {
        if let Content::Mapped { map, .. } = &self.content {
            map.let_go(part);
        }
    }

    /// Makes sure that a file is the one that was opened, and all of it could be read: its bytes were read as they stood.
    pub fn unchanged(&self) -> Result<(), ListError> {
        match self.content.unchanged(&self.path) {
            // The rest of it is left out.
            Err(ListError::Cut { .. }) if self.skips_bad => Ok(()),
            unchanged => unchanged,
        }
    }

    /// The same, if something of a map was missing when it was wanted; costs nothing otherwise.
    pub fn nothing_lost(&self) -> Result<(), ListError> {
        if self.content.lost().is_none() { Ok(()) } else { self.unchanged() }
    }
}

impl Opened {
    fn at(path: &Path, memory: u64) -> io::Result<Opened> {
        if path.as_os_str() == STANDARD_INPUT {
            return Ok(Opened::Stream(Box::new(io::stdin())));
        }
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if metadata.is_dir() {
            return Err(io::Error::from(io::ErrorKind::IsADirectory));
        }
        if is_streamed(&metadata) {
            return Ok(Opened::Stream(Box::new(file)));
        }
        let file = Regular { state: FileState::of(&file)?, file, memory };
        let compression = Reader::new(&file.file)?.compression();
        if compression.is_some() {
            return Ok(Opened::Regular(compression, Content::Compressed(file)));
        }
        let map = file.map()?;
        map.is_read_in_order();
        Ok(Opened::Regular(None, Content::Mapped { map, file }))
    }

    /// Its content; of a stream, as much is read as tells how it is compressed.
    fn content(self, memory: u64) -> io::Result<(Option<Compression>, Content)> {
        match self {
            Opened::Regular(compression, content) => Ok((compression, content)),
            Opened::Unreadable(problem) => Err(io::Error::other(problem)),
            Opened::Stream(stream) => {
                let stream = Stream::new(stream, memory)?;
                Ok((stream.compression, Content::Stream(Box::new(stream))))
            }
        }
    }
}

impl Content {
    /// How the text begins: as much as tells its layout.
    fn start(&self, url_field: &UrlField) -> io::Result<Cow<'_, [u8]>> {
        Ok(match self {
            Content::Mapped { map, .. } => Cow::Borrowed(&map[..map.len().min(LOOK)]),
            Content::Compressed(file) => Cow::Owned(start(&mut file.text(&AtomicU64::new(0))?, url_field)?),
            Content::Stream(stream) => Cow::Owned(stream.start(|text| start(text, url_field))?),
            Content::Unreadable(_) => Cow::Borrowed(b""),
            Content::Parquet { .. } => Cow::Borrowed(PARQUET_MARK),
        })
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Regular> {
        match self {
            Content::Mapped { file, .. } | Content::Compressed(file) | Content::Parquet { file, .. } => Some(file),
            Content::Stream(_) | Content::Unreadable(_) => None,
        }
    }

    /// The byte of a map that was missing when it was wanted, if there was one.
    pub(crate) fn lost(&self) -> Option<usize> {
        match self {
            Content::Mapped { map, .. } => map.lost(),
            _ => None,
        }
    }

    /// Makes sure that all that was read of it was there, and stands at `path` as it did.
    fn unchanged(&self, path: &Path) -> Result<(), ListError> {
        let Some(file) = self.file() else { return Ok(()) };
        // Before: what is lost from here on may be so because it is cut short now.
        let lost = self.lost();
        file.unchanged(path)?;
        // The file is whole, so it is what holds it that failed.
        let failed = |at| io::Error::other(format!("byte {at} of its text, and what follows, cannot be read (SIGBUS)"));
        lost.map_or(Ok(()), |at| Err(unreadable(path, failed(at))))
    }

    /// A file that can be read from any place: the list's own if it holds the text as it is, else a copy of the text.
    fn seekable(self) -> io::Result<Regular> {
        match self {
            Content::Mapped { file, .. } | Content::Parquet { file, .. } => Ok(file),
            Content::Compressed(file) => Regular::copy_of(file.text(&AtomicU64::new(0))?),
            Content::Unreadable(problem) => Err(io::Error::other(problem)),
            Content::Stream(stream) => Regular::copy_of(stream.text()?),
        }
    }
}

/// Whether what has these is read as a stream: what is no file, and files that say they are empty, as those of `/proc` do.
fn is_streamed(metadata: &Metadata) -> bool {
    !metadata.is_file() || metadata.len() == 0
}

/// The head line of all lists; those without any line do not matter.
pub(crate) fn common_head<'l>(lists: &[&'l List]) -> Result<&'l [u8], ListError> {
    let mut lists = lists.iter().filter(|list| !list.is_empty);
    let Some(one) = lists.next() else { return Ok(b"") };
    match lists.find(|other| other.head != one.head) {
        Some(other) => Err(ListError::HeadsDiffer { one: one.path.clone(), other: other.path.clone() }),
        None => Ok(&one.head),
    }
}
