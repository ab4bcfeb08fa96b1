//! Reads one list, chunk by chunk.

use std::mem::take;
use std::sync::atomic::Ordering;

use super::cut::Cut;
use super::long_chunks::Permit;
use super::task::{Task, TaskBytes};
use crate::formats::made_ahead::Ahead;
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::list::{List, ParquetList, Patience, Reading, chunk_end, fill, unreadable};
use crate::input::position::Position;
use crate::input::skipped::{Skipped, SkippedPart};

/// A list that is being read.
pub(super) struct Lane<'l> {
    pub list: usize,
    /// Start of the next chunk in the list's text.
    at: u64,
    reading: Option<Reading<'l>>,
    /// The pieces that other workers may help to make.
    pub ahead: Option<Ahead<'l>>,
    /// Memory for its decompressor.
    memory: u64,
    /// Start of the first chunk to hand out; an earlier run had those before it.
    done: u64,
    /// Bytes of a stream read past its last chunk.
    rest: Vec<u8>,
    /// Why nothing can be read after the last chunk.
    failed: Option<ListError>,
    /// Parts left out since the last chunk.
    pub skipped: Vec<Skipped>,
}

/// The result of asking for the next chunk.
pub(super) enum Next<'l> {
    Chunk(Task<'l>),
    /// There are no more chunks.
    End,
    /// Its line is so long that only one such chunk may exist at a time.
    Long,
    /// Its decompressor needs more memory than it was given.
    NeedsMemory,
}

/// How a chunk was filled.
enum Filled<'l> {
    Chunk(TaskBytes<'l>),
    Nothing,
    Long,
}

