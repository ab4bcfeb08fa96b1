//! A list that is a table: its rows as lines, or as ranges that workers read themselves.
//!
//! Lines are [decoded ahead](crate::formats::made_ahead) by threads that have nothing else to do, in pieces: some consecutive rows of
//! a row group. If a helper cannot read a piece, the reader tries it itself, so that an error and its place do not depend on the
//! helpers: rows are read in batches that begin at the same rows in any piece.

use std::mem::take;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::line_columns::LineReader;
use super::line_ends::{Buffer, chunk_end};
use super::parquet::{ParquetList, compressed_bytes, in_group};
use super::reader::{ListReader, Next, ReadLimits, Text};
use crate::error::run::Error;
use crate::formats::columnar::{Malformed, RowRange, guarded};
use crate::formats::made_ahead::{Ahead, Help, Made, MadeAhead};
use crate::input::error::{SkippedRows, malformed};

/// Begins to read the table of the list at `path`: from row `at` on as ranges of rows, if `by_rows`, else all rows as lines, in pieces that
/// share `room` bytes.
pub(super) fn reader<'l>(
    path: &'l Path,
    table: &'l ParquetList,
    at: u64,
    by_rows: bool,
    source: &'l AtomicU64,
    room: u64,
) -> Box<dyn ListReader<'l> + 'l> {
    match by_rows {
        true => Box::new(RowRanges { table, at, source }),
        false => Box::new(ParquetLines::of(path, table, source, room)),
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
    fn next(&mut self, wanted: ReadLimits, _: &mut Buffer) -> Result<Next<Text<'l>>, Error> {
        let (rows, taken) = self.table.ranges(self.at, wanted.rows_size);
        self.source.fetch_add(taken, Ordering::Relaxed);
        self.at += rows.count() as u64;
        Ok(if rows.count() == 0 { Next::End } else { Next::Chunk(Text::Rows(rows)) })
    }
}

/// The rows of a file as lines, one after the other.
struct ParquetLines<'t> {
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
    fn fill(&mut self, size: usize, longest: usize, buffer: &mut Buffer) -> Result<bool, String> {
        let mut line = 0;
        while buffer.bytes.len() < size {
            if self.made.is_some() {
                line += self.append_made(size, line, buffer);
            } else if self.take_made() {
                self.group = None;
            } else if let Some(group) = &mut self.group {
                let schema = self.table.file.schema();
                let most = PIECE_ROWS - self.given % PIECE_ROWS;
                match guarded(|| {
                    group.next_lines(schema, most, size, longest, line, &mut buffer.bytes, &mut buffer.flaws)
                }) {
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
    fn next(&mut self, wanted: ReadLimits, buffer: &mut Buffer) -> Result<Next<Text<'t>>, Error> {
        let filled = self.fill(wanted.size, wanted.longest_line, buffer);
        let filled = filled.map_err(|problem| malformed(self.path, problem))?;
        Ok(if filled { Next::Chunk(Text::Read(take(buffer))) } else { Next::End })
    }

    fn ahead(&self) -> Option<Ahead<'t>> {
        self.ahead.clone().map(|rows| rows as Ahead<'t>)
    }

    fn take_broken(&mut self) -> Option<SkippedRows> {
        self.broken.take()
    }
}

/// Rows of a piece: a few pages, of which the first and last are also decoded for the neighbouring pieces.
const PIECE_ROWS: usize = 64 << 10;

/// The most bytes of lines that a piece may have to be kept.
const LONGEST: usize = 12 << 20;

/// The pieces of a table.
struct ParquetAhead<'t> {
    table: &'t ParquetList,
    pieces: Vec<RowRange>,
    ahead: MadeAhead<Buffer>,
}

/// The lines of a piece; none if not all of them could be read.
impl Made for Buffer {
    fn bytes(&self) -> u64 {
        self.bytes.capacity() as u64
    }
}

impl<'t> ParquetAhead<'t> {
    /// The pieces of a table, with `room` bytes for their lines; `None` if there is nothing to read ahead.
    pub fn new(table: &'t ParquetList, room: u64) -> Option<ParquetAhead<'t>> {
        let rows =
            table.file.metadata().row_groups().iter().map(|group| usize::try_from(group.num_rows()).unwrap_or(0));
        let of_group = |(group, all): (usize, usize)| {
            (0..all).step_by(PIECE_ROWS).map(move |first| {
                let rows = PIECE_ROWS.min(all - first);
                RowRange { group, first, rows, ends: first + rows == all }
            })
        };
        let pieces: Vec<RowRange> = rows.enumerate().flat_map(of_group).collect();
        let ahead = MadeAhead::new(pieces.len() as u64, LONGEST as u64, room);
        (pieces.len() > 1 && room >= LONGEST as u64).then_some(ParquetAhead { table, pieces, ahead })
    }

    /// The piece that begins with this row of a group.
    fn piece_at(&self, group: usize, first: usize) -> Option<usize> {
        self.pieces.binary_search_by_key(&(group, first), |range| (range.group, range.first)).ok()
    }

    /// Takes the piece that begins with this row of a group, for the reader, if a helper could make it.
    fn take(&self, group: usize, first: usize) -> Option<Buffer> {
        let made = self.ahead.take(self.piece_at(group, first)? as u64, |other| self.make(other));
        made.filter(|lines| !lines.bytes.is_empty())
    }
}

impl Help for ParquetAhead<'_> {
    fn claim(&self) -> Option<u64> {
        self.ahead.claim()
    }

    fn make(&self, piece: u64) {
        let range = self.pieces[piece as usize];
        let is_large = self.table.file.is_large(range.group, self.table.line_columns.columns());
        self.ahead.make(piece, || {
            if is_large {
                // Only the reader has room for such pages.
                return Buffer::default();
            }
            // Allocate once, instead of doubling.
            let mut lines = Buffer { bytes: Vec::with_capacity(LONGEST), ..Buffer::default() };
            match self.table.lines(&[range], LONGEST, &mut lines) {
                Ok(()) => {
                    lines.bytes.shrink_to_fit();
                    lines
                }
                // The reader will meet the same damage in its turn.
                Err(_) => Buffer::default(),
            }
        });
    }
}
