//! Which rows of a chunk go to which files.

use parquet::data_type::DataType;
use parquet::file::writer::{SerializedColumnWriter, SerializedRowGroupWriter};
use std::ops::Range;

use super::handed::Handed;
use crate::formats::columnar::{BATCH, Malformed};
use crate::outcome::{Outcome, Partition};
use crate::output::form::{Form, Rows};

/// Which rows of a chunk go to which files.
pub(super) struct Sorting<'o> {
    files: Rows,
    /// For each crawler.
    pub(crate) outcomes: &'o [Vec<Outcome>],
    /// If rows were left out: for each row of the chunk, its index among those kept.
    kept: Option<Vec<Option<usize>>>,
    /// For each file of the form, the rows that go to it, and its index among the files that get any.
    rows_of: Vec<Vec<usize>>,
    slots: Vec<Option<usize>>,
}

/// A file that gets rows.
pub(super) struct FileSlot<'w> {
    pub(super) group: SerializedRowGroupWriter<'w, Vec<u8>>,
    /// The rows of the chunk that go to it.
    pub(super) rows: &'w [usize],
    /// The values handed over of the columns that make up the lines.
    pub(super) handed: Handed,
}

impl<'w> FileSlot<'w> {
    /// Begins the next column.
    pub fn column(&mut self) -> Result<(SerializedColumnWriter<'_>, &mut Handed), Malformed> {
        let column = self.group.next_column()?;
        let column = column.ok_or_else(|| Malformed("it has fewer columns than its schema says".to_owned()))?;
        Ok((column, &mut self.handed))
    }

    /// Writes a column with a value for every row, or none if it is optional. `value` may hand values over.
    pub fn write<T: DataType>(
        &mut self,
        mut value: impl FnMut(usize, &mut Handed) -> Option<T::T>,
    ) -> Result<(), Malformed> {
        let rows = self.rows;
        let (mut column, handed) = self.column()?;
        let (mut values, mut definitions) = (Vec::new(), Vec::new());
        for rows in rows.chunks(BATCH) {
            for &row in rows {
                let value = value(row, handed);
                definitions.push(i16::from(value.is_some()));
                values.extend(value);
            }
            column.typed::<T>().write_batch(&values, Some(&definitions), None)?;
            values.clear();
            definitions.clear();
        }
        Ok(column.close()?)
    }
}

impl<'o> Sorting<'o> {
    pub(crate) fn new(files: Rows, outcomes: &'o [Vec<Outcome>], rows: Range<usize>) -> Sorting<'o> {
        let mut rows_of = vec![Vec::new(); files.files()];
        let mut sorting = Sorting { files, outcomes, kept: None, rows_of: Vec::new(), slots: Vec::new() };
        rows.for_each(|row| sorting.each_file(row, |file| rows_of[file].push(row)));
        let mut slots = 0..;
        sorting.slots = rows_of.iter().map(|rows| if rows.is_empty() { None } else { slots.next() }).collect();
        sorting.rows_of = rows_of;
        sorting
    }

    /// Leaves out these rows of the chunk, which has `rows` in all.
    pub(crate) fn leave_out(&mut self, left_out: &[usize], rows: usize) {
        if left_out.is_empty() {
            return;
        }
        let (mut left_out, mut kept) = (left_out.iter().peekable(), 0..);
        let mut is_left_out = |row: usize| left_out.next_if(|&&left_out| left_out == row).is_some();
        self.kept = Some((0..rows).map(|row| if is_left_out(row) { None } else { kept.next() }).collect());
    }

    /// The files that get rows, in order.
    pub(crate) fn files(&self) -> Vec<usize> {
        (0..self.slots.len()).filter(|&file| self.slots[file].is_some()).collect()
    }

    /// The rows of the chunk that go to a file.
    pub(super) fn rows_of(&self, file: usize) -> &[usize] {
        &self.rows_of[file]
    }

    fn each_file(&self, row: usize, mut visit: impl FnMut(usize)) {
        match self.files.form {
            Form::Verdicts => visit(0),
            Form::Partitions => {
                let outcomes = self.outcomes.iter().enumerate();
                outcomes.for_each(|(crawler, outcomes)| {
                    visit(Partition::COUNT * crawler + outcomes[row].partition() as usize)
                });
            }
        }
    }

    /// Calls `visit` with the slot of each file that this row of the chunk goes to.
    pub fn each_slot(&self, row: usize, mut visit: impl FnMut(usize)) {
        let kept = self.kept.as_ref().map_or(Some(row), |kept| kept[row]);
        let Some(row) = kept else { return };
        self.each_file(row, |file| {
            if let Some(slot) = self.slots[file] {
                visit(slot);
            }
        });
    }
}
