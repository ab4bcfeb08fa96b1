//! Reads rows of a table as they are stored: column by column, some rows at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescriptor;

use super::parquet::{ParquetList, Readable, RowRange, in_group};
use crate::formats::columnar::{Malformed, ParquetFile, guarded, skip_rows};
use crate::input::skipped::SkippedPart;

/// Some rows of a column, as they were read.
pub(crate) struct Read<T: DataType> {
    pub values: Vec<T::T>,
    /// Definition and repetition levels, as Parquet has them; empty for columns with exactly one value in every row.
    pub definitions: Vec<i16>,
    pub repetitions: Vec<i16>,
}

/// The highest levels in a column.
#[derive(Clone, Copy)]
pub(crate) struct Levels {
    /// The definition level of a value that is present.
    pub most_defined: i16,
    most_repeated: i16,
}

impl Levels {
    pub fn of(column: &ColumnDescriptor) -> Levels {
        Levels { most_defined: column.max_def_level(), most_repeated: column.max_rep_level() }
    }

    /// Whether these rows have only levels in range. The library reads any levels, but writes no impossible ones.
    fn fit<T: DataType>(self, read: &Read<T>) -> bool {
        let within = |levels: &[i16], most: i16| levels.iter().all(|level| (0..=most).contains(level));
        within(&read.definitions, self.most_defined)
            && within(&read.repetitions, self.most_repeated)
            && read.repetitions.first().is_none_or(|&first| first == 0)
    }
}

impl ParquetList {
    /// Shortens a range to the rows that can be read with all columns. Returns the unreadable part of the row group if it
    /// begins in this range. Which rows can be read is tried once, by the first worker that asks.
    pub fn keep_readable(&self, range: &mut RowRange) -> Option<SkippedPart> {
        let Readable { rows, problem } = self.readable[range.group].get_or_init(|| readable_rows(self, range.group));
        let problem = problem.as_ref()?;
        let is_begun = range.first <= *rows && (*rows < range.first + range.rows || range.ends);
        (range.rows, range.ends) = (rows.saturating_sub(range.first).min(range.rows), false);
        let rows = Some(self.rest_of_group(range.group, *rows));
        is_begun.then(|| SkippedPart { at: None, rows, problem: in_group(range.group, Malformed(problem.clone())) })
    }
}

/// How many rows of a group can be read with all columns, as copying them requires.
fn readable_rows(list: &ParquetList, group: usize) -> Readable {
    let rows = usize::try_from(list.file.metadata().row_group(group).num_rows()).unwrap_or(0);
    let mut readable = Readable { rows, problem: None };
    for column in 0..list.file.schema().num_columns() {
        let mut read = 0;
        // After a failure, read row by row up to the damage.
        for most in [usize::MAX, 1] {
            let range = RowRange { group, first: read, rows: rows - read, ends: true };
            let Err(Malformed(problem)) = guarded(|| try_column(list, &range, column, most, &mut read)) else { break };
            if most == 1 && (read < readable.rows || readable.problem.is_none()) {
                readable = Readable { rows: read.min(readable.rows), problem: Some(problem) };
            }
        }
    }
    readable
}

/// Reads a column of a range, at most `most` rows at a time, and counts the rows in `read`.
fn try_column(
    list: &ParquetList,
    range: &RowRange,
    column: usize,
    most: usize,
    read: &mut usize,
) -> Result<(), Malformed> {
    struct Count<'r>(&'r mut usize);
    impl TakeRead for Count<'_> {
        fn take<T: DataType>(&mut self, rows: usize, _read: &Read<T>) -> Result<(), Malformed> {
            *self.0 += rows;
            Ok(())
        }
    }
    each_read(&list.file, range, column, most, Count(read))
}

/// Takes rows of a column of any type.
pub(crate) trait TakeRead {
    /// Takes some rows.
    fn take<T: DataType>(&mut self, rows: usize, read: &Read<T>) -> Result<(), Malformed>;
}

/// Reads a column of a range, at most `most` rows at a time, and passes them to `to`.
pub(crate) fn each_read(
    file: &ParquetFile,
    range: &RowRange,
    column: usize,
    most: usize,
    to: impl TakeRead,
) -> Result<(), Malformed> {
    let group = file.group(range.group)?;
    let levels = Levels::of(group.described(column)?.column_descr());
    let (reader, at_once) = group.reader(column)?;
    let at_once = at_once.min(most);
    match reader {
        ColumnReader::BoolColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::Int32ColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::Int64ColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::Int96ColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::FloatColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::DoubleColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::ByteArrayColumnReader(reader) => take_range(reader, levels, range, at_once, to),
        ColumnReader::FixedLenByteArrayColumnReader(reader) => take_range(reader, levels, range, at_once, to),
    }
}

fn take_range<T: DataType>(
    reader: ColumnReaderImpl<T>,
    levels: Levels,
    range: &RowRange,
    at_once: usize,
    mut to: impl TakeRead,
) -> Result<(), Malformed> {
    read_range(reader, levels, range, at_once, |rows, read| to.take(rows, read))
}

/// Reads a column of a range, and calls `visit` with at most `at_once` rows at a time and their number.
pub(crate) fn read_range<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    levels: Levels,
    range: &RowRange,
    at_once: usize,
    mut visit: impl FnMut(usize, &Read<T>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let few = || Malformed("one of its columns has fewer rows than the file says".to_owned());
    if !skip_rows(&mut reader, range.first)? {
        return Err(few());
    }
    let mut remaining = range.rows;
    let mut next = |most: usize| -> Result<(usize, Read<T>), Malformed> {
        let mut read = Read { values: Vec::new(), definitions: Vec::new(), repetitions: Vec::new() };
        let Read { values, definitions, repetitions } = &mut read;
        let (rows, ..) = reader.read_records(most, Some(definitions), Some(repetitions), values)?;
        Ok((rows, read))
    };
    while remaining > 0 {
        let (rows, read) = next(remaining.min(at_once))?;
        if rows == 0 {
            return Err(few());
        }
        if !levels.fit(&read) {
            return Err(Malformed("one of its columns has values where the schema has none".to_owned()));
        }
        visit(rows, &read)?;
        remaining -= rows;
    }
    // No row of the group may be lost.
    if range.ends && next(1)?.0 > 0 {
        return Err(Malformed("one of its columns has more rows than the file says".to_owned()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::data_type::Int32Type;

    #[test]
    fn levels_that_cannot_be_are_noticed() {
        let levels = Levels { most_defined: 2, most_repeated: 1 };
        let fit = |definitions: &[i16], repetitions: &[i16]| {
            let (definitions, repetitions) = (definitions.to_vec(), repetitions.to_vec());
            levels.fit(&Read::<Int32Type> { values: Vec::new(), definitions, repetitions })
        };
        assert!(fit(&[], &[]) && fit(&[0, 1, 2], &[0, 1, 0]));
        assert!(!fit(&[0, 3], &[0, 0]), "more than is there");
        assert!(!fit(&[-1, 0], &[0, 0]));
        assert!(!fit(&[0, 0], &[0, 2]), "in no list");
        assert!(!fit(&[0, 0], &[1, 0]), "it goes on where nothing began");
    }
}
