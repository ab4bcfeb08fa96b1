//! A list that is a table: the file, and its rows as lines or as ranges.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use super::beginning::unreadable;
use super::content::Content;
use super::parquet::ParquetList;
use super::parquet_lines::ParquetLines;
use super::reader::{Begin, ListReader, Next, Text, Wanted};
use super::regular::Regular;
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::layout::UrlField;
use crate::input::skipped::SkippedPart;

/// A Parquet file, or a copy of one that was compressed or came through a pipe.
pub(super) struct TableFile {
    file: Regular,
    table: ParquetList,
}

impl TableFile {
    /// Opens the table in a file; `path` is that of its list.
    pub fn open(path: &Path, file: Regular, url_field: &UrlField) -> Result<TableFile, ListError> {
        let own = file.file.try_clone().map_err(|error| unreadable(path, error))?;
        Ok(TableFile { table: ParquetList::open(path, own, url_field)?, file })
    }
}

impl Content for TableFile {
    fn file(&self) -> Option<&Regular> {
        Some(&self.file)
    }

    fn table(&self) -> Option<&ParquetList> {
        Some(&self.table)
    }

    fn start(&self, _: &UrlField) -> io::Result<Vec<u8>> {
        Ok(Vec::new())
    }

    fn reader<'l>(&'l self, begin: Begin<'l>) -> Result<Box<dyn ListReader<'l> + 'l>, ListError> {
        let Begin { path, at, by_rows, source, room, .. } = begin;
        Ok(match by_rows {
            true => Box::new(RowRanges { table: &self.table, at, source }),
            false => Box::new(ParquetLines::of(path, &self.table, source, room)),
        })
    }

    fn seekable(self: Box<Self>) -> io::Result<Regular> {
        Ok(self.file)
    }

    fn leave_out(&mut self, parts: &[SkippedPart]) -> Option<String> {
        self.table.leave_out(parts)
    }
}

/// Cuts a table into ranges of rows.
struct RowRanges<'l> {
    table: &'l ParquetList,
    /// The next row.
    at: u64,
    source: &'l AtomicU64,
}

impl<'l> ListReader<'l> for RowRanges<'l> {
    fn next(&mut self, wanted: Wanted, _: &mut Buffer) -> Result<Next<Text<'l>>, ListError> {
        let (rows, taken) = self.table.ranges(self.at, wanted.rows_size);
        self.source.fetch_add(taken, Ordering::Relaxed);
        self.at += rows.count() as u64;
        Ok(if rows.count() == 0 { Next::End } else { Next::Chunk(Text::Rows(rows)) })
    }
}
