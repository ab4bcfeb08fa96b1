//! How lists are cut into chunks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::alone::Alone;
use super::task::LONGEST_CHUNK;
use crate::input::error::ListError;
use crate::input::list::{List, Patience};
use crate::input::position::Position;

/// How lists are cut into chunks.
pub(super) struct Cut<'l> {
    pub lists: &'l [List],
    pub chunk_size: usize,
    /// How long a line may be.
    pub longest: usize,
    pub patience: Patience,
    /// Bytes that were read of the lists' files.
    pub source: &'l AtomicU64,
    /// Whether of tables, ranges of rows are handed out, which the worker that takes one reads by itself.
    pub by_rows: bool,
    /// The list, and the place in it, from which on nothing is handed out.
    pub before: Position,
    pub alone: Arc<Alone>,
    /// The memory of decompressors, and of chunks that are read ahead.
    pub memory: u64,
    /// The folder for chunks that are read ahead and have no room in memory; without one, nothing more is read ahead then.
    pub home: Option<PathBuf>,
}

impl Cut<'_> {
    /// The memory for pieces of the first list that others help with.
    pub fn of_pieces(&self) -> u64 {
        self.memory / 3
    }

    /// The memory of other readers, and of chunks that wait.
    pub fn of_readers(&self) -> u64 {
        self.memory - self.of_pieces()
    }

    /// Where a list begins, if there is one of this number.
    pub fn start_of(&self, list: usize) -> Option<Position> {
        self.lists.get(list).map(|of| Position { list, at: of.start() })
    }

    /// How long a chunk may be that is not far longer than others are.
    pub fn short(&self) -> usize {
        self.chunk_size.saturating_mul(2).min(self.longest)
    }

    /// Whether a chunk of so many bytes is far longer than others are.
    pub fn is_long(&self, length: usize) -> bool {
        length > self.chunk_size.saturating_mul(2)
    }

    /// Makes sure that the last line of a chunk is not too long; others end before a chunk is full.
    pub fn limit_lines(&self, list: &List, at: u64, chunk: &[u8]) -> Result<(), ListError> {
        let longest = self.longest.min(LONGEST_CHUNK - self.chunk_size.min(LONGEST_CHUNK / 2));
        if chunk.len() <= longest {
            return Ok(());
        }
        let start = memchr::memrchr(b'\n', &chunk[..chunk.len() - 1]).map_or(0, |end| end + 1);
        if chunk.len() - start <= longest {
            return Ok(());
        }
        let head = if list.mapped().is_some() { 0 } else { list.head_length as u64 };
        Err(ListError::LineTooLong { path: list.path.clone(), offset: head + at + start as u64, longest })
    }
}
