//! How lists are cut into chunks: the settings for all of them, and one list that is being read, chunk by chunk.

use std::mem::take;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::chunk::{Chunk, LONGEST_CHUNK, LongChunks, Permit, Position};
use crate::error::run::Error;
use crate::formats::made_ahead::Ahead;
use crate::input::error::{Skipped, SkippedPart, changed, line_too_long};
use crate::input::list::{Buffer, List, ListReader, Next, Patience, ReadLimits, Text};

/// How many lists are read at once, and in which order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parallelism {
    /// The most lists read at once.
    pub lists: usize,
    /// Whether chunks are handed out in the order of the lists.
    pub in_order: bool,
}

/// Settings for cutting lists into chunks.
pub(crate) struct Cut<'l> {
    pub lists: &'l [List],
    pub chunk_size: usize,
    /// The size of a chunk of rows, in bytes of their lines.
    pub rows_size: usize,
    /// The longest line allowed.
    pub longest: usize,
    /// How long to wait for chunks of streams. Other chunks always get their full size.
    pub patience: Patience,
    /// Counts the bytes read from the lists' files.
    pub source: &'l AtomicU64,
    /// Whether tables are handed out as ranges of rows, which the worker that takes one reads itself. Positions in tables are
    /// then row numbers.
    pub by_rows: bool,
    /// Whether rows are read with all their columns, and not only those of their lines.
    pub with_columns: bool,
    /// Nothing is handed out or read from this position on.
    pub before: Position,
    /// No more chunks are handed out once this is set.
    pub interrupt: Option<Arc<AtomicBool>>,
    pub long_chunks: Arc<LongChunks>,
    pub parallelism: Parallelism,
    /// Memory for decompressors and for chunks read ahead.
    pub memory: u64,
    /// Folder for chunks read ahead that do not fit in memory. Without one, reading ahead pauses while memory is full.
    pub folder: Option<PathBuf>,
}

impl<'l> Cut<'l> {
    /// All lists, one after the other.
    pub fn all(lists: &'l [List], chunk_size: usize, source: &'l AtomicU64) -> Cut<'l> {
        Cut {
            lists,
            chunk_size,
            rows_size: chunk_size,
            longest: LONGEST_CHUNK,
            patience: Patience::UntilFull,
            source,
            by_rows: false,
            with_columns: false,
            before: Position { list: lists.len(), at: 0 },
            interrupt: None,
            long_chunks: Arc::default(),
            parallelism: Parallelism { lists: 1, in_order: true },
            memory: u64::MAX / 2,
            folder: None,
        }
    }

    /// Whether the flag to stop is set.
    pub fn is_asked_to_stop(&self) -> bool {
        self.interrupt.as_ref().is_some_and(|interrupt| interrupt.load(Ordering::Relaxed))
    }

    /// Memory for the pieces of the first list that helpers make.
    pub fn piece_memory(&self) -> u64 {
        self.memory / 3
    }

    /// Memory for other readers and waiting chunks.
    pub fn reader_memory(&self) -> u64 {
        self.memory - self.piece_memory()
    }

    /// Start of list number `list`, if it exists.
    pub fn start_of(&self, list: usize) -> Option<Position> {
        self.lists.get(list).map(|of| Position { list, at: of.start() })
    }

    /// Whether list number `list` can be read from any place on; if not, it is read from its start.
    pub fn begins_anywhere(&self, list: usize) -> bool {
        let list = &self.lists[list];
        list.is_plain() || self.by_rows && list.is_table()
    }

    /// How much is read as a chunk, whose line may be long or not.
    pub fn wanted(&self, may_be_long: bool) -> ReadLimits {
        let may_be_long = may_be_long || self.short() >= self.longest;
        ReadLimits {
            size: self.chunk_size,
            rows_size: self.rows_size,
            longest_line: self.longest_line(),
            longest: if may_be_long { self.longest } else { self.short() },
            may_be_long,
            patience: self.patience,
        }
    }

    /// The length up to which a chunk is not [long](Cut::is_long), or the longest line if that is shorter.
    pub fn short(&self) -> usize {
        self.chunk_size.saturating_mul(2).min(self.longest)
    }

    /// Whether a chunk of this length is far longer than usual.
    pub fn is_long(&self, length: usize) -> bool {
        length > self.chunk_size.saturating_mul(2)
    }

    /// The longest line, within a chunk.
    fn longest_line(&self) -> usize {
        self.longest.min(LONGEST_CHUNK - self.chunk_size.min(LONGEST_CHUNK / 2))
    }

    /// Fails if the last line of a chunk is too long. A chunk is full before any other line can be.
    pub fn limit_lines(&self, list: &List, at: u64, chunk: &[u8]) -> Result<(), Error> {
        let longest = self.longest_line();
        if chunk.len() <= longest {
            return Ok(());
        }
        let start = memchr::memrchr(b'\n', &chunk[..chunk.len() - 1]).map_or(0, |end| end + 1);
        if chunk.len() - start <= longest {
            return Ok(());
        }
        let head = if list.is_plain() { 0 } else { list.head_length as u64 };
        Err(line_too_long(&list.path, head + at + start as u64, longest))
    }
}

