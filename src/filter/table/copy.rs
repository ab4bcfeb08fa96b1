//! Columns of a list that is a table, copied to the files that its rows go to.

use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::file::writer::SerializedColumnWriter;

use super::Table;
use super::frames::{Slot, Sorting};
use super::line_columns::Values;
use super::span_columns::{Levels, Read, read_span};
use crate::columnar::{Batch, Malformed, Room};
use crate::filter::list::{List, Span, TableFile, in_group};

/// What of a column goes to one file, of a few rows.
pub(super) struct Share<T: DataType> {
    values: Vec<T::T>,
    /// How much of the way to a value is there, and where lists go on, as the format has it; none for columns of which
    /// every row has one value.
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    rows: usize,
}

impl<T: DataType> Default for Share<T> {
    fn default() -> Share<T> {
        Share { values: Vec::new(), definitions: Vec::new(), repetitions: Vec::new(), rows: 0 }
    }
}

impl<T: DataType> Share<T> {
    /// Adds a row of a column at the top: a value, or none.
    pub fn push(&mut self, value: Option<T::T>) {
        self.definitions.push(i16::from(value.is_some()));
        self.values.extend(value);
        self.rows += 1;
    }

    /// Writes it, and holds nothing any more.
    pub fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), Malformed> {
        if self.rows > 0 {
            let levels =
                [&self.definitions, &self.repetitions].map(|levels| (!levels.is_empty()).then_some(&levels[..]));
            column.typed::<T>().write_batch(&self.values, levels[0], levels[1])?;
        }
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.rows = 0;
        Ok(())
    }
}

/// Copies a column of these rows of a list to the files that they go to; its pages must fit in the room.
pub(super) fn copied(
    table: &Table,
    (list, spans, room): (&List, &[Span], &Room),
    column: usize,
    sorting: &Sorting<'_>,
    slots: &mut [Slot<'_>],
) -> Result<(), Malformed> {
    let Some(list) = list.table_file() else { return Ok(()) };
    let kept = table.line_columns.columns().iter().position(|&at| at == column);
    let (mut writers, mut handed) = (Vec::new(), Vec::new());
    for slot in slots {
        let (writer, values) = slot.column()?;
        writers.push(writer);
        handed.push(values);
    }
    let mut keep = |slot: usize, value: Value| {
        if let Some(place) = kept {
            value.push_to(&mut handed[slot][place]);
        }
    };
    let levels = Levels::of(list.file.schema().column(column).as_ref());
    let mut files = Files { sorting, row: sorting.rows.start, levels, writers };
    for span in spans {
        let copied = files.copy_span(list, column, (span, room), &mut keep);
        copied.map_err(|problem| Malformed(in_group(span.group, problem)))?;
    }
    files.writers.into_iter().try_for_each(|writer| Ok(writer.close()?))
}

/// A value of a column that makes up lines.
enum Value {
    Text(Option<ByteArray>),
    Number(Option<i64>),
    Other,
}

impl Value {
    fn push_to(self, values: &mut Values) {
        match (self, values) {
            (Value::Text(text), Values::Texts(texts)) => texts.push(text),
            (Value::Number(number), Values::Numbers(numbers)) => numbers.push(number),
            // Such a column was refused when its lines were read.
            (_, Values::Texts(texts)) => texts.push(None),
            (_, Values::Numbers(numbers)) => numbers.push(None),
        }
    }
}

/// Told of the value of each row, and where it goes.
type Keep<'k> = dyn FnMut(usize, Value) + 'k;

/// The files that the rows of a column go to.
struct Files<'f, 'w> {
    sorting: &'f Sorting<'f>,
    /// The next row of the chunk.
    row: usize,
    levels: Levels,
    writers: Vec<SerializedColumnWriter<'w>>,
}

impl Files<'_, '_> {
    /// Copies the rows of a span.
    fn copy_span(
        &mut self,
        list: &TableFile,
        column: usize,
        (span, room): (&Span, &Room),
        keep: &mut Keep<'_>,
    ) -> Result<(), Malformed> {
        let group = list.file.group(span.group, room)?;
        // Each crawler may send a row to another file.
        let copies = 1 + self.sorting.crawlers();
        let (reader, batch) = group.reader(column, span.first, copies)?;
        let span = (span, &batch);
        match reader {
            ColumnReader::BoolColumnReader(reader) => self.copy(reader, span, keep, |_| Value::Other),
            ColumnReader::Int32ColumnReader(reader) => {
                self.copy(reader, span, keep, |value| Value::Number(value.map(|&value| value.into())))
            }
            ColumnReader::Int64ColumnReader(reader) => {
                self.copy(reader, span, keep, |value| Value::Number(value.copied()))
            }
            ColumnReader::Int96ColumnReader(reader) => self.copy(reader, span, keep, |_| Value::Other),
            ColumnReader::FloatColumnReader(reader) => self.copy(reader, span, keep, |_| Value::Other),
            ColumnReader::DoubleColumnReader(reader) => self.copy(reader, span, keep, |_| Value::Other),
            ColumnReader::ByteArrayColumnReader(reader) => {
                self.copy(reader, span, keep, |value| Value::Text(value.cloned()))
            }
            ColumnReader::FixedLenByteArrayColumnReader(reader) => self.copy(reader, span, keep, |_| Value::Other),
        }
    }

    fn copy<T: DataType>(
        &mut self,
        reader: ColumnReaderImpl<T>,
        span: (&Span, &Batch),
        keep: &mut Keep<'_>,
        value: impl Fn(Option<&T::T>) -> Value,
    ) -> Result<(), Malformed> {
        let mut shares: Vec<Share<T>> = self.writers.iter().map(|_| Share::default()).collect();
        read_span(reader, self.levels, span, |rows, read| {
            self.share(read, &mut shares, |slot, of_row| keep(slot, value(of_row)));
            self.row += rows;
            shares.iter_mut().zip(&mut self.writers).try_for_each(|(share, writer)| share.write(writer))
        })
    }

    /// Gives each file what of these rows goes there, and tells `keep` of the first value of each row.
    fn share<T: DataType>(&self, read: &Read<T>, shares: &mut [Share<T>], mut keep: impl FnMut(usize, Option<&T::T>)) {
        let Read { values, definitions, repetitions } = read;
        let levels = if definitions.is_empty() { values.len() } else { definitions.len() };
        let (mut row, mut values) = (self.row, values.iter());
        for level in 0..levels {
            // A record begins where no list goes on.
            let begins = repetitions.get(level).is_none_or(|&repetition| repetition == 0);
            row += usize::from(begins && level > 0);
            let is_there = definitions.get(level).is_none_or(|&definition| definition == self.levels.most_defined);
            let value = if is_there { values.next() } else { None };
            self.sorting.each_slot(row, |slot| {
                let share = &mut shares[slot];
                share.values.extend(value.cloned());
                share.definitions.extend(definitions.get(level));
                share.repetitions.extend(repetitions.get(level));
                share.rows += usize::from(begins);
                if begins {
                    keep(slot, value);
                }
            });
        }
    }
}