impl<'l> Lane<'l> {
    /// Reads a list from a position on. If the list can only be read from its start, everything before the position is read and
    /// dropped.
    pub fn from(cut: &Cut<'l>, Position { list, at: done }: Position, memory: u64) -> Lane<'l> {
        let is_by_rows = cut.rows_of(list).is_some();
        // Rows can be skipped without reading them.
        let at = if is_by_rows || cut.lists[list].mapped().is_some() { done } else { 0 };
        Lane { list, at, reading: None, ahead: None, memory, done, rest: Vec::new(), failed: None, skipped: Vec::new() }
    }

    /// Starts over with a decompressor of up to `memory` bytes. Hands out the chunks from `at` on, or, without it, those not
    /// handed out yet.
    pub fn reopen(&mut self, cut: &Cut<'l>, at: Option<u64>, memory: u64) {
        let at = at.unwrap_or(self.at.max(self.done));
        *self = Lane::from(cut, Position { list: self.list, at }, memory);
    }

    /// Whether the next chunk can be had without delay.
    pub fn is_instant(&self, cut: &Cut<'l>) -> bool {
        let list = &cut.lists[self.list];
        cut.rows_of(self.list).is_some() || list.mapped().is_some() && !list.skips_bad
    }

    /// Reads the next chunk; bytes that are not memory-mapped go to `buffer`. A chunk with a long line is read only if it
    /// `may_be_long`.
    pub fn next(&mut self, cut: &Cut<'l>, buffer: &mut Buffer, may_be_long: bool) -> Result<Next<'l>, ListError> {
        loop {
            if (Position { list: self.list, at: self.at }) >= cut.before || cut.lists[self.list].is_in_other_shards() {
                return Ok(Next::End);
            }
            if let Some(table) = cut.rows_of(self.list) {
                return Ok(self.rows(cut, table));
            }
            let mut permit = None;
            let bytes = match self.take(cut, buffer, may_be_long, &mut permit) {
                Ok(Filled::Chunk(bytes)) => bytes,
                Ok(Filled::Nothing) => return Ok(Next::End),
                Ok(Filled::Long) => return Ok(Next::Long),
                Err(failure) if self.needs_memory(cut, &failure) => return Ok(Next::NeedsMemory),
                Err(failure) if cut.is_asked_to_stop() => return Err(failure),
                Err(failure) => match self.leave_out(&cut.lists[self.list], failure)? {
                    true => continue,
                    false => return Ok(Next::End),
                },
            };
            if let Some(task) = self.given(cut, bytes, buffer, permit)? {
                return Ok(Next::Chunk(task));
            }
        }
    }

    /// Whether its decompressor failed for want of memory that there is.
    fn needs_memory(&self, cut: &Cut<'l>, failure: &ListError) -> bool {
        failure.is_window_too_large() && self.memory < cut.memory
    }

    /// The next range of rows of a table.
    fn rows(&mut self, cut: &Cut<'l>, table: &ParquetList) -> Next<'l> {
        let at = self.at;
        let (rows, taken) = table.ranges(at, cut.rows_size);
        cut.source.fetch_add(taken, Ordering::Relaxed);
        self.at += rows.count() as u64;
        if self.at == at { Next::End } else { Next::Chunk(self.task(at, TaskBytes::Rows(rows), None, false)) }
    }

    /// The chunk just read; `None` if an earlier run had it.
    fn given(
        &mut self,
        cut: &Cut<'l>,
        bytes: TaskBytes<'l>,
        buffer: &Buffer,
        permit: Option<Permit>,
    ) -> Result<Option<Task<'l>>, ListError> {
        let (list, at) = (&cut.lists[self.list], self.at);
        let chunk = if let TaskBytes::Mapped(chunk) = bytes { chunk } else { &buffer.bytes };
        let limited = cut.limit_lines(list, at, chunk);
        // Check for lost pages first: they read as zeros, in which no line ends.
        list.nothing_lost()?;
        limited?;
        let is_long = cut.is_long(chunk.len());
        self.at += chunk.len() as u64;
        if at < self.done {
            // Chunks end where they did in the earlier run, unless the list has changed.
            if self.at > self.done {
                return Err(ListError::Changed { path: list.path.clone() });
            }
            self.skipped.clear();
            return Ok(None);
        }
        Ok(Some(self.task(at, bytes, permit, is_long)))
    }

    fn task(&mut self, at: u64, bytes: TaskBytes<'l>, permit: Option<Permit>, is_long: bool) -> Task<'l> {
        let skipped = take(&mut self.skipped);
        Task { ticket: 0, list: self.list, at, end: self.at, bytes, skipped, ended: Vec::new(), is_long, permit }
    }

    /// Reads the next chunk: a slice of the map, or bytes in `buffer`.
    fn take(
        &mut self,
        cut: &Cut<'l>,
        buffer: &mut Buffer,
        may_be_long: bool,
        permit: &mut Option<Permit>,
    ) -> Result<Filled<'l>, ListError> {
        let list = &cut.lists[self.list];
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let reading = match &mut self.reading {
            Some(reading) => reading,
            none => {
                let room = if self.memory < cut.memory { cut.piece_memory() } else { 0 };
                let (reading, ahead) = list.read(self.at, cut.source, self.memory, room)?;
                self.ahead = ahead;
                none.insert(reading)
            }
        };
        buffer.clear();
        let filled = match reading {
            Reading::Mapped(text) => {
                let start = self.at as usize;
                let chunk = &text[start..chunk_end(text, start, cut.chunk_size)];
                cut.source.fetch_add(chunk.len() as u64, Ordering::Relaxed);
                return Ok(if chunk.is_empty() { Filled::Nothing } else { Filled::Chunk(TaskBytes::Mapped(chunk)) });
            }
            Reading::Stream(stream) => {
                // Only a pipe or a device may keep its lines waiting.
                let patience = if list.is_stream() { cut.patience } else { Patience::UntilFull };
                let (rest, bytes) = (&mut self.rest, &mut buffer.bytes);
                let mut filled = fill(stream, cut.chunk_size, cut.short(), patience, rest, bytes);
                let is_unfinished = bytes.last().is_some_and(|&last| last != b'\n') && bytes.len() > cut.short();
                if filled.is_ok() && is_unfinished && cut.short() < cut.longest {
                    std::mem::swap(rest, bytes);
                    if !may_be_long {
                        return Ok(Filled::Long);
                    }
                    *permit = Some(cut.long_chunks.permit());
                    filled = fill(stream, cut.chunk_size, cut.longest, patience, rest, bytes);
                }
                filled.map_err(|error| unreadable(&list.path, error))
            }
            Reading::Parquet(rows) => {
                let filled = rows.fill(cut.chunk_size, buffer);
                filled.map_err(|problem| ListError::Parquet { path: list.path.clone(), problem })
            }
        };
        match filled {
            Err(failure) if list.skips_bad && !self.needs_memory(cut, &failure) => {
                // Keep the whole lines before the failure; the last line was cut.
                self.rest.clear();
                buffer.bytes.truncate(memchr::memrchr(b'\n', &buffer.bytes).map_or(0, |end| end + 1));
                if buffer.bytes.is_empty() {
                    return Err(failure);
                }
                self.failed = Some(failure);
                Ok(Filled::Chunk(TaskBytes::Buffered))
            }
            filled => Ok(if filled? { Filled::Chunk(TaskBytes::Buffered) } else { Filled::Nothing }),
        }
    }

    /// Leaves out the unreadable rest of a row group or of the list, if unreadable parts are to be left out. Returns whether
    /// the list continues after it.
    fn leave_out(&mut self, list: &List, failure: ListError) -> Result<bool, ListError> {
        if !list.skips_bad || !failure.is_bad_list() {
            return Err(failure);
        }
        let rows = match &mut self.reading {
            Some(Reading::Parquet(rows)) => rows.take_broken(),
            _ => None,
        };
        let continues = rows.is_some();
        let part = SkippedPart { at: rows.is_none().then_some(self.at), rows, problem: failure.problem() };
        self.skipped.push(Skipped { list: self.list, part });
        Ok(continues)
    }
}
