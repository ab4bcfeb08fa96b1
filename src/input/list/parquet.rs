//! Lists that are Parquet files: every row becomes a line, its URL.
//!
//! A line feed inside a URL is written `%0A`, and the line is invalid, so that only URLs of the table are ever judged. If the
//! output is text, rows are [read](super::table) in sequence. If it is tables, a worker takes a [range of
//! rows](RowRange) and reads the columns it needs itself.
//!
//! A URL in a dictionary is judged once for every row that has it.

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use parquet::file::metadata::RowGroupMetaData;
use std::path::Path;
use std::sync::{Mutex, OnceLock};

use super::line_columns::{LineArrays, LineColumns, LineReader};
use super::line_ends::Buffer;
use super::regular::Regular;
use crate::error::run::Error;
pub(crate) use crate::formats::columnar::RowRange;
use crate::formats::columnar::{Malformed, ParquetFile, guarded};
use crate::formats::error::NO_ROOM;
use crate::input::error::{SkippedPart, SkippedRows, malformed, of_list, unreadable};
use crate::input::layout::UrlField;
use crate::lock::lock;

/// Approximate bytes of a value besides its stored text; a file may store less, where it stores a repeated value once.
const VALUE: u64 = 8;

/// The bytes of a value in memory, at most, besides those of its text: a place and a length.
const VIEW: u64 = 16;

/// How many times as many bytes a chunk may have in all its columns as in its lines.
const WIDTH: u64 = 6;

/// How many rows are read at a time to find damage.
const BATCH: usize = 1024;

/// An opened file.
pub(crate) struct ParquetList {
    pub file: ParquetFile,
    pub line_columns: LineColumns,
    /// The readable rows of each row group, determined when first needed.
    pub(super) readable: Vec<OnceLock<Readable>>,
    /// The right to read large pages.
    large: Mutex<()>,
}

/// The rows of a row group that can be read with all columns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Readable {
    /// How many, from the group's first row on.
    pub rows: usize,
    /// Why the rest cannot be read.
    pub problem: Option<String>,
}

/// The rows of a chunk.
pub(crate) struct TableRows {
    pub ranges: Vec<RowRange>,
    /// Their columns, once they are read.
    pub batch: Option<RecordBatch>,
}

impl TableRows {
    pub fn count(&self) -> usize {
        self.ranges.iter().map(|range| range.rows).sum()
    }
}

impl ParquetList {
    pub fn open(path: &Path, file: &Regular, url_field: &UrlField, memory: u64) -> Result<ParquetList, Error> {
        let file = file.open().and_then(|file| file.try_clone()).map_err(|error| unreadable(path, error))?;
        let opened = guarded(|| {
            let file = ParquetFile::open(file)?.within(memory);
            Ok((LineColumns::of_list(file.schema(), url_field.column.as_ref()), file))
        });
        let (line_columns, file) = opened.map_err(|Malformed(problem)| malformed(path, problem))?;
        let line_columns = line_columns.map_err(of_list(path))?;
        let readable = file.metadata().row_groups().iter().map(|_| OnceLock::new()).collect();
        Ok(ParquetList { file, line_columns, readable, large: Mutex::new(()) })
    }

    pub(super) fn groups(&self) -> &[RowGroupMetaData] {
        self.file.metadata().row_groups()
    }

    /// The rows from row `from` on whose lines take about `size` bytes, and how many bytes of the file they take; no rows at
    /// the end. Where they end depends only on the file and on `size`: a group is divided into equal parts, because each begins
    /// by reading the group's dictionaries, and small groups are read together.
    pub fn ranges(&self, from: u64, size: usize) -> (TableRows, u64) {
        let (mut ranges, mut taken) = (Vec::new(), 0);
        let (mut at, mut room) = (from, size as u64);
        for (number, group) in self.groups().iter().enumerate() {
            let all = rows_of(group);
            if at >= all {
                at -= all;
                continue;
            }
            let row_bytes = self.bytes_of_row(group);
            let bytes = all.saturating_mul(row_bytes);
            if !ranges.is_empty() && bytes > room {
                break;
            }
            // A little more than fits is better than a part more.
            let parts = bytes.div_ceil((size as u64).saturating_add(size as u64 / 4).max(1));
            let rows = all.div_ceil(parts.max(1)).min(all - at);
            let ends = at + rows == all;
            ranges.push(RowRange { group: number, first: at as usize, rows: rows as usize, ends });
            taken += compressed_bytes(group) * rows / all;
            room = room.saturating_sub(rows.saturating_mul(row_bytes));
            at = 0;
            if room == 0 || !ends {
                break;
            }
        }
        (TableRows { ranges, batch: None }, taken)
    }

