//! The frames that a chunk makes: for each file, its rows as a row group with a footer of its own.
//!
//! Columns are made one after the other, each for all files at once, some rows at a time. So there is never more of a
//! chunk in memory than its text and what is already encoded.

use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter, SerializedRowGroupWriter};
use std::borrow::Cow;
use std::ops::Range;

use super::copy::copied;
use super::footer::TRAILER;
use super::line_columns::Values;
use super::text::Text;
use super::{HEAD, Table, cause_columns};
use crate::columnar::{BATCH, Malformed, Room, guarded};
use crate::filter::FilterError;
use crate::filter::causes::Causes;
use crate::filter::form::{Form, Rows};
use crate::filter::list::{List, Span};
use crate::filter::outcome::{Outcome, Partition, Reason};
use crate::filter::output::Block;
use crate::filter::tally::{Tally, line_hash};
use crate::filter::unique::Lines;

/// How many rows a row group made of text has at most; only lines of a few octets are so many.
const MOST_ROWS: usize = 1 << 20;

/// Where the columns of the list come from.
pub(in crate::filter) enum Source<'s> {
    /// The lines of a chunk.
    Text(Lines<'s>),
    /// Rows of a list that is a table, but for those that were left out, by their numbers among these; what is read of them
    /// at a time may take so many octets of pages.
    Rows { list: &'s List, spans: &'s [Span], left_out: &'s [usize], pages: u64 },
}

/// Which rows of a chunk go to which files.
pub(super) struct Sorting<'o> {
    files: Rows,
    /// For each crawler.
    outcomes: &'o [Vec<Outcome>],
    /// For each crawler, if the columns of causes are written.
    causes: &'o [Causes],
    /// The rows of the chunk that are sorted.
    pub rows: Range<usize>,
    /// Where rows were left out: for each row of the chunk, which of those that were not it is.
    kept: Option<Vec<Option<usize>>>,
    /// For each file of the form, its place among those that get rows.
    slots: Vec<Option<usize>>,
}

/// A file that gets rows.
pub(super) struct Slot<'w> {
    group: SerializedRowGroupWriter<'w, Vec<u8>>,
    /// What was handed over of the columns that make up the lines.
    handed: Vec<Values>,
}

impl Table {
    /// The frames of a chunk whose lines are of these outcomes, for each crawler, and of these causes, if they are told, as
    /// blocks of the files of a `set`.
    pub fn blocks(
        &self,
        set: usize,
        source: &Source<'_>,
        outcomes: &[Vec<Outcome>],
        causes: &[Causes],
    ) -> Result<Vec<Block<'static>>, FilterError> {
        let all = outcomes.first().map_or(0, Vec::len);
        let most = match source {
            Source::Text(_) => MOST_ROWS,
            Source::Rows { .. } => all.max(1),
        };
        let mut blocks = Vec::new();
        let mut text = match source {
            Source::Text(lines) => Some(Text::new(*lines)),
            Source::Rows { .. } => None,
        };
        for start in (0..all).step_by(most) {
            let mut sorting = Sorting::new(self.files, (outcomes, causes), start..(start + most).min(all));
            if let Source::Rows { spans, left_out, .. } = source {
                sorting.leave_out(left_out, spans.iter().map(|span| span.rows).sum());
            }
            if let Some(text) = &mut text {
                text.next_rows(sorting.rows.len());
            }
            let made = guarded(|| self.frames(source, text.as_ref(), &sorting));
            let made = made.map_err(|Malformed(problem)| match source {
                Source::Rows { list, .. } => FilterError::Parquet { path: list.path.clone(), problem },
                Source::Text(_) => FilterError::Table { problem },
            })?;
            blocks.extend(made.into_iter().map(|(file, octets, tally)| {
                let octets = Cow::Owned(octets);
                Block { set, file, octets, tally }
            }));
        }
        Ok(blocks)
    }

    /// The frames of some rows, each with its file and the tally of its lines.
    fn frames(
        &self,
        source: &Source<'_>,
        text: Option<&Text<'_>>,
        sorting: &Sorting<'_>,
    ) -> Result<Vec<(usize, Vec<u8>, Tally)>, Malformed> {
        let files = sorting.files();
        let mut writers = files.iter().map(|_| self.writer()).collect::<Result<Vec<_>, _>>()?;
        let mut slots = writers.iter_mut().map(|writer| self.slot(writer)).collect::<Result<Vec<_>, _>>()?;
        // What is handed over keeps pages, so all columns share one.
        let room = Room::of(if let Source::Rows { pages, .. } = source { *pages } else { 0 });
        for column in 0..self.of_list {
            match (source, text) {
                (Source::Rows { list, spans, .. }, _) => {
                    copied(self, (list, spans, &room), column, sorting, &mut slots)?;
                }
                (_, Some(text)) => text.write(column, sorting, &mut slots)?,
                (_, None) => {}
            }
        }
        for (&file, slot) in files.iter().zip(&mut slots) {
            self.write_own(file, slot, sorting)?;
        }
        let tallies = slots.into_iter().map(|slot| self.ended(slot)).collect::<Result<Vec<_>, Malformed>>()?;
        let frame = |((file, writer), tally): ((usize, SerializedFileWriter<Vec<u8>>), Tally)| {
            Ok((file, framed(writer)?, tally))
        };
        files.into_iter().zip(writers).zip(tallies).map(frame).collect()
    }

    fn slot<'w>(&self, writer: &'w mut SerializedFileWriter<Vec<u8>>) -> Result<Slot<'w>, ParquetError> {
        let handed = (0..self.line_columns.columns().len()).map(|place| self.line_columns.no_values(place));
        Ok(Slot { group: writer.next_row_group()?, handed: handed.collect() })
    }

    /// Writes the columns of verdicts and reasons of a file, and of what blocked its lines.
    fn write_own(&self, file: usize, slot: &mut Slot<'_>, sorting: &Sorting<'_>) -> Result<(), Malformed> {
        let verdicts = Partition::ALL.map(|partition| ByteArray::from(partition.name()));
        let reasons = Reason::ALL.map(|reason| ByteArray::from(reason.name()));
        let rows: Vec<usize> = sorting.rows.clone().filter(|&row| sorting.goes_to(row, file)).collect();
        for crawler in self.crawlers_of(file) {
            slot.write(&rows, |row| verdicts[sorting.outcomes[crawler][row].partition() as usize].clone())?;
            slot.write(&rows, |row| reasons[sorting.outcomes[crawler][row].reason() as usize].clone())?;
            if let Some(causes) = sorting.causes.get(crawler) {
                cause_columns::write(slot, &rows, causes)?;
            }
        }
        Ok(())
    }

    /// Ends a row group; returns the tally of its lines, by what was handed over.
    fn ended(&self, slot: Slot<'_>) -> Result<Tally, Malformed> {
        let rows = slot.group.close()?.num_rows();
        let (mut tally, mut line) = (Tally::default(), Vec::new());
        for row in 0..usize::try_from(rows).unwrap_or(0) {
            line.clear();
            self.line_columns.append_line(&slot.handed, row, &mut line);
            tally.add_hashed(line_hash(&line), line.len() + 1);
        }
        Ok(tally)
    }
}

