//! Copies the columns of a list that is a table to the files its rows go to.

use parquet::data_type::DataType;
use parquet::file::writer::SerializedColumnWriter;

use super::Table;
use super::handed::{Handed, Value};
use super::sorting::{FileSlot, Sorting};
use crate::formats::columnar::Malformed;
use crate::input::list::range_columns::{Read, TakeRead, each_read};
use crate::input::list::{List, RowRange, in_group};

/// Copies a column of these rows of a list to the files they go to.
pub(super) fn copied(
    table: &Table,
    list: &List,
    ranges: &[RowRange],
    column: usize,
    sorting: &Sorting<'_>,
    slots: &mut [FileSlot<'_>],
) -> Result<(), Malformed> {
    let Some(list) = list.parquet_list() else { return Ok(()) };
    let place = table.line_columns.columns().iter().position(|&at| at == column);
    let most_defined = list.file.schema().column(column).max_def_level();
    let mut files = Files { sorting, row: 0, most_defined, place, columns: Vec::new() };
    for slot in slots {
        files.columns.push(slot.column()?);
    }
    for range in ranges {
        let copied = each_read(&list.file, range, column, usize::MAX, &mut files);
        copied.map_err(|problem| Malformed(in_group(range.group, problem)))?;
    }
    files.columns.into_iter().try_for_each(|(writer, _)| Ok(writer.close()?))
}

/// The files that the rows of a column go to.
struct Files<'f, 'w> {
    sorting: &'f Sorting<'f>,
    /// The next row of the chunk.
    row: usize,
    /// The definition level of a value that is present.
    most_defined: i16,
    /// The column's index among those that lines are made of; values of other columns are not handed over.
    place: Option<usize>,
    columns: Vec<(SerializedColumnWriter<'w>, &'w mut Handed)>,
}

impl TakeRead for &mut Files<'_, '_> {
    /// Gives each file its share of these rows, and hands over the first value of each row.
    fn take<T: DataType>(&mut self, rows: usize, read: &Read<T>) -> Result<(), Malformed> {
        let Files { sorting, row, most_defined, place, columns } = &mut **self;
        let Read { values, definitions, repetitions } = read;
        let none = || Read {
            values: Vec::with_capacity(values.len()),
            definitions: Vec::with_capacity(definitions.len()),
            repetitions: Vec::with_capacity(repetitions.len()),
        };
        let mut shares: Vec<Read<T>> = columns.iter().map(|_| none()).collect();
        let levels = if definitions.is_empty() { values.len() } else { definitions.len() };
        let (mut at, mut values) = (*row, values.iter());
        for level in 0..levels {
            // A row begins where the repetition level is 0.
            let begins = repetitions.get(level).is_none_or(|&repetition| repetition == 0);
            at += usize::from(begins && level > 0);
            let is_there = definitions.get(level).is_none_or(|definition| definition == most_defined);
            let value = if is_there { values.next() } else { None };
            sorting.each_slot(at, |slot| {
                let share: &mut Read<T> = &mut shares[slot];
                share.values.extend(value.cloned());
                share.definitions.extend(definitions.get(level));
                share.repetitions.extend(repetitions.get(level));
                if let (true, Some(place)) = (begins, *place) {
                    columns[slot].1.push(place, Value::of(value));
                }
            });
        }
        *row += rows;
        shares.iter().zip(columns).try_for_each(|(share, (writer, _))| write(share, writer))
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
