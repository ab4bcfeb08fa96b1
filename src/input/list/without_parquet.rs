//! Stand-ins for Parquet in a program built without it.

use super::line_ends::Buffer;
use crate::input::error::SkippedPart;

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
