//! Reads one list, chunk by chunk.

use std::mem::take;

use super::chunk::{Chunk, Position};
use super::cut::Cut;
use super::long_chunks::Permit;
use crate::formats::made_ahead::Ahead;
use crate::input::error::ListError;
use crate::input::list::Buffer;
use crate::input::list::{List, ListReader, Next, Text};
use crate::input::skipped::{Skipped, SkippedPart};

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
    /// Why nothing can be read after the last chunk.
    failed: Option<ListError>,
    /// Parts skipped since the last chunk.
    pub skipped: Vec<Skipped>,
}

impl<'l> OpenList<'l> {
    /// Reads a list from a position on. If the list can only be read from its start, everything before the position is read and
    /// dropped.
    pub fn from(cut: &Cut<'l>, Position { list, at: done }: Position, memory: u64) -> OpenList<'l> {
        let at = if cut.begins_anywhere(list) { done } else { 0 };
        OpenList { list, at, reader: None, ahead: None, memory, done, failed: None, skipped: Vec::new() }
    }

    /// Starts over with a decompressor of up to `memory` bytes. Hands out the chunks from `at` on, or, without it, those not
    /// handed out yet.
    pub fn reopen(&mut self, cut: &Cut<'l>, at: Option<u64>, memory: u64) {
        let at = at.unwrap_or(self.at.max(self.done));
        *self = OpenList::from(cut, Position { list: self.list, at }, memory);
    }

    /// Whether the next chunk can be had without delay.
    pub fn is_instant(&self, cut: &Cut<'l>) -> bool {
        cut.begins_anywhere(self.list) && !(cut.lists[self.list].mapped().is_some() && cut.lists[self.list].skips_bad)
    }

    /// Reads the next chunk, into `buffer` if it needs one. A chunk with a long line is read only if it `may_be_long`.
    pub fn next(
        &mut self,
        cut: &Cut<'l>,
        buffer: &mut Buffer,
        may_be_long: bool,
    ) -> Result<Next<Chunk<'l>>, ListError> {
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
    fn given(&mut self, cut: &Cut<'l>, text: Text<'l>, permit: Option<Permit>) -> Result<Option<Chunk<'l>>, ListError> {
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
                return Err(ListError::Changed { path: list.path.clone() });
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
    ) -> Result<Next<Text<'l>>, ListError> {
        if let Some(failure) = self.failed.take() {
            return Err(failure);
        }
        let list = &cut.lists[self.list];
        let has_more_memory = self.memory < cut.memory;
        let reader = match &mut self.reader {
            Some(reader) => reader,
            none => {
                let room = if has_more_memory { cut.piece_memory() } else { 0 };
                match list.reader(self.at, cut.by_rows, cut.source, self.memory, room) {
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
    fn skip(&mut self, list: &List, failure: ListError) -> Result<bool, ListError> {
        if !list.skips_bad || !failure.is_bad_list() {
            return Err(failure);
        }
        let rows = self.reader.as_mut().and_then(|reader| reader.take_broken());
        let continues = rows.is_some();
        let part = SkippedPart { at: rows.is_none().then_some(self.at), rows, problem: failure.problem() };
        self.skipped.push(Skipped { list: self.list, part });
        Ok(continues)
    }
}
