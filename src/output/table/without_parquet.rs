//! Stubs for tables in a program built without Parquet.

use std::io;
use std::path::{Path, PathBuf};

use super::shared::{DroppedKey, StoredRows, TableLines, TakenRows, Wanted};
use crate::error::run::{Error, ErrorKind};
use crate::input::chunks::Chunk;
use crate::input::list::List;
use crate::input::path_columns::{PathColumn, PathColumns};
use crate::outcome::Outcome;
use crate::output::causes::ChunkCauses;
use crate::output::folder::Written;
use crate::output::form::{Block, OutputOptions, Splits};
use crate::output::receipt::Receipt;

/// A table; none can be made.
#[derive(Debug, Clone)]
pub(crate) enum TableSchema {}

/// Rows; there are none.
pub(crate) struct FileRows;

/// A row group; there are none.
pub(crate) struct FullGroup {
    pub set: usize,
}

/// Waiting rows; there are none.
pub(crate) struct WaitingRows;

impl TableSchema {
    /// Fails: Parquet is not built in.
    pub fn of(
        _lists: &[&List],
        _first: usize,
        _files: OutputOptions,
        _splits: &Splits,
        _paths: PathColumns,
    ) -> Result<TableSchema, Error> {
        Err(without_parquet())
    }

    /// Cannot be called.
    pub fn share(&mut self, _other: &TableSchema) {
        match *self {}
    }

    /// Cannot be called.
    pub fn has_columns_of(&self, _other: &TableSchema) -> bool {
        match *self {}
    }

    /// Cannot be called.
    pub fn dropped_keys(&self) -> &[(usize, DroppedKey)] {
        match *self {}
    }

    /// Cannot be called.
    pub fn empty_end(&self) -> Result<Vec<u8>, Error> {
        match *self {}
    }

    /// Cannot be called.
    pub fn rows(
        &self,
        _set: usize,
        _chunk: &Chunk<'_>,
        _outcomes: &[Vec<Outcome>],
        _causes: &mut ChunkCauses<'_>,
    ) -> Result<Vec<FileRows>, Error> {
        match *self {}
    }

    /// Cannot be called.
    pub fn row_group(&self, _group: FullGroup) -> Result<Block<'static>, Error> {
        match *self {}
    }
}

/// None: no list is a table.
pub(crate) fn path_columns_of(_list: &List) -> Result<Vec<PathColumn>, Error> {
    Ok(Vec::new())
}

impl FileRows {
    /// Does nothing.
    pub fn compact(&mut self) -> Result<(), Error> {
        Ok(())
    }
}

impl WaitingRows {
    /// No rows.
    pub fn new(_folder: PathBuf, _group_bytes: u64, _budget: u64, _are_kept: bool) -> WaitingRows {
        WaitingRows
    }

    /// Fails: Parquet is not built in.
    pub fn resume(self, _state: &StoredRows) -> Result<WaitingRows, Error> {
        Err(without_parquet())
    }

    /// Takes nothing.
    pub fn take(&mut self, _rows: Vec<FileRows>, _ended: &[usize]) -> Result<Vec<FullGroup>, Error> {
        Ok(Vec::new())
    }

    /// Nothing.
    pub fn rest(self) -> Vec<FullGroup> {
        Vec::new()
    }

    /// Nothing.
    pub fn checkpoint(&mut self) -> Result<TakenRows, Error> {
        Ok(TakenRows::default())
    }
}

/// Fails: Parquet is not built in.
pub(crate) fn complete(_path: &Path, _part: &Written, _empty_end: &[u8]) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Fails: Parquet is not built in.
pub(crate) fn reread<T: Default + Send>(
    _path: &Path,
    _wanted: Wanted,
    (_receipt, _is_of_table): (&Receipt, bool),
    _threads: usize,
    _of: impl Fn(&TableLines) -> T + Sync,
    _append: impl Fn(&mut T, T) + Sync,
) -> Result<T, Error> {
    Err(without_parquet())
}

fn without_parquet() -> Error {
    ErrorKind::List.of("this program was built without Parquet (cargo feature `parquet`)")
}
