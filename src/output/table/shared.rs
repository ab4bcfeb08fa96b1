//! The parts of tables that a program built without Parquet needs, too.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::PathBuf;

use crate::formats::spill::Place;
use crate::formats::visible;
use crate::outcome::Partition;

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

/// A key of the metadata of lists that files made of their rows do not have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DroppedKey {
    /// The key.
    pub key: String,
    /// Why.
    pub problem: String,
}

impl fmt::Display for DroppedKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its metadata {:?} is not kept: {}", self.key, visible(&self.problem))
    }
}

/// Rows that wait, stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredBatch {
    pub rows: usize,
    /// Their bytes in memory.
    pub bytes: u64,
    pub place: Place,
    /// The XXH3 of what is stored.
    pub checksum: u64,
}

/// The stored rows that wait for a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct StoredFile {
    pub set: usize,
    pub file: usize,
    pub batches: Vec<StoredBatch>,
}

/// All rows that wait at a checkpoint.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct StoredRows {
    /// Bytes of a row group that is large enough.
    pub group_bytes: u64,
    pub files: Vec<StoredFile>,
}

/// The rows of a checkpoint, and their files.
#[derive(Debug, Default)]
pub(crate) struct TakenRows {
    pub rows: StoredRows,
    /// The files that must be durable before the checkpoint counts.
    pub added: Vec<PathBuf>,
    /// The files that nothing needs once it does.
    pub outdated: Vec<PathBuf>,
}

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
