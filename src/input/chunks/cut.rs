//! How lists are cut into chunks.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::chunk::{LONGEST_CHUNK, Position};
use super::long_chunks::LongChunks;
use crate::input::error::ListError;
use crate::input::list::{List, Patience, Wanted};

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
    pub home: Option<PathBuf>,
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
            home: None,
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
        list.mapped().is_some() || self.by_rows && list.parquet_list().is_some()
    }

    /// How much is read as a chunk, whose line may be long or not.
    pub fn wanted(&self, may_be_long: bool) -> Wanted {
        let may_be_long = may_be_long || self.short() >= self.longest;
        Wanted {
            size: self.chunk_size,
            rows_size: self.rows_size,
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
