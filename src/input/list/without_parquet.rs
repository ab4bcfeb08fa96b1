//! Stand-ins for Parquet in a program built without it.

use std::path::Path;

use super::line_ends::Buffer;
use super::regular::Regular;
use crate::error::run::Error;
use crate::input::error::{SkippedPart, malformed};
use crate::input::layout::UrlField;

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
    /// Fails: Parquet is not built in.
    pub fn open(path: &Path, _: &Regular, _: &UrlField, _: u64) -> Result<ParquetList, Error> {
        let problem = "it is a Parquet file, but this program was built without Parquet (cargo feature `parquet`)";
        Err(malformed(path, problem.to_owned()))
    }

    /// Cannot be called.
    pub fn skip(&self, _parts: &[SkippedPart]) -> Option<String> {
        match *self {}
    }

    /// Cannot be called.
    pub fn read(
        &self,
        _rows: &mut TableRows,
        _skips_bad: bool,
        _with_columns: bool,
        _most: usize,
        _buffer: &mut Buffer,
    ) -> Result<Vec<SkippedPart>, String> {
        match *self {}
    }
}