    /// How much of a chunk's size a row of this group takes: the bytes of its line, or its share of all columns if that is
    /// more.
    fn bytes_of_row(&self, group: &RowGroupMetaData) -> u64 {
        let rows = rows_of(group).max(1);
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        let column_bytes = |&at: &usize| group.columns().get(at).map_or(0, |column| number(column.uncompressed_size()));
        let line_bytes: u64 = self.line_columns.columns().iter().map(|at| column_bytes(at) / rows + VALUE).sum();
        let values = group.columns().iter().map(|column| number(column.num_values())).sum::<u64>();
        let all = number(group.total_byte_size()).saturating_add(values.saturating_mul(VIEW));
        line_bytes.max(all / rows / WIDTH)
    }

    /// Takes the unreadable rows from a receipt, so that exactly those rows are skipped again. Returns the problem if they
    /// cannot be of this file.
    pub fn skip(&self, parts: &[SkippedPart]) -> Option<String> {
        let mut skipped: Vec<SkippedRows> = parts.iter().filter_map(|part| part.rows).collect();
        let mut first = 0;
        for (group, readable) in self.groups().iter().zip(&self.readable) {
            let all = rows_of(group);
            let is_of_group = |rows: &SkippedRows| rows.first >= first && rows.first - first <= all;
            let rest = skipped
                .iter()
                .position(|rows| is_of_group(rows) && rows.first.checked_add(rows.count) == Some(first + all));
            let rows = rest.map_or(all, |place| skipped.remove(place).first - first) as usize;
            if readable.set(Readable { rows, problem: rest.map(|_| String::new()) }).is_err() {
                return Some("its rows were examined before".to_owned());
            }
            first += all;
        }
        skipped.first().map(|rows| format!("{} rows from row {} on do not end a row group", rows.count, rows.first))
    }

    /// The rows of a group after its first `rows`.
    pub(super) fn rest_of_group(&self, number: usize, rows: usize) -> SkippedRows {
        let before: u64 = self.groups()[..number].iter().map(rows_of).sum();
        SkippedRows { first: before + rows as u64, count: rows_of(&self.groups()[number]) - rows as u64 }
    }

    /// Skips the rows of a chunk that cannot be read, and returns the unreadable parts that begin in it.
    fn skip_bad(&self, rows: &mut TableRows) -> Vec<SkippedPart> {
        let parts = rows.ranges.iter_mut().filter_map(|range| self.keep_readable(range)).collect();
        rows.ranges.retain(|range| range.rows > 0);
        parts
    }

    /// Shortens a range to the rows that can be read with all columns. Returns the unreadable part of the row group if it
    /// begins in this range. Which rows can be read is tried once, by the first worker that asks.
    fn keep_readable(&self, range: &mut RowRange) -> Option<SkippedPart> {
        let Readable { rows, problem } = self.readable[range.group].get_or_init(|| self.readable_rows(range.group));
        let problem = problem.as_ref()?;
        let is_begun = range.first <= *rows && (*rows < range.first + range.rows || range.ends);
        (range.rows, range.ends) = (rows.saturating_sub(range.first).min(range.rows), false);
        let rows = Some(self.rest_of_group(range.group, *rows));
        is_begun.then(|| SkippedPart {
            at: None,
            bytes: None,
            rows,
            problem: in_group(range.group, Malformed(problem.clone())),
        })
    }

