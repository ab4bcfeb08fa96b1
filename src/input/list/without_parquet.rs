//! Stand-ins for Parquet in a program built without it.

use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicU64;

use crate::formats::made_ahead::Ahead;
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::layout::UrlField;
use crate::input::skipped::{SkippedPart, SkippedRows};

/// A file that cannot be opened.
pub(crate) enum ParquetList {}

/// Rows, of which there are none.
pub(crate) struct TableRows;

impl TableRows {
    /// None.
    pub fn count(&self) -> usize {
        0
    }
}

impl ParquetList {
    /// Fails, because the program lacks Parquet.
    pub fn open(path: &Path, _file: File, _url_field: &UrlField) -> Result<ParquetList, ListError> {
        let problem = "it is a Parquet file, but this program was built without Parquet (cargo feature `parquet`)";
        Err(ListError::Parquet { path: path.to_owned(), problem: problem.to_owned() })
    }

    /// Cannot be called.
    pub fn ranges(&self, _from: u64, _size: usize) -> (TableRows, u64) {
        match *self {}
    }

    /// Cannot be called.
    pub fn leave_out_bad(&self, _rows: &mut TableRows) -> Vec<SkippedPart> {
        match *self {}
    }

    /// Cannot be called.
    pub fn leave_out(&mut self, _parts: &[SkippedPart]) -> Option<String> {
        match *self {}
    }

    /// Cannot be called.
    pub fn read(
        &self,
        _rows: &mut TableRows,
        _with_columns: bool,
        _most: usize,
        _buffer: &mut Buffer,
    ) -> Result<(), String> {
        match *self {}
    }
}

/// Lines of a table, of which there are none.
pub(crate) struct ParquetLines<'t>(&'t ParquetList);

impl<'t> ParquetLines<'t> {
    /// Cannot be called.
    pub fn of(table: &'t ParquetList, _source: &'t AtomicU64, _room: u64) -> ParquetLines<'t> {
        ParquetLines(table)
    }

    /// Cannot be called.
    pub fn ahead(&self) -> Option<Ahead<'t>> {
        match *self.0 {}
    }

    /// Cannot be called.
    pub fn take_broken(&mut self) -> Option<SkippedRows> {
        match *self.0 {}
    }

    /// Cannot be called.
    pub fn fill(&mut self, _size: usize, _buffer: &mut Buffer) -> Result<bool, String> {
        match *self.0 {}
    }
}
