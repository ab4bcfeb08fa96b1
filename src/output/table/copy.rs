//! Copies the columns of a list that is a table to the files its rows go to.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::file::writer::SerializedColumnWriter;

use super::Table;
use super::handed::Value;
use super::sorting::{Slot, Sorting};
use crate::formats::columnar::Malformed;
use crate::input::list::range_columns::{Levels, Read, read_range};
use crate::input::list::{List, ParquetList, RowRange, in_group};

/// Copies a column of these rows of a list to the files they go to.
pub(super) fn copied(
    table: &Table,
    list: &List,
    ranges: &[RowRange],
    column: usize,
    sorting: &Sorting<'_>,
    slots: &mut [Slot<'_>],
) -> Result<(), Malformed> {
    let Some(list) = list.parquet_list() else { return Ok(()) };
    let kept = table.line_columns.columns().iter().position(|&at| at == column);
    let (mut writers, mut handed) = (Vec::new(), Vec::new());
    for slot in slots {
        let (writer, values) = slot.column()?;
        writers.push(writer);
        handed.push(values);
    }
    let mut keep = |slot: usize, value: Value<'_>| {
        if let Some(place) = kept {
            handed[slot].push(place, value);
        }
    };
    let levels = Levels::of(list.file.schema().column(column).as_ref());
    let mut files = Files { sorting, row: 0, levels, writers, is_of_lines: kept.is_some() };
    for range in ranges {
        let copied = files.copy_range(list, column, range, &mut keep);
        copied.map_err(|problem| Malformed(in_group(range.group, problem)))?;
    }
    files.writers.into_iter().try_for_each(|writer| Ok(writer.close()?))
}

/// Called with the file and the value of each row.
type KeepValue<'k> = dyn FnMut(usize, Value<'_>) + 'k;

/// The files that the rows of a column go to.
struct Files<'f, 'w> {
    sorting: &'f Sorting<'f>,
    /// The next row of the chunk.
    row: usize,
    levels: Levels,
    writers: Vec<SerializedColumnWriter<'w>>,
    /// Whether lines are made of this column; values of other columns are not kept.
    is_of_lines: bool,
}

impl Files<'_, '_> {
    /// Copies the rows of a range.
    fn copy_range(
        &mut self,
        list: &ParquetList,
        column: usize,
        range: &RowRange,
        keep: &mut KeepValue<'_>,
    ) -> Result<(), Malformed> {
        let (reader, at_once) = list.file.group(range.group)?.reader(column)?;
        match reader {
            ColumnReader::BoolColumnReader(reader) => self.copy(reader, range, at_once, keep, |_| Value::Other),
            ColumnReader::Int32ColumnReader(reader) => {
                self.copy(reader, range, at_once, keep, |value| Value::Number(value.map(|&value| value.into())))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                self.copy(reader, range, at_once, keep, |value| Value::Number(value.copied()))
            }
            ColumnReader::Int96ColumnReader(reader) => self.copy(reader, range, at_once, keep, |_| Value::Other),
            ColumnReader::FloatColumnReader(reader) => self.copy(reader, range, at_once, keep, |_| Value::Other),
            ColumnReader::DoubleColumnReader(reader) => self.copy(reader, range, at_once, keep, |_| Value::Other),
            #[expect(clippy::redundant_closure, reason = "a constructor is of one lifetime, the closure of any")]
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.copy(reader, range, at_once, keep, |value| Value::Text(value))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => {
                self.copy(reader, range, at_once, keep, |_| Value::Other)
            }
        }
    }

    fn copy<T: DataType>(
        &mut self,
        reader: ColumnReaderImpl<T>,
        range: &RowRange,
        at_once: usize,
        keep: &mut KeepValue<'_>,
        value: impl Fn(Option<&T::T>) -> Value<'_>,
    ) -> Result<(), Malformed> {
        let none = || Read { values: Vec::new(), definitions: Vec::new(), repetitions: Vec::new() };
        let mut shares: Vec<Read<T>> = self.writers.iter().map(|_| none()).collect();
        read_range(reader, self.levels, range, at_once, |rows, read| {
            self.share(read, &mut shares, |slot, of_row| {
                if self.is_of_lines {
                    keep(slot, value(of_row));
                }
            });
            self.row += rows;
            for (share, writer) in shares.iter_mut().zip(&mut self.writers) {
                write(share, writer)?;
                share.values.clear();
                share.definitions.clear();
                share.repetitions.clear();
            }
            Ok(())
        })
    }

    /// Gives each file its share of these rows, and calls `keep` with the first value of each row.
    fn share<T: DataType>(&self, read: &Read<T>, shares: &mut [Read<T>], mut keep: impl FnMut(usize, Option<&T::T>)) {
        let Read { values, definitions, repetitions } = read;
        let levels = if definitions.is_empty() { values.len() } else { definitions.len() };
        let (mut row, mut values) = (self.row, values.iter());
        for level in 0..levels {
            // A row begins where the repetition level is 0.
            let begins = repetitions.get(level).is_none_or(|&repetition| repetition == 0);
            row += usize::from(begins && level > 0);
            let is_there = definitions.get(level).is_none_or(|&definition| definition == self.levels.most_defined);
            let value = if is_there { values.next() } else { None };
            self.sorting.each_slot(row, |slot| {
                let share = &mut shares[slot];
                share.values.extend(value.cloned());
                share.definitions.extend(definitions.get(level));
                share.repetitions.extend(repetitions.get(level));
                if begins {
                    keep(slot, value);
                }
            });
        }
    }
}

/// Writes values with their levels, if there are any.
pub(super) fn write<T: DataType>(read: &Read<T>, to: &mut SerializedColumnWriter<'_>) -> Result<(), Malformed> {
    let levels = [&read.definitions, &read.repetitions].map(|levels| (!levels.is_empty()).then_some(&levels[..]));
    if levels[0].is_some() || !read.values.is_empty() {
        to.typed::<T>().write_batch(&read.values, levels[0], levels[1])?;
    }
    Ok(())
}
