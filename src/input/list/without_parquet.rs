//! Stand-ins for Parquet in a program built without it.

use std::io;
use std::path::Path;

use super::content::Content;
use super::reader::{Begin, ListReader};
use super::regular::Regular;
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::layout::UrlField;
use crate::input::skipped::SkippedPart;

/// A file that cannot be opened.
pub(super) enum TableFile {}

/// A table, of which there is none.
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
    /// Cannot be called.
    pub fn leave_out_bad(&self, _rows: &mut TableRows) -> Vec<SkippedPart> {
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

impl TableFile {
    /// Fails, because the program lacks Parquet.
    pub fn open(path: &Path, _file: Regular, _url_field: &UrlField) -> Result<TableFile, ListError> {
        let problem = "it is a Parquet file, but this program was built without Parquet (cargo feature `parquet`)";
        Err(ListError::Parquet { path: path.to_owned(), problem: problem.to_owned() })
    }
}

impl Content for TableFile {
    fn start(&self, _: &UrlField) -> io::Result<Vec<u8>> {
        match *self {}
    }

    fn reader<'l>(&'l self, _: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        match *self {}
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        match *self {}
    }
}
