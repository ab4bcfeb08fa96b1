//! Opens lists of every kind.

use serde::{Deserialize, Serialize};
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use super::content::{Content, taken};
use super::line_ends::Buffer;
use super::reader::{LIST_FORMAT, ListReader};
use super::regular::{FileState, Mapped, Maps, Regular};
use super::short_lines::LongLines;
use super::text::{Decoder, MappedReader, RangeReader};
use super::{ParquetList, TableRows};
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::compression::{Compression, InPieces};
use crate::formats::made_ahead::Ahead;
use crate::formats::marks::{FileClass, FileMark};
use crate::formats::{STANDARD_INPUT, shown};
use crate::input::error::{SkippedPart, malformed, of_list, unreadable};
use crate::input::folder_of_tables::no_table;
use crate::input::layout::{Layout, MARK, UrlField, has_keys};

/// How many times as much memory as a decompressor the pages of a table may take that are read together.
const TABLE_SHARE: u64 = 2;

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
    /// Whether unreadable parts are skipped.
    pub skips_bad: bool,
    /// The lines that an earlier run left out because they were too long, if exactly these are to be left out.
    long_lines: Option<Vec<SkippedPart>>,
    /// What holds its lines, or why none of it can be read.
    content: Result<Content, String>,
    /// The part of its file to read, if not all of it. A list that is not plain text is read all or not at all.
    part: Option<Range<usize>>,
}

/// The part of a list that a shard read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRange {
    /// Where its first line begins.
    pub start: u64,
    /// The byte after its last line.
    pub end: u64,
}

/// How lists are opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Opening<'o> {
    /// Where in a line the URL is.
    pub url_field: &'o UrlField,
    /// The most bytes that a decompressor takes.
    pub memory: u64,
    /// Whether a list that cannot be opened is skipped, and so is the rest of a damaged one.
    pub skips_bad: bool,
    /// Whether plain files are mapped; if not, they are read by ranges.
    pub maps: Option<Maps>,
    /// Reading a stream fails once this is set, even if it has nothing to read.
    pub interrupt: Option<&'o Arc<AtomicBool>>,
}

impl<'o> Opening<'o> {
    /// With all the memory that is needed, by ranges, and skipping nothing.
    pub fn new(url_field: &'o UrlField) -> Opening<'o> {
        Opening { url_field, memory: u64::MAX, skips_bad: false, maps: None, interrupt: None }
    }
}

impl List {
    /// Opens all lists before looking into any: a program that feeds several pipes may wait until all are open. `-` is standard
    /// input.
    pub fn open_all(paths: &[PathBuf], opening: Opening<'_>) -> Result<Vec<List>, Error> {
        if paths.iter().filter(|path| path.as_os_str() == STANDARD_INPUT).count() > 1 {
            let problem = "standard input (-) is given twice as a list, but it can be read only once";
            return Err(ErrorKind::List.of(problem));
        }
        let skips_bad = opening.skips_bad;
        let open = |(number, path): (usize, &PathBuf)| match Content::at(path, number, opening.maps, opening.interrupt)
        {
            Err(error) if error.kind() == io::ErrorKind::IsADirectory && !skips_bad => Err(no_table(path)),
            Err(error) if !skips_bad => Err(unreadable(path, error)),
            opened => Ok(opened),
        };
        let opened: Vec<io::Result<Content>> = paths.iter().enumerate().map(open).collect::<Result<_, _>>()?;
        let examine = |(path, opened): (&PathBuf, io::Result<Content>)| {
            let opened = opened.map_err(|error| unreadable(path, error));
            opened.and_then(|opened| List::examine(path, opened, opening)).or_else(|failure| {
                let problem = failure.of_bad_list().filter(|_| skips_bad).ok_or(failure)?;
                Ok::<_, Error>(List { is_empty: true, ..List::plain(path, None, Err(problem)) })
            })
        };
        paths.iter().zip(opened).map(examine).map(|list| Ok(List { skips_bad, ..list? })).collect()
    }

    /// A list without a head line, in which each line is a URL, whatever it holds.
    fn plain(path: &Path, compression: Option<Compression>, content: Result<Content, String>) -> List {
        List {
            path: path.to_owned(),
            compression,
            layout: Layout::Whole,
            head: Vec::new(),
            head_length: 0,
            is_empty: false,
            skips_bad: false,
            long_lines: None,
            content,
            part: None,
        }
    }

    /// Opens one list, whose lines are taken as they are.
    pub fn open(path: &Path) -> Result<List, Error> {
        let any = UrlField::default();
        let opened = Content::at(path, 0, None, None);
        let opened = opened.and_then(|content| Ok((content.start(&any, u64::MAX)?, content)));
        let ((start, compression), content) = opened.map_err(|error| unreadable(path, error))?;
        Ok(List { is_empty: start.is_empty(), ..List::plain(path, compression, Ok(content)) })
    }

