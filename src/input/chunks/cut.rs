//! How lists are cut into chunks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use super::long_chunks::LongChunks;
use super::task::LONGEST_CHUNK;
use crate::input::error::ListError;
use crate::input::list::{List, Patience};
use crate::input::position::Position;

/// Settings for cutting lists into chunks.
pub(super) struct Cut<'l> {
    pub lists: &'l [List],
    pub chunk_size: usize,
    /// The longest line allowed.
    pub longest: usize,
    pub patience: Patience,
    /// Counts the bytes read from the lists' files.
    pub source: &'l AtomicU64,
    /// Whether tables are handed out as ranges of rows, which the worker that takes one reads itself.
    pub by_rows: bool,
    /// The position, in a list, at which to stop handing out chunks.
    pub before: Position,
    pub long_chunks: Arc<LongChunks>,
    /// Memory for decompressors and for chunks read ahead.
    pub memory: u64,
    /// Folder for chunks read ahead that do not fit in memory. Without one, reading ahead pauses while memory is full.
    pub home: Option<PathBuf>,
}

impl Cut<'_> {
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

    /// The length up to which a chunk is not [long](Cut::is_long), or the longest line if that is shorter.
    pub fn short(&self) -> usize {
        self.chunk_size.saturating_mul(2).min(self.longest)
    }

    /// Whether a chunk of this length is far longer than usual.
    pub fn is_long(&self, length: usize) -> bool {
        length > self.chunk_size.saturating_mul(2)
    }

    /// Fails if the last line of a chunk is too long. A chunk is full before any other line can be.
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
