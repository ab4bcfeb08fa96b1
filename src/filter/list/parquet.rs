//! Lists that are Parquet files: every row becomes a line, its URL.
//!
//! A line feed inside a URL is written `%0A`, and the line is invalid: nothing that was not in the table is ever judged.
//! Where lines go to text, the rows are read one after the other. Where rows go to tables, a worker takes a
//! [range of rows](Span), and reads what it needs of them by itself.

use parquet::file::metadata::RowGroupMetaData;
use std::fs::File;
use std::ops::Range;

use super::Unfit;
use crate::columnar::{Malformed, ParquetFile, Room, guarded};
use crate::filter::layout::UrlField;
use crate::filter::outcome::Reason;
use crate::filter::table::{LineColumns, LineReader, readable};

/// What a value takes in memory beside its octets, about.
const VALUE: u64 = 32;

/// A file, opened.
pub(in crate::filter) struct TableFile {
    pub file: ParquetFile,
    pub line_columns: LineColumns,
}

/// Rows of a row group that stand behind each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::filter) struct Span {
    pub group: usize,
    /// The first one, by its number in the group.
    pub first: usize,
    pub rows: usize,
    /// Whether the group ends behind them.
    pub ends: bool,
}

impl Span {
    /// These of its rows.
    pub fn part(&self, rows: Range<usize>) -> Span {
        let ends = self.ends && rows.end == self.rows;
        Span { group: self.group, first: self.first + rows.start, rows: rows.len(), ends }
    }
}

impl From<Malformed> for Unfit {
    fn from(Malformed(problem): Malformed) -> Unfit {
        Unfit::Malformed(problem)
    }
}

impl TableFile {
    /// Opens a file, whose footer may take so much memory.
    pub fn open(file: File, url_field: &UrlField, memory: u64) -> Result<TableFile, Unfit> {
        guarded(|| {
            let file = ParquetFile::open(file, memory)?;
            let line_columns = LineColumns::of_list(file.schema(), url_field.column.as_ref())?;
            if file.metadata().row_groups().iter().any(|group| usize::try_from(group.num_rows()).is_err()) {
                return Err(Malformed("it has a row group of fewer than no rows".to_owned()).into());
            }
            Ok(TableFile { file, line_columns })
        })
    }

    /// What is kept of the footer, in octets: a quarter more than is in the blocks, for what is between them.
    pub fn footer_octets(&self) -> u64 {
        let octets = self.file.metadata().memory_size() as u64;
        octets + octets / 4
    }

    fn groups(&self) -> &[RowGroupMetaData] {
        self.file.metadata().row_groups()
    }

    /// The rows from this one on that take about `size` octets with all their columns, and how many octets of the file
    /// they take; none at the end. Where they end depends on the file and the size alone.
    pub fn spans(&self, from: u64, size: usize) -> (Vec<Span>, u64) {
        let (mut spans, mut taken) = (Vec::new(), 0);
        let (mut at, mut room) = (from, size as u64);
        for (number, group) in self.groups().iter().enumerate() {
            let all = rows_of(group);
            if at >= all {
                at -= all;
                continue;
            }
            let fitting = room.div_ceil(octets_of_row(group)).max(1);
            let rows = fitting.min(all - at);
            let ends = at + rows == all;
            spans.push(Span { group: number, first: at as usize, rows: rows as usize, ends });
            taken += compressed_octets(group) * rows / all;
            room = room.saturating_sub(rows.saturating_mul(octets_of_row(group)));
            at = 0;
            if room == 0 {
                break;
            }
        }
        (spans, taken)
    }

    /// Makes sure that all columns of these rows can be read, whose pages may take so many octets at a time.
    pub fn readable(&self, span: &Span, pages: u64) -> Result<(), String> {
        guarded(|| readable(self, span, &Room::of(pages))).map_err(|problem| in_group(span.group, problem))
    }