/// A list that is being read.
pub(super) struct OpenList<'l> {
    pub list: usize,
    /// Start of the next chunk in the list's text.
    at: u64,
    reader: Option<Box<dyn ListReader<'l> + 'l>>,
    /// The pieces that other workers may help to make.
    pub ahead: Option<Ahead<'l>>,
    /// Memory for its decompressor.
    memory: u64,
    /// Start of the first chunk to hand out; an earlier run had those before it.
    done: u64,
    /// A chunk that was read, but not given.
    kept: Option<Chunk<'l>>,
    /// Why nothing can be read after the last chunk.
    failed: Option<Error>,
    /// Parts skipped since the last chunk.
    pub skipped: Vec<Skipped>,
}

impl<'l> OpenList<'l> {
    /// Reads a list from a position on. If the list can only be read from its start, everything before the position is read and
    /// dropped.
    pub fn from(cut: &Cut<'l>, Position { list, at: done }: Position, memory: u64) -> OpenList<'l> {
        let at = if cut.begins_anywhere(list) { done } else { 0 };
        OpenList { list, at, reader: None, ahead: None, memory, done, kept: None, failed: None, skipped: Vec::new() }
    }

    /// Starts over with a decompressor of up to `memory` bytes. Hands out the chunks from `at` on, or, without it, those not
    /// handed out yet.
    pub fn reopen(&mut self, cut: &Cut<'l>, at: Option<u64>, memory: u64) {
        let at = at.unwrap_or(self.at.max(self.done));
        *self = OpenList::from(cut, Position { list: self.list, at }, memory);
    }

    /// Keeps a chunk that was read, to be the next one again.
    pub fn give_again(&mut self, chunk: Chunk<'l>) {
        self.kept = Some(chunk);
    }

    /// Whether the next chunk can be had without delay.
    pub fn is_instant(&self, cut: &Cut<'l>) -> bool {
        let list = &cut.lists[self.list];
        list.is_mapped() && !list.skips_bad || cut.by_rows && list.is_table()
    }

    /// Reads the next chunk, into `buffer` if it needs one. A chunk with a long line is read only if it `may_be_long`.
    pub fn next(&mut self, cut: &Cut<'l>, buffer: &mut Buffer, may_be_long: bool) -> Result<Next<Chunk<'l>>, Error> {
        if let Some(chunk) = self.kept.take() {
            return Ok(Next::Chunk(chunk));
        }
        loop {
            if (Position { list: self.list, at: self.at }) >= cut.before || cut.lists[self.list].is_in_other_shards() {
                return Ok(Next::End);
            }
            let mut permit = None;
            let text = match self.read(cut, buffer, may_be_long, &mut permit) {
                Ok(Next::Chunk(text)) => text,
                Ok(Next::End) => return Ok(Next::End),
                Ok(Next::Long) => return Ok(Next::Long),
                Ok(Next::NeedsMemory) => return Ok(Next::NeedsMemory),
                Err(failure) if cut.is_asked_to_stop() => return Err(failure),
                Err(failure) => match self.skip(&cut.lists[self.list], failure)? {
                    true => continue,
                    false => return Ok(Next::End),
                },
            };
            if let Some(chunk) = self.given(cut, text, permit)? {
                return Ok(Next::Chunk(chunk));
            }
        }
    }

    /// The chunk just read; `None` if an earlier run had it.
    fn given(&mut self, cut: &Cut<'l>, text: Text<'l>, permit: Option<Permit>) -> Result<Option<Chunk<'l>>, Error> {
        let (list, at) = (&cut.lists[self.list], self.at);
        let limited = cut.limit_lines(list, at, text.bytes());
        // Check for lost pages first: they read as zeros, in which no line ends.
        list.nothing_lost()?;
        limited?;
        let is_long = cut.is_long(text.bytes().len());
        self.at += text.length();
        if at < self.done {
            // Chunks end where they did in the earlier run, unless the list has changed.
            if self.at > self.done {
                return Err(changed(&list.path));
            }
            self.skipped.clear();
            return Ok(None);
        }
        let skipped = take(&mut self.skipped);
        Ok(Some(Chunk { skipped, is_long, permit, ..Chunk::new(list, self.list, at, text) }))
    }

    /// Reads the text of the next chunk.
    fn read(
        &mut self,
        cut: &Cut<'l>,
        buffer: &mut Buffer,
        may_be_long: bool,
        permit: &mut Option<Permit>,
    ) -> Result<Next<Text<'l>>, Error> {
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let list = &cut.lists[self.list];
        let has_more_memory = self.memory < cut.memory;
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => {
                let room = if has_more_memory { cut.piece_memory() } else { 0 };
                match list.reader(self.at, cut.by_rows, cut.source, self.memory, room, cut.longest_line()) {
                    Err(failure) if failure.is_window_too_large() && has_more_memory => return Ok(Next::NeedsMemory),
                    reader => {
                        let reader = reader?;
                        self.ahead = reader.ahead();
                        none.insert(reader)
                    }
                }
            }
        };
        buffer.clear();
        let mut next = reader.next(cut.wanted(false), buffer);
        if may_be_long && matches!(next, Ok(Next::Long)) {
            *permit = Some(cut.long_chunks.permit());
            next = reader.next(cut.wanted(true), buffer);
        }
        let of_list = |part| Skipped { list: self.list, part };
        let left_out = match &next {
            Ok(Next::Chunk(Text::Read(read))) => &read.left_out,
            _ => &buffer.left_out,
        };
        self.skipped.extend(left_out.iter().cloned().map(of_list));
        match next {
            Err(failure) if failure.is_window_too_large() && has_more_memory => Ok(Next::NeedsMemory),
            Err(failure) if list.skips_bad => {
                // Keep the whole lines before the failure; the last line was cut.
                buffer.bytes.truncate(memchr::memrchr(b'\n', &buffer.bytes).map_or(0, |end| end + 1));
                if buffer.bytes.is_empty() {
                    return Err(failure);
                }
                self.failed = Some(failure);
                Ok(Next::Chunk(Text::Read(take(buffer))))
            }
            next => next,
        }
    }

    /// Skips the unreadable rest of a row group or of the list, if unreadable parts are to be skipped. Returns whether
    /// the list continues after it.
    fn skip(&mut self, list: &List, failure: Error) -> Result<bool, Error> {
        let problem = failure.of_bad_list().filter(|_| list.skips_bad).ok_or(failure)?;
        let rows = self.reader.as_mut().and_then(|reader| reader.take_broken());
        let continues = rows.is_some();
        let part = SkippedPart { at: rows.is_none().then_some(self.at), bytes: None, rows, problem };
        self.skipped.push(Skipped { list: self.list, part });
        Ok(continues)
    }
}
