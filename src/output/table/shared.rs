//! What a program built without Parquet knows of tables, too.

use crate::input::chunk::Chunk;
use crate::input::list::{List, RowRange};
use crate::outcome::Partition;

/// A chunk that becomes rows.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) struct RowSource<'s> {
    /// Its lines, except those left out.
    pub lines: Chunk<'s>,
    /// If its list is a table: the list, and the rows of the chunk.
    pub of_table: Option<(&'s List, &'s [RowRange])>,
}

/// The bytes that end every file, and every frame before its length: the length of the footer, and the mark.
pub(super) const TAIL: usize = 8;

/// The bytes after a frame's footer: the length of the frame.
pub(super) const TRAILER: usize = 8;

/// The most bytes that a frame adds to the footer of its file: the size of its own footer and a quarter more, because larger
/// offsets take more bytes.
pub(crate) fn frame_footer(frame: &[u8]) -> u64 {
    let tail = frame.len().checked_sub(TRAILER + TAIL).and_then(|at| frame[at..].first_chunk::<4>());
    let own = tail.map_or(0, |length| u64::from(u32::from_le_bytes(*length)));
    own + own / 4 + TAIL as u64
}

/// Returns whether to stop; called from all threads.
pub(crate) type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// Some rows of a run's table.
#[derive(Debug, Default)]
pub(crate) struct TableLines {
    /// Their lines, each ending in LF.
    pub text: Vec<u8>,
    /// For each crawler whose verdicts are columns, the verdict of each row; `None` if it is not one.
    pub verdicts: Vec<Vec<Option<Partition>>>,
}

/// Which text of the rows to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The lines that the rows were made of.
    Lines,
    /// The URLs that were judged.
    Urls,
}
