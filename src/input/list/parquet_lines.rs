//! The rows of a table as lines, in order; helpers [decode ahead](super::parquet_ahead).

use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::line_columns::LineReader;
use super::line_ends::chunk_end;
use super::parquet::{ParquetList, compressed_bytes, in_group};
use super::parquet_ahead::{ParquetAhead, ROWS as PIECE_ROWS};
use super::reader::{ListReader, Next, Text, Wanted};
use crate::formats::columnar::{Malformed, RowRange, guarded};
use crate::formats::made_ahead::Ahead;
use crate::input::buffer::Buffer;
use crate::input::error::ListError;
use crate::input::skipped::SkippedRows;

/// The rows of a file as lines, one after the other.
pub(super) struct ParquetLines<'t> {
    path: &'t Path,
    table: &'t ParquetList,
    /// The next row group to read.
    next_group: usize,
    /// The reader of the row group before that, unless helpers make its rows.
    group: Option<LineReader>,
    /// How many rows of that group were given, and how many it has; `None` when it has ended.
    given: usize,
    rows: Option<usize>,
    /// The pieces that helpers make; then the piece being given, and the byte reached in it.
    ahead: Option<Arc<ParquetAhead<'t>>>,
    made: Option<(Buffer, usize)>,
    /// Rows that could not be read.
    broken: Option<SkippedRows>,
    /// Counts the bytes of row groups begun.
    source: &'t AtomicU64,
}

impl<'t> ParquetLines<'t> {
    /// Starts at the first row of the list at `path`. Pieces that helpers make share `room` bytes.
    pub fn of(path: &'t Path, table: &'t ParquetList, source: &'t AtomicU64, room: u64) -> ParquetLines<'t> {
        let ahead = ParquetAhead::new(table, room).map(Arc::new);
        ParquetLines {
            path,
            table,
            next_group: 0,
            group: None,
            given: 0,
            rows: None,
            ahead,
            made: None,
            broken: None,
            source,
        }
    }

    /// Fills an empty `buffer` with lines, at least `size` bytes unless the rows end before. Returns false if no rows are left. After an
    /// error, `buffer` has the lines before it, and the next call continues with the next row group.
    fn fill(&mut self, size: usize, buffer: &mut Buffer) -> Result<bool, String> {
        let mut line = 0;
        while buffer.bytes.len() < size {
            if self.made.is_some() {
                line += self.append_made(size, line, buffer);
            } else if self.take_made() {
                self.group = None;
            } else if let Some(group) = &mut self.group {
                let schema = self.table.file.schema();
                let most = PIECE_ROWS - self.given % PIECE_ROWS;
                match guarded(|| group.next_lines(schema, most, size, line, &mut buffer.bytes, &mut buffer.flaws)) {
                    Ok(0) => (self.group, self.rows) = (None, None),
                    Ok(rows) => (self.given, line) = (self.given + rows, line + rows as u64),
                    Err(problem) => return Err(self.fail(self.next_group - 1, problem)),
                }
            } else if let Some(rows) = self.rows {
                let number = self.next_group - 1;
                let rows = RowRange { group: number, first: self.given, rows: rows - self.given, ends: true };
                let reader = guarded(|| LineReader::open(&self.table.file, self.table.line_columns, rows));
                self.group = Some(reader.map_err(|problem| self.fail(number, problem))?);
            } else if let Some(group) = self.table.groups().get(self.next_group) {
                self.next_group += 1;
                (self.given, self.rows) = (0, Some(usize::try_from(group.num_rows()).unwrap_or(0)));
                self.source.fetch_add(compressed_bytes(group), Ordering::Relaxed);
            } else {
                break;
            }
        }
        Ok(!buffer.bytes.is_empty())
    }

    /// Takes the piece that begins with the next row, if there is one and a helper has made it.
    fn take_made(&mut self) -> bool {
        let is_between_pieces = self.rows.is_some() && self.given.is_multiple_of(PIECE_ROWS);
        let ahead = self.ahead.as_ref().filter(|_| is_between_pieces);
        self.made = ahead.and_then(|ahead| ahead.take(self.next_group - 1, self.given)).map(|made| (made, 0));
        self.made.is_some()
    }

    /// Appends lines of the current piece to `buffer`, which already has `before` lines, until it has `size` bytes. Returns the
    /// number of lines appended.
    fn append_made(&mut self, size: usize, before: u64, buffer: &mut Buffer) -> u64 {
        let Some((made, at)) = &mut self.made else { return 0 };
        let end = chunk_end(&made.bytes, *at, size - buffer.bytes.len());
        let part = &made.bytes[*at..end];
        let lines = memchr::memchr_iter(b'\n', part).count() as u64;
        buffer.bytes.extend_from_slice(part);
        let given = made.flaws.iter().take_while(|flaw| flaw.0 < lines).count();
        buffer.flaws.extend(made.flaws.drain(..given).map(|(line, reason)| (before + line, reason)));
        made.flaws.iter_mut().for_each(|flaw| flaw.0 -= lines);
        *at = end;
        self.given += lines as usize;
        if end == made.bytes.len() {
            self.made = None;
            self.rows = self.rows.filter(|&rows| self.given < rows);
        }
        lines
    }

    /// Gives up a row group; the next one can still be read.
    fn fail(&mut self, number: usize, problem: Malformed) -> String {
        (self.group, self.rows) = (None, None);
        self.broken = Some(self.table.rest_of_group(number, self.given));
        in_group(number, problem)
    }
}

impl<'t> ListReader<'t> for ParquetLines<'t> {
    fn next(&mut self, wanted: Wanted, buffer: &mut Buffer) -> Result<Next<Text<'t>>, ListError> {
        let filled = self.fill(wanted.size, buffer);
        let failed = |problem| ListError::Parquet { path: self.path.to_owned(), problem };
        Ok(if filled.map_err(failed)? { Next::Chunk(Text::Read(take(buffer))) } else { Next::End })
    }

    fn ahead(&self) -> Option<Ahead<'t>> {
        self.ahead.clone().map(|rows| rows as Ahead<'t>)
    }

    fn take_broken(&mut self) -> Option<SkippedRows> {
        self.broken.take()
    }
}