    /// Fills `text` with the lines of these rows, which have so many octets at `most`, and their `pages` at a time so many;
    /// `flaws` gets the numbers of those whose URLs are not what they were.
    pub fn lines(
        &self,
        spans: &[Span],
        (most, pages): (usize, u64),
        text: &mut Vec<u8>,
        flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<(), String> {
        text.clear();
        flaws.clear();
        let (mut before, room) = (0, Room::of(pages));
        for span in spans {
            let read = guarded(|| self.lines_of(span, &room, (before, most), text, flaws));
            read.map_err(|problem| in_group(span.group, problem))?;
            before += span.rows as u64;
        }
        Ok(())
    }

    fn lines_of(
        &self,
        span: &Span,
        room: &Room,
        (before, most): (u64, usize),
        text: &mut Vec<u8>,
        flaws: &mut Vec<(u64, Reason)>,
    ) -> Result<(), Malformed> {
        let mut reader = LineReader::open(&self.file.group(span.group, room)?, self.line_columns, span.first)?;
        let (mut line, end) = (before, before + span.rows as u64);
        let mut found = |has_line_feed| {
            if has_line_feed {
                flaws.push((line, Reason::LineBreak));
            }
            line += 1;
        };
        let mut left = span.rows;
        while left > 0 {
            // A page may hold few octets and give many, so that they are looked at before they are copied.
            if text.len() >= most {
                return Err(Malformed(format!(
                    "the URLs of rows that are read together have more than {most} octets, as much as there is memory for; a \
                     smaller --chunk-size makes them fewer, more --memory has room for them"
                )));
            }
            let read = reader.next_lines(left, most, text, &mut found)?;
            if read == 0 {
                return Err(Malformed("it has fewer rows than the file says".to_owned()));
            }
            left -= read;
        }
        debug_assert_eq!(line, end);
        // No row of it may be lost.
        if span.ends && reader.next_lines(1, usize::MAX, &mut Vec::new(), |_| ())? > 0 {
            return Err(Malformed("it has more rows than the file says".to_owned()));
        }
        Ok(())
    }
}

/// What is wrong in a row group.
pub(in crate::filter) fn in_group(number: usize, Malformed(problem): Malformed) -> String {
    format!("in its row group {number}: {problem}")
}

fn rows_of(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.num_rows()).unwrap_or(0)
}

fn compressed_octets(group: &RowGroupMetaData) -> u64 {
    u64::try_from(group.compressed_size()).unwrap_or(0)
}

/// How many octets a row of a group takes with all its columns, about.
fn octets_of_row(group: &RowGroupMetaData) -> u64 {
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    let values = group.columns().iter().fold(0u64, |sum, column| sum.saturating_add(number(column.num_values())));
    let octets = number(group.total_byte_size()).saturating_add(values.saturating_mul(VALUE));
    (octets / rows_of(group).max(1)).max(VALUE)
}

/// The rows of a file, as lines, one after the other.
pub(in crate::filter) struct Rows<'t> {
    table: &'t TableFile,
    /// The row group that is read next.
    next_group: usize,
    group: Option<LineReader>,
    /// For the pages of one.
    room: Room,
    /// The octets of the row groups that were begun since somebody asked.
    taken: u64,
}

impl<'t> Rows<'t> {
    /// From the first one on; of their pages, so many octets may be there at a time.
    pub fn of(table: &'t TableFile, pages: u64) -> Rows<'t> {
        Rows { table, next_group: 0, group: None, room: Room::of(pages), taken: 0 }
    }

    /// How many octets of the file were taken since the last call, by row groups.
    pub fn taken(&mut self) -> u64 {
        std::mem::take(&mut self.taken)
    }

    /// Fills `chunk` with lines, at least `size` octets unless the rows end before; `flaws` gets the numbers in the chunk
    /// of lines whose URLs are not what they were. Returns false at the end, when there is nothing more. Behind an error,
    /// `chunk` has the lines before it, and the next call goes on with the next row group.
    pub fn fill(&mut self, size: usize, chunk: &mut Vec<u8>, flaws: &mut Vec<(u64, Reason)>) -> Result<bool, String> {
        chunk.clear();
        flaws.clear();
        let mut line = 0;
        while chunk.len() < size {
            let number = self.next_group;
            if let Some(group) = &mut self.group {
                let mut found = |has_line_feed| {
                    if has_line_feed {
                        flaws.push((line, Reason::LineBreak));
                    }
                    line += 1;
                };
                let read = guarded(|| group.next_lines(usize::MAX, size, chunk, &mut found));
                // Behind rows that cannot be read, the next row group can be.
                if !matches!(read, Ok(1..)) {
                    self.group = None;
                }
                read.map_err(|problem| in_group(number - 1, problem))?;
            } else if let Some(group) = self.table.groups().get(number) {
                let TableFile { file, line_columns } = self.table;
                self.next_group += 1;
                let reader = guarded(|| LineReader::open(&file.group(number, &self.room)?, *line_columns, 0));
                self.group = Some(reader.map_err(|problem| in_group(number, problem))?);
                self.taken += compressed_octets(group);
            } else {
                break;
            }
        }
        Ok(!chunk.is_empty())
    }
}