    fn examine(path: &Path, content: Content, opening: Opening<'_>) -> Result<List, Error> {
        let Opening { url_field, memory, skips_bad, .. } = opening;
        let (start, compression) = content.start(url_field, memory).map_err(|error| unreadable(path, error))?;
        if FileMark::of(&start).is_some_and(|mark| mark.class == FileClass::Parquet) {
            let file = content.seekable(memory).map_err(|error| unreadable(path, error))?;
            // Problems should be reported before the run begins.
            let table = ParquetList::open(path, &file, url_field, memory.saturating_mul(TABLE_SHARE))?;
            return Ok(List::plain(path, compression, Ok(Content::Table(file, Box::new(table)))));
        }
        if let Some(mark) = FileMark::of(&start) {
            let (kind, remedy) = (mark.name, list_of(mark));
            let message = format!("the list {} is {kind}, not a list of URLs; {remedy}", shown(path));
            return Err(ErrorKind::List.of(message));
        }
        let known = url_field.layout(&start);
        // If the start is lost, the layout found may be wrong.
        match content.unchanged(path) {
            Err(error) if skips_bad && error.is_of_cut_list() => {}
            unchanged => unchanged?,
        }
        let (layout, head) = known.map_err(of_list(path))?;
        let (head_length, is_empty) = (head.len(), start.is_empty());
        let mut head = head.to_vec();
        if !head.is_empty() && !head.ends_with(b"\n") {
            head.push(b'\n');
        }
        Ok(List { layout, head, head_length, is_empty, ..List::plain(path, compression, Ok(content)) })
    }

    fn content(&self) -> Option<&Content> {
        self.content.as_ref().ok()
    }

    /// The file that holds its lines, if they can be read again and again.
    fn file(&self) -> Option<&Regular> {
        self.content()?.file()
    }

    fn map(&self) -> Option<&Mapped> {
        self.content()?.mapped()
    }

    /// The name of its format in receipts.
    pub fn format(&self) -> &'static str {
        if self.is_table() { LIST_FORMAT } else { self.layout.name() }
    }

    /// Whether its lines begin with the keys of their URLs, or it has none.
    pub fn has_keys(&self) -> bool {
        self.is_empty || self.content.is_err() || has_keys(&self.layout, &self.head)
    }

    /// The whole text of a memory-mapped list; `None` for any other.
    #[cfg(test)]
    pub fn mapped(&self) -> Option<&[u8]> {
        self.map().map(|map| &**map)
    }

    /// Whether it is memory-mapped.
    pub fn is_mapped(&self) -> bool {
        self.map().is_some()
    }

    /// The length of its file, if that is stored as its text, so that any part of it can be read.
    pub fn plain_length(&self) -> Option<usize> {
        let Some(Content::Plain(file, _)) = self.content() else { return None };
        Some(usize::try_from(file.state.length).unwrap_or(usize::MAX))
    }

    /// Whether any part of its text can be read.
    pub fn is_plain(&self) -> bool {
        self.plain_length().is_some()
    }

    /// Where the first line of a plain file begins that begins at or after `at`; the file's end if none does.
    pub fn line_boundary(&self, at: usize) -> Result<usize, Error> {
        let (Some(file), Some(before)) = (self.file(), at.checked_sub(1)) else { return Ok(0) };
        let skipped = file.from(before as u64).and_then(|text| BufReader::new(text).skip_until(b'\n'));
        skipped.map(|skipped| before + skipped).map_err(|error| unreadable(&self.path, error))
    }

    /// Whether it can be read only once.
    pub fn is_stream(&self) -> bool {
        matches!(self.content(), Some(Content::Stream(_)))
    }

    /// Whether its text is read from a file into buffers: at some cost, but as often as needed.
    pub fn is_reread(&self) -> bool {
        self.file().is_some() && !self.is_mapped()
    }

    /// The table, if the list is one.
    pub fn parquet_list(&self) -> Option<&ParquetList> {
        if let Some(Content::Table(_, table)) = self.content() { Some(&**table) } else { None }
    }

    /// Whether it is a table.
    pub fn is_table(&self) -> bool {
        self.parquet_list().is_some()
    }

