//! Stand-ins for tables in a program built without Parquet.

use super::shared::{RowSource, Stop, TableLines, Wanted};
use std::io;
use std::path::Path;

use crate::input::error::ListError;
use crate::input::list::List;
use crate::outcome::Outcome;
use crate::output::block::Block;
use crate::output::causes::ChunkCauses;
use crate::output::error::OutputError;
use crate::output::folder::Written;
use crate::output::form::Rows;
use crate::output::receipt::Receipt;
use crate::robots::Agents;

/// A table, which cannot be made.
#[derive(Debug, Clone)]
pub(crate) enum Table {}

impl Table {
    /// Fails: Parquet is not built in.
    pub fn of(_lists: &[&List], _files: Rows, _agents: &[&Agents]) -> Result<Table, OutputError> {
        Err(ListError::WithoutParquet.into())
    }

    /// Cannot be called.
    pub fn empty_end(&self) -> Result<Vec<u8>, OutputError> {
        match *self {}
    }

    /// Cannot be called.
    pub fn blocks(
        &self,
        _set: usize,
        _source: &RowSource<'_>,
        _outcomes: &[Vec<Outcome>],
        _causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<Block<'static>>, OutputError> {
        match *self {}
    }
}

/// Fails: Parquet is not built in.
pub(crate) fn complete(
    _from: &Path,
    _to: &Path,
    _part: &Written,
    _empty_end: &[u8],
    _threads: usize,
    _stop: Stop<'_>,
) -> io::Result<Option<u64>> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails: Parquet is not built in.
pub(crate) fn reread<T: Default + Send>(
    _path: &Path,
    _wanted: Wanted,
    (_receipt, _is_of_table): (&Receipt, bool),
    _threads: usize,
    _of: impl Fn(&TableLines) -> T + Sync,
    _append: impl Fn(&mut T, &T) + Sync,
) -> Result<T, ListError> {
    Err(ListError::WithoutParquet)
}