    /// How many rows of a group can be read with all columns.
    fn readable_rows(&self, group: usize) -> Readable {
        let all = usize::try_from(rows_of(&self.groups()[group])).unwrap_or(0);
        let mut readable = Readable { rows: all, problem: None };
        for columns in self.file.columns_at_once() {
            let mut rows = 0;
            let mut read_on = |at_once| {
                guarded(|| {
                    let rest = RowRange { group, first: rows, rows: all - rows, ends: true };
                    let mut batches = self.file.batches(rest, &columns, at_once)?;
                    while let Some(batch) = batches.next()? {
                        rows += batch.num_rows();
                    }
                    Ok(())
                })
            };
            // Of the batch that cannot be read, some rows may be readable.
            let read = read_on(BATCH).or_else(|_| read_on(1));
            if let Err(Malformed(problem)) = read
                && (rows < readable.rows || readable.problem.is_none())
            {
                readable = Readable { rows: rows.min(readable.rows), problem: Some(problem) };
            }
        }
        readable
    }

    /// Fills `buffer` with the lines of a chunk's rows; fails if they have more than `most` bytes. Reads the other columns too,
    /// if they are wanted. If unreadable rows are skipped, they are removed from the chunk, and the parts that begin in it returned.
    pub fn read(
        &self,
        rows: &mut TableRows,
        skips_bad: bool,
        with_columns: bool,
        most: usize,
        buffer: &mut Buffer,
    ) -> Result<Vec<SkippedPart>, String> {
        let all: Vec<usize> = (0..self.file.schema().num_columns()).collect();
        let columns = if with_columns || skips_bad { &all[..] } else { self.line_columns.columns() };
        let _permit =
            rows.ranges.iter().any(|range| self.file.is_large(range.group, columns)).then(|| lock(&self.large));
        let skipped = if skips_bad { self.skip_bad(rows) } else { Vec::new() };
        match with_columns {
            true => self.rows(rows, most, buffer)?,
            false => self.lines(&rows.ranges, most, buffer)?,
        }
        Ok(skipped)
    }

    /// Reads rows with all their columns.
    fn rows(&self, rows: &mut TableRows, most: usize, buffer: &mut Buffer) -> Result<(), String> {
        buffer.clear();
        let read =
            |range: &RowRange| guarded(|| self.file.rows(*range)).map_err(|problem| in_group(range.group, problem));
        let read = rows.ranges.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let batch = match <[RecordBatch; 1]>::try_from(read) {
            Ok([batch]) => Ok(batch),
            Err(several) => concat_batches(self.file.batch_schema(), &several),
        };
        let batch = batch.map_err(|error| Malformed::from(error).0)?;
        let lines =
            LineArrays::of(self.line_columns, self.file.schema(), &batch).map_err(|Malformed(problem)| problem)?;
        if !lines.append_all(most, buffer) {
            return Err(too_many(most));
        }
        rows.batch = Some(batch);
        Ok(())
    }

    /// Fills `buffer` with the lines of these rows; fails if they have more than `most` bytes.
    pub(super) fn lines(&self, ranges: &[RowRange], most: usize, buffer: &mut Buffer) -> Result<(), String> {
        buffer.clear();
        let (Buffer { bytes, flaws, .. }, mut line) = (buffer, 0);
        for range in ranges {
            let read = guarded(|| {
                let mut reader = LineReader::open(&self.file, self.line_columns, *range)?;
                loop {
                    let is_full = bytes.len() >= most;
                    match reader.next_lines(self.file.schema(), usize::MAX, most, most, line, bytes, flaws)? {
                        0 => return Ok(()),
                        // A small page may decode to many bytes.
                        _ if is_full => return Err(Malformed(too_many(most))),
                        lines => line += lines as u64,
                    }
                }
            });
            read.map_err(|problem| in_group(range.group, problem))?;
        }
        Ok(())
    }
}

/// The problem of rows whose lines have more than `most` bytes.
fn too_many(most: usize) -> String {
    format!("the URLs of rows that are read together have more than {most} bytes, {}", NO_ROOM)
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
