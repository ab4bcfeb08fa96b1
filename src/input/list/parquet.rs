//! Lists that are Parquet files: every row becomes a line, its URL.
//!
//! A line feed inside a URL is written `%0A`, and the line is invalid, so that only URLs of the table are ever judged. If the
//! output is text, rows are [read](super::parquet_lines) in sequence. If it is tables, a worker takes a [range of
//! rows](RowRange) and reads the columns it needs itself.
//!
//! A URL in a dictionary is judged once for every row that has it. Counting two million distinct URLs on one thread took 0.59
//! core seconds, and counting the same lines as text 0.20, so decoding is where the time goes.

use parquet::file::metadata::RowGroupMetaData;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use super::line_columns::{LineColumns, LineReader};
use crate::formats::columnar::{Malformed, ParquetFile, guarded};
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::layout::UrlField;
use crate::input::skipped::{SkippedPart, SkippedRows};

/// Approximate bytes of a value besides its stored text; a file may store less, where it stores a repeated value once.
const VALUE: u64 = 8;

/// How many times as many bytes a chunk may have in all its columns as in its lines. Columns are copied one after the other,
/// and held compressed.
const WIDTH: u64 = 8;

/// An opened file.
pub(crate) struct ParquetList {
    pub file: ParquetFile,
    pub line_columns: LineColumns,
    /// The readable rows of each row group, determined when first needed.
    pub(super) readable: Vec<OnceLock<Readable>>,
}

/// The rows of a row group that can be read with all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Readable {
    /// How many, from the group's first row on.
    pub rows: usize,
    /// Why the rest cannot be read.
    pub problem: Option<String>,
}

/// Consecutive rows of a row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowRange {
    pub group: usize,
    /// The first row's number in the group.
    pub first: usize,
    pub rows: usize,
    /// Whether they are the last rows of the group.
    pub ends: bool,
}

impl ParquetList {
    /// Opens a file.
    pub fn open(path: &Path, file: File, url_field: &UrlField) -> Result<ParquetList, ListError> {
        let opened = guarded(|| {
            let file = ParquetFile::open(file)?;
            Ok((LineColumns::of_list(file.schema(), url_field.column.as_ref()), file))
        });
        let malformed = |Malformed(problem)| ListError::Parquet { path: path.to_owned(), problem };
        let (line_columns, file) = opened.map_err(malformed)?;
        let line_columns = line_columns.map_err(|error| ListError::UrlField { path: path.to_owned(), error })?;
        let readable = file.metadata().row_groups().iter().map(|_| OnceLock::new()).collect();
        Ok(ParquetList { file, line_columns, readable })
    }

    pub(super) fn groups(&self) -> &[RowGroupMetaData] {
        self.file.metadata().row_groups()
    }

    /// The rows from row `from` on whose lines take about `size` bytes, and how many bytes of the file they take; no rows at
    /// the end. Where they end depends only on the file and on `size`.
    pub fn ranges(&self, from: u64, size: usize) -> (Vec<RowRange>, u64) {
        let (mut ranges, mut taken) = (Vec::new(), 0);
        let (mut at, mut room) = (from, size as u64);
        for (number, group) in self.groups().iter().enumerate() {
            let all = rows_of(group);
            if at >= all {
                at -= all;
                continue;
            }
            let row_bytes = self.bytes_of_row(group);
            let fitting = room.div_ceil(row_bytes).max(1);
            let rows = fitting.min(all - at);
            let ends = at + rows == all;
            ranges.push(RowRange { group: number, first: at as usize, rows: rows as usize, ends });
            taken += compressed_bytes(group) * rows / all;
            room = room.saturating_sub(rows.saturating_mul(row_bytes));
            at = 0;
            if room == 0 {
                break;
            }
        }
        (ranges, taken)
    }

    /// How much of a chunk's size a row of this group takes: the bytes of its line, or its share of all columns if that is
    /// more.
    fn bytes_of_row(&self, group: &RowGroupMetaData) -> u64 {
        let rows = rows_of(group).max(1);
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        let column_bytes = |&at: &usize| group.columns().get(at).map_or(0, |column| number(column.uncompressed_size()));
        let line_bytes: u64 = self.line_columns.columns().iter().map(|at| column_bytes(at) / rows + VALUE).sum();
        line_bytes.max(number(group.total_byte_size()) / rows / WIDTH)
    }

    /// Takes the unreadable rows from a receipt, so that exactly those rows are left out again. Returns the problem if they
    /// cannot be of this file.
    pub fn leave_out(&mut self, parts: &[SkippedPart]) -> Option<String> {
        let mut left_out: Vec<SkippedRows> = parts.iter().filter_map(|part| part.rows).collect();
        let (mut first, mut readable) = (0, Vec::new());
        for group in self.groups() {
            let all = rows_of(group);
            let is_of_group = |rows: &SkippedRows| rows.first >= first && rows.first - first <= all;
            let rest = left_out
                .iter()
                .position(|rows| is_of_group(rows) && rows.first.checked_add(rows.count) == Some(first + all));
            let rows = rest.map_or(all, |place| left_out.remove(place).first - first) as usize;
            readable.push(OnceLock::from(Readable { rows, problem: rest.map(|_| String::new()) }));
            first += all;
        }
        self.readable = readable;
        left_out.first().map(|rows| format!("{} rows from row {} on do not end a row group", rows.count, rows.first))
    }

    /// The rows of a group after its first `rows`.
    pub(super) fn rest_of_group(&self, number: usize, rows: usize) -> SkippedRows {
        let before: u64 = self.groups()[..number].iter().map(rows_of).sum();
        SkippedRows { first: before + rows as u64, count: rows_of(&self.groups()[number]) - rows as u64 }
    }

    /// Fills `buffer` with the lines of these rows; fails if they have more than `most` bytes.
    pub fn lines(&self, ranges: &[RowRange], most: usize, buffer: &mut Buffer) -> Result<(), String> {
        buffer.clear();
        let mut before = 0;
        for range in ranges {
            let read = guarded(|| self.chunk_of(range, before, most, buffer));
            read.map_err(|problem| in_group(range.group, problem))?;
            before += range.rows as u64;
        }
        Ok(())
    }

    fn chunk_of(
        &self,
        range: &RowRange,
        before: u64,
        most: usize,
        Buffer { bytes: text, flaws }: &mut Buffer,
    ) -> Result<(), Malformed> {
        let mut reader = LineReader::open(&self.file.group(range.group)?, self.line_columns, range.first)?;
        let mut remaining = range.rows;
        while remaining > 0 {
            // A small page may decode to many bytes, so check the size before copying on.
            if text.len() >= most {
                return Err(Malformed(format!(
                    "the URLs of rows that are read together have more than {most} bytes, the memory limit; use \
                     smaller chunks or more memory"
                )));
            }
            let line = before + (range.rows - remaining) as u64;
            let read = reader.next_lines(remaining, most, line, text, flaws)?;
            if read == 0 {
                return Err(Malformed("it has fewer rows than the file says".to_owned()));
            }
            remaining -= read;
        }
        // No row of the group may be lost.
        if range.ends && reader.next_lines(1, usize::MAX, 0, &mut Vec::new(), &mut Vec::new())? > 0 {
            return Err(Malformed("it has more rows than the file says".to_owned()));
        }
        Ok(())
    }
}

/// A problem, prefixed with its row group.
pub(crate) fn in_group(number: usize, Malformed(problem): Malformed) -> String {
    format!("in its row group {number}: {problem}")
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

pub(super) fn compressed_bytes(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.compressed_size()).unwrap_or(0)
}