/// A file of one row group as a frame: without the head, and with its length behind it.
fn framed(writer: SerializedFileWriter<Vec<u8>>) -> Result<Vec<u8>, ParquetError> {
    let mut octets = writer.into_inner()?;
    octets.drain(..HEAD.len());
    let length = (octets.len() + TRAILER) as u64;
    octets.extend_from_slice(&length.to_le_bytes());
    Ok(octets)
}

impl<'w> Slot<'w> {
    /// Begins the next column.
    pub fn column(&mut self) -> Result<(SerializedColumnWriter<'_>, &mut Vec<Values>), Malformed> {
        let column = self.group.next_column()?;
        let column = column.ok_or_else(|| Malformed("it has fewer columns than its schema says".to_owned()))?;
        Ok((column, &mut self.handed))
    }

    /// Writes a column of texts that none of these rows is without.
    fn write(&mut self, rows: &[usize], text: impl Fn(usize) -> ByteArray) -> Result<(), Malformed> {
        let (mut column, _) = self.column()?;
        for rows in rows.chunks(BATCH) {
            let texts: Vec<ByteArray> = rows.iter().map(|&row| text(row)).collect();
            column.typed::<parquet::data_type::ByteArrayType>().write_batch(&texts, None, None)?;
        }
        Ok(column.close()?)
    }
}

impl<'o> Sorting<'o> {
    fn new(files: Rows, (outcomes, causes): (&'o [Vec<Outcome>], &'o [Causes]), rows: Range<usize>) -> Sorting<'o> {
        let mut has_rows = vec![false; files.files()];
        let mut sorting = Sorting { files, outcomes, causes, rows: rows.clone(), kept: None, slots: Vec::new() };
        rows.for_each(|row| sorting.each_file(row, |file| has_rows[file] = true));
        let mut slots = 0..;
        sorting.slots = has_rows.iter().map(|&has_rows| if has_rows { slots.next() } else { None }).collect();
        sorting
    }

    /// These of so many rows were left out.
    fn leave_out(&mut self, left_out: &[usize], rows: usize) {
        if left_out.is_empty() {
            return;
        }
        let (mut left_out, mut kept) = (left_out.iter().peekable(), 0..);
        let mut is_left_out = |row: usize| left_out.next_if(|&&left_out| left_out == row).is_some();
        self.kept = Some((0..rows).map(|row| if is_left_out(row) { None } else { kept.next() }).collect());
    }

    /// The files that get rows, in their order.
    fn files(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&file| self.slots[file].is_some()).collect()
    }

    /// How many crawlers there are.
    pub fn crawlers(&self) -> usize {
        self.outcomes.len()
    }

    fn each_file(&self, row: usize, mut tell: impl FnMut(usize)) {
        match self.files.form {
            Form::Verdicts => tell(0),
            Form::Partitions => {
                let outcomes = self.outcomes.iter().enumerate();
                outcomes.for_each(|(crawler, outcomes)| tell(4 * crawler + outcomes[row].partition() as usize));
            }
        }
    }

    /// Tells the place, among the files that get rows, of each that this row of the chunk goes to.
    pub fn each_slot(&self, row: usize, mut tell: impl FnMut(usize)) {
        let kept = self.kept.as_ref().map_or(Some(row), |kept| kept[row]);
        let Some(row) = kept else { return };
        self.each_file(row, |file| {
            if let Some(slot) = self.slots[file] {
                tell(slot);
            }
        });
    }

    fn goes_to(&self, row: usize, file: usize) -> bool {
        match self.files.form {
            Form::Verdicts => true,
            Form::Partitions => self.outcomes[file / 4][row].partition() as usize == file % 4,
        }
    }
}
