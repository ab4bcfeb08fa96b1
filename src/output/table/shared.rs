//! What a program built without Parquet knows of tables, too.

use crate::input::chunk::Chunk;
use crate::input::list::{List, RowRange};
use crate::outcome::Partition;

/// Where the columns of the list come from.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
pub(crate) enum RowSource<'s> {
    /// The lines of a chunk.
    Text(Chunk<'s>),
    /// Rows of a list that is a table, and their lines, except those left out.
    Rows { list: &'s List, ranges: &'s [RowRange], lines: Chunk<'s> },
}

/// Returns whether to stop; called from all threads.
pub(crate) type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// The result of merging the row groups of a file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    /// Nothing was merged: its row groups are large enough.
    Nothing,
    /// A merged file of this many bytes was written beside it.
    Written(u64),
    /// Nothing was merged, because of a request to stop.
    Stopped,
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