    /// Fills `buffer` with the lines of rows, which have at most `most` bytes; reads their other columns, too, if they are wanted. If
    /// unreadable rows are skipped, they are removed, and the parts that begin among these rows returned.
    pub fn read_rows(
        &self,
        rows: &mut TableRows,
        with_columns: bool,
        most: usize,
        buffer: &mut Buffer,
    ) -> Result<Vec<SkippedPart>, Error> {
        let Some(table) = self.parquet_list() else { unreachable!("only a table has rows") };
        let read = table.read(rows, self.skips_bad, with_columns, most, buffer);
        read.map_err(|problem| malformed(&self.path, problem))
    }

    /// Length of the byte order mark before the first URL of a chunk that begins at `at`. Only the start of a text has one.
    pub fn bom_len(&self, at: u64, chunk: &[u8]) -> usize {
        let is_start = at == 0 && self.head.is_empty() && !self.is_table();
        if is_start && chunk.starts_with(MARK) { MARK.len() } else { 0 }
    }

    /// Whether it is a file without bytes.
    pub fn is_empty_file(&self) -> bool {
        let is_file = || std::fs::metadata(&self.path).is_ok_and(|metadata| metadata.is_file());
        self.is_empty && self.path.as_os_str() != STANDARD_INPUT && is_file()
    }

    /// Why none of it can be read, so that all of it is skipped, if that is the case.
    pub fn unreadable(&self) -> Option<&str> {
        self.content.as_ref().err().map(String::as_str)
    }

    /// The state of its file, to detect a change when it is read again; `None` if it cannot be read again.
    pub fn file_state(&self) -> Option<FileState> {
        match self.file() {
            Some(file) => (!file.is_copy).then(|| file.state.clone()),
            None if self.content.is_err() => FileState::at(&self.path),
            None => self.is_empty_file().then_some(FileState { length: 0, modified: None }),
        }
    }

    /// How many bytes of its file are read; `None` for a stream.
    pub fn source_length(&self) -> Option<u64> {
        match self.file() {
            Some(_) if self.is_plain() => Some(self.range().len() as u64),
            Some(_) if self.is_in_other_shards() => Some(0),
            Some(file) => Some(file.state.length),
            None => self.content.is_err().then_some(0),
        }
    }

    /// Restricts reading to this part of its file, without the head line. A list that is not plain text is read all or not at all.
    pub fn cut_to(&mut self, part: Range<usize>) {
        let head = if self.is_plain() { self.head_length } else { 0 };
        self.part = Some(part.start.max(head)..part.end.max(head));
    }

    /// Whether only other shards read this list.
    pub fn is_in_other_shards(&self) -> bool {
        self.is_reread() && self.part.as_ref().is_some_and(Range::is_empty)
    }

    /// Restricts reading to the part named in a shard's receipt, of a list that had `had` bytes then. Returns the problem if
    /// that part no longer exists.
    pub fn cut_again(&mut self, range: &ListRange, had: u64) -> Option<String> {
        let length = self.file_state().map_or(0, |state| state.length);
        if length != had || range.start > range.end || range.end > length {
            return Some(format!("the list had {had} bytes, now it has {length}"));
        }
        let is_all_or_nothing = range.start == range.end || (range.start, range.end) == (0, length);
        if !self.is_plain() && !is_all_or_nothing {
            return Some("a part of a compressed list cannot be read by itself".to_owned());
        }
        self.cut_to(range.start as usize..range.end as usize);
        None
    }

    /// Leaves out exactly the lines that a receipt says were too long.
    pub fn leave_out(&mut self, parts: &[SkippedPart]) {
        self.long_lines = Some(parts.iter().filter(|part| part.bytes.is_some()).cloned().collect());
    }

    /// Skips exactly the rows of a table that a receipt names. Returns the problem if the receipt cannot be of this table.
    pub fn skip(&self, parts: &[SkippedPart]) -> Option<String> {
        self.parquet_list()?.skip(parts)
    }

    /// The part of a plain file that is read; empty for any other list.
    pub fn range(&self) -> Range<usize> {
        let Some(length) = self.plain_length() else { return 0..0 };
        self.part.clone().unwrap_or(self.head_length..length)
    }

    /// Where its first chunk begins.
    pub fn start(&self) -> u64 {
        self.range().start as u64
    }

    /// The part that the list was [cut to](List::cut_to), for a shard's receipt.
    pub fn shard_range(&self) -> Option<ListRange> {
        self.part.as_ref().map(|part| ListRange { start: part.start as u64, end: part.end as u64 })
    }

