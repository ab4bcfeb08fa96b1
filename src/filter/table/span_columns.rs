//! Rows of a list that is a table, read as they are stored: column by column, some rows at a time.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::schema::types::ColumnDescriptor;

use crate::columnar::{Batch, Malformed, Room};
use crate::filter::list::{Span, TableFile};

/// Some rows of a column, as they were read.
pub(super) struct Read<T: DataType> {
    pub values: Vec<T::T>,
    /// How much of the way to a value is there, and where lists go on, as the format has it; none for columns of which
    /// every row has one value.
    pub definitions: Vec<i16>,
    pub repetitions: Vec<i16>,
}

/// The levels that values of a column can have.
#[derive(Clone, Copy)]
pub(super) struct Levels {
    /// The definition level of what is a value.
    pub most_defined: i16,
    most_repeated: i16,
}

impl Levels {
    pub fn of(column: &ColumnDescriptor) -> Levels {
        Levels { most_defined: column.max_def_level(), most_repeated: column.max_rep_level() }
    }

    /// Whether these rows have no others. The library makes levels of whatever stands there, but writes none that cannot be.
    fn fit<T: DataType>(self, read: &Read<T>) -> bool {
        let within = |levels: &[i16], most: i16| levels.iter().all(|level| (0..=most).contains(level));
        within(&read.definitions, self.most_defined)
            && within(&read.repetitions, self.most_repeated)
            && read.repetitions.first().is_none_or(|&first| first == 0)
    }
}

/// Makes sure that all columns of these rows can be read, as it takes to copy them, with pages that fit in a room.
pub(in crate::filter) fn readable(list: &TableFile, span: &Span, room: &Room) -> Result<(), Malformed> {
    let group = list.file.group(span.group, room)?;
    for column in 0..list.file.schema().num_columns() {
        let levels = Levels::of(group.described(column)?.column_descr());
        let (reader, batch) = group.reader(column, span.first, 1)?;
        let span = (span, &batch);
        match reader {
            ColumnReader::BoolColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::Int32ColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::Int64ColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::Int96ColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::FloatColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::DoubleColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::ByteArrayColumnReader(reader) => read_span(reader, levels, span, ignore)?,
            ColumnReader::FixedLenByteArrayColumnReader(reader) => read_span(reader, levels, span, ignore)?,
        }
    }
    Ok(())
}

fn ignore<T: DataType>(_rows: usize, _read: &Read<T>) -> Result<(), Malformed> {
    Ok(())
}

/// Reads a column of the rows of a span, and tells `tell` of some of them at a time, and how many they are.
pub(super) fn read_span<T: DataType>(
    mut reader: ColumnReaderImpl<T>,
    levels: Levels,
    (span, batch): (&Span, &Batch),
    mut tell: impl FnMut(usize, &Read<T>) -> Result<(), Malformed>,
) -> Result<(), Malformed> {
    let few = || Malformed("one of its columns has fewer rows than the file says".to_owned());
    if !batch.begin(&mut reader)? {
        return Err(few());
    }
    let mut left = span.rows;
    let mut next = |most: usize| -> Result<(usize, Read<T>), Malformed> {
        let mut read = Read { values: Vec::new(), definitions: Vec::new(), repetitions: Vec::new() };
        let Read { values, definitions, repetitions } = &mut read;
        let (rows, ..) = reader.read_records(most, Some(definitions), Some(repetitions), values)?;
        Ok((rows, read))
    };
    while left > 0 {
        let (rows, read) = next(left.min(batch.next_rows()))?;
        if rows == 0 {
            return Err(few());
        }
        if !levels.fit(&read) {
            return Err(Malformed("one of its columns has values in places that the schema does not have".to_owned()));
        }
        tell(rows, &read)?;
        left -= rows;
    }
    // No row of it may be lost.
    if span.ends && next(1)?.0 > 0 {
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