    /// Begins to read the list from `at` on: a byte of its text, or a row if it is a table and read `by_rows`. A decoder begins at
    /// the start, whatever this says, and takes up to `memory` bytes; the pieces that other workers help to make share `room`
    /// bytes. The bytes taken from the list's file are added to `source`.
    pub fn reader<'l>(
        &'l self,
        at: u64,
        #[cfg_attr(not(feature = "parquet"), allow(unused_variables))] by_rows: bool,
        source: &'l AtomicU64,
        memory: u64,
        room: u64,
        longest_line: usize,
    ) -> Result<Box<dyn ListReader<'l> + 'l>, Error> {
        let (path, end) = (&*self.path, self.range().end);
        let failed = |error| unreadable(path, error);
        let long = match &self.long_lines {
            Some(named) => Some(LongLines::Named(named.iter().filter(|part| part.at >= Some(at)).cloned().collect())),
            None => self.skips_bad.then_some(LongLines::Over(longest_line)),
        };
        let content = self.content.as_ref().map_err(|problem| failed(io::Error::other(problem.clone())))?;
        let decoder = |text, head, at| Decoder::new(path, text, head, at, long);
        Ok(match content {
            // Read the file, not the map: a failure is then an I/O error instead of a signal.
            Content::Plain(file, _) if self.skips_bad => {
                Box::new(decoder(Box::new(file.part(at, end as u64, source).map_err(failed)?), 0, at)?)
            }
            Content::Plain(_, Some(map)) => Box::new(MappedReader { text: &map[..end], at: at as usize, source }),
            Content::Plain(file, None) => {
                Box::new(RangeReader { path, text: file.from(0).map_err(failed)?, at, end: end as u64, source })
            }
            #[cfg(feature = "parquet")]
            Content::Table(_, table) => super::table::reader(path, table, at, by_rows, source, room),
            #[cfg(not(feature = "parquet"))]
            Content::Table(_, table) => match **table {},
            Content::Compressed(file, compression) => {
                // A failure to look for pieces is met again.
                let pieces = file.pieces(*compression, memory, room).ok().flatten().map(Arc::new);
                let text: Box<dyn Read + Send> = match pieces.clone() {
                    Some(pieces) => Box::new(InPieces::new(pieces, source)),
                    None => Box::new(file.text(source, memory).map_err(failed)?),
                };
                let mut decoder = decoder(text, self.head_length, 0)?;
                decoder.ahead = pieces.map(|pieces| pieces as Ahead<'l>);
                Box::new(decoder)
            }
            Content::Stream(stream) => {
                // A stream without a byte can be read again.
                let text = if self.is_empty { Box::new(io::empty()) } else { taken(stream).map_err(failed)? };
                let mut decoder = decoder(text, self.head_length, 0)?;
                decoder.is_stream = true;
                Box::new(decoder)
            }
        })
    }

    /// Releases a part of its text that will not be read again, if it is memory-mapped.
    pub fn release(&self, part: Range<usize>) {
        if let Some(map) = self.map() {
            map.release(part);
        }
    }

    /// Checks that the file has not changed since it was opened, and that all of it could be read: the bytes read are those of
    /// the file.
    pub fn unchanged(&self) -> Result<(), Error> {
        match self.content().map_or(Ok(()), |content| content.unchanged(&self.path)) {
            // The rest of the file is skipped.
            Err(error) if self.skips_bad && error.is_of_cut_list() => Ok(()),
            unchanged => unchanged,
        }
    }

    /// Makes this check if a byte of a map was found missing; costs nothing otherwise.
    pub fn nothing_lost(&self) -> Result<(), Error> {
        if self.map().is_none_or(|map| map.lost().is_none()) { Ok(()) } else { self.unchanged() }
    }
}

/// What makes a list of the URLs in a file with this mark.
fn list_of(mark: &FileMark) -> &'static str {
    match mark.class {
        FileClass::Warc | FileClass::Arc => "make an index of it, which is one: cdxj-indexer FILE > FILE.cdxj",
        FileClass::Zip => "take its index out, which is one: unzip -j FILE 'indexes/*'",
        FileClass::Table => "write its URLs as lines of text, or as Parquet",
        FileClass::Media => "write its URLs as lines of text",
        _ => mark.remedy(),
    }
}

/// The head line common to all lists; empty lists do not count.
pub(crate) fn common_head<'l>(lists: &[&'l List]) -> Result<&'l [u8], Error> {
    let mut lists = lists.iter().filter(|list| !list.is_empty);
    let Some(one) = lists.next() else { return Ok(b"") };
    match lists.find(|other| other.head != one.head) {
        Some(other) => {
            let (one, other) = (shown(&one.path), shown(&other.path));
            let message = format!(
                "the lists {one} and {other} begin with different head lines, so one file cannot hold the lines of both; give \
                 each list its own partitions"
            );
            Err(ErrorKind::List.of(message).about(About::OwnPartitions))
        }
        None => Ok(&one.head),
    }
}
