//! Writes tables as Parquet, one row group at a time.
//!
//! Texts are UTF-8 (invalid bytes are replaced), whole numbers 64-bit integers, decimals doubles, and times milliseconds of Unix
//! time, in UTC. The threads of the pool encode the columns of a group while rows of the next one come.

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, Int64Builder, StringBuilder, TimestampMillisecondBuilder};
use arrow_schema::{DataType, Field, FieldRef, Schema, TimeUnit};
use parquet::arrow::ArrowSchemaConverter;
use parquet::arrow::arrow_writer::{ArrowColumnChunk, ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use super::tables::{Column, Kind, Rows, Value};
use crate::formats::columnar::{ParquetFile, guarded};
use crate::threads::Soon;

/// The approximate number of text bytes held before a group is written.
const HELD: usize = 32 << 20;

/// The maximum number of rows in a group.
const GROUP_ROWS: usize = 1 << 17;

/// The key of the metadata that marks a table of ours; its value is the table's name.
const MARK: &str = "robosieve.export";

/// Whether a file is a table of ours. A file that is not Parquet, or damaged, is not.
pub(super) fn is_marked(file: &mut File) -> io::Result<bool> {
    let Ok(table) = guarded(|| ParquetFile::open(file.try_clone()?)) else { return Ok(false) };
    let metadata = table.metadata().file_metadata().key_value_metadata();
    Ok(metadata.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == MARK)))
}

/// Writes the rows that `rows` passes on.
pub(super) fn write(table: (&str, &'static [Column]), out: impl Write + Send, rows: &mut Rows<'_>) -> io::Result<()> {
    let mut writer = ParquetWriter::new(table, out, GROUP_ROWS)?;
    rows(&mut |row| writer.row(row))?;
    writer.finish()
}

struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    groups: ArrowRowGroupWriterFactory,
    fields: Vec<FieldRef>,
    columns: Vec<Values>,
    rows: usize,
    texts: usize,
    /// The maximum number of rows in a group.
    most: usize,
    /// The columns of the group before, and its number.
    encoding: Vec<Soon<Result<ArrowColumnChunk, ParquetError>>>,
    number: usize,
}

/// The values of a column, until its group is encoded.
enum Values {
    Texts(StringBuilder),
    Wholes(Int64Builder),
    Decimals(Float64Builder),
    Times(TimestampMillisecondBuilder),
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file with groups of at most `most` rows.
    pub fn new((name, columns): (&str, &'static [Column]), out: W, most: usize) -> io::Result<ParquetWriter<W>> {
        let (fields, held): (Vec<FieldRef>, Vec<Values>) = columns.iter().map(Values::new).unzip();
        let arrow = Arc::new(Schema::new(fields.clone()));
        let schema = ArrowSchemaConverter::new().schema_root(name).convert(&arrow).map_err(io_error)?;
        let mark = KeyValue::new(MARK.to_owned(), name.to_owned());
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let properties = properties.set_key_value_metadata(Some(vec![mark]));
        // The least and the greatest text serve to skip groups: of a column that is sorted, the first one.
        let texts = columns.iter().skip(1).filter(|column| column.kind == Kind::Text);
        let properties = texts.fold(properties, |properties, column| {
            properties.set_column_statistics_enabled(column.name.into(), EnabledStatistics::None)
        });
        let properties = properties.build();
        let file = SerializedFileWriter::new(out, schema.root_schema_ptr(), Arc::new(properties)).map_err(io_error)?;
        let groups = ArrowRowGroupWriterFactory::new(&file, arrow);
        Ok(ParquetWriter {
            file,
            groups,
            fields,
            columns: held,
            rows: 0,
            texts: 0,
            most,
            encoding: Vec::new(),
            number: 0,
        })
    }

    /// Adds a row.
    pub fn row(&mut self, row: &[Value<'_>]) -> io::Result<()> {
        for (held, value) in self.columns.iter_mut().zip(row) {
            self.texts += held.push(*value);
        }
        self.rows += 1;
        if self.rows == self.most || self.texts > HELD { self.end_group() } else { Ok(()) }
    }

    /// Writes the remaining rows and the end of the file.
    pub fn finish(mut self) -> io::Result<()> {
        self.end_group()?;
        self.write_group().map_err(io_error)?;
        self.file.close().map_err(io_error)?;
        Ok(())
    }

    /// Begins to encode the rows held, and writes the group before.
    fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.write_group().map_err(io_error)?;
        let writers = self.groups.create_column_writers(self.number).map_err(io_error)?;
        let columns = self.fields.iter().zip(&mut self.columns).zip(writers);
        let begin = |((field, held), writer): ((&FieldRef, &mut Values), _)| {
            let (field, values) = (FieldRef::clone(field), held.take());
            Soon::begin(move || encoded(&field, &values, writer))
        };
        self.encoding = columns.map(begin).collect();
        self.number += 1;
        (self.rows, self.texts) = (0, 0);
        Ok(())
    }

    /// Writes the group that is being encoded, if there is one.
    fn write_group(&mut self) -> Result<(), ParquetError> {
        if self.encoding.is_empty() {
            return Ok(());
        }
        let mut group = self.file.next_row_group()?;
        self.encoding.drain(..).try_for_each(|column| column.wait()?.append_to_row_group(&mut group))?;
        group.close()?;
        Ok(())
    }
}

fn encoded(
    field: &FieldRef,
    values: &ArrayRef,
    mut writer: ArrowColumnWriter,
) -> Result<ArrowColumnChunk, ParquetError> {
    compute_leaves(field, values)?.iter().try_for_each(|leaf| writer.write(leaf))?;
    writer.close()
}

impl Values {
    /// A column without values, and its field.
    fn new(column: &'static Column) -> (FieldRef, Values) {
        let (kind, values) = match column.kind {
            Kind::Text => (DataType::Utf8, Values::Texts(StringBuilder::new())),
            Kind::Whole => (DataType::Int64, Values::Wholes(Int64Builder::new())),
            Kind::Decimal => (DataType::Float64, Values::Decimals(Float64Builder::new())),
            Kind::Time => (
                DataType::Timestamp(TimeUnit::Millisecond, Some(UTC.into())),
                Values::Times(TimestampMillisecondBuilder::new().with_timezone(UTC)),
            ),
        };
        (Arc::new(Field::new(column.name, kind, !column.always)), values)
    }

    /// Adds the value of a row, which is of the column's kind, if there is one; returns the number of bytes of its text.
    fn push(&mut self, value: Value<'_>) -> usize {
        let text = match value {
            Value::Text(text) => Some(String::from_utf8_lossy(text)),
            Value::Name(name) => Some(name.into()),
            _ => None,
        };
        let bytes = text.as_ref().map_or(0, |text| text.len());
        match (&mut *self, value) {
            (Values::Texts(texts), _) => texts.append_option(text),
            (Values::Wholes(numbers), Value::Whole(number)) => {
                numbers.append_value(number.try_into().unwrap_or(i64::MAX));
            }
            (Values::Decimals(numbers), Value::Decimal(number)) => numbers.append_value(number),
            (Values::Times(times), Value::Time(seconds)) => times.append_value(seconds.saturating_mul(1000)),
            (Values::Wholes(numbers), _) => numbers.append_null(),
            (Values::Decimals(numbers), _) => numbers.append_null(),
            (Values::Times(times), _) => times.append_null(),
        }
        bytes
    }

    /// The values held, which are forgotten.
    fn take(&mut self) -> ArrayRef {
        match self {
            Values::Texts(texts) => Arc::new(texts.finish()),
            Values::Wholes(numbers) => Arc::new(numbers.finish()),
            Values::Decimals(numbers) => Arc::new(numbers.finish()),
            Values::Times(times) => Arc::new(times.finish()),
        }
    }
}

const UTC: &str = "UTC";

/// Unwraps an I/O error that the library only passes on, so that a closed pipe can be recognised.
fn io_error(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(source) => source.downcast::<io::Error>().map_or_else(io::Error::other, |error| *error),
        other => io::Error::other(other),
    }
}

#[cfg(test)]
mod tests {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    use super::*;
    use crate::show::export::Table;
    use crate::threads;

    fn sitemaps() -> (&'static str, &'static [Column]) {
        (Table::Sitemaps.name(), Table::Sitemaps.columns())
    }

    #[test]
    fn rows_come_back_whatever_the_groups() {
        let origins: Vec<String> = (0..10).map(|number| format!("http://{number}\u{fe}")).collect();
        let row = |number: usize| {
            let line = Value::Whole(number as u64);
            [Value::Text(origins[number].as_bytes()), Value::Text(b"a\xff\nb"), line]
        };
        for (most, threads) in [1, 3, 10, 100].into_iter().flat_map(|most| [0, 1, 3].map(|threads| (most, threads))) {
            let file = tempfile::tempfile().unwrap();
            threads::on(threads, || {
                let mut writer = ParquetWriter::new(sitemaps(), &file, most).unwrap();
                (0..10).for_each(|number| writer.row(&row(number)).unwrap());
                writer.finish().unwrap();
            });
            let reader = SerializedFileReader::new(file).unwrap();
            assert_eq!(reader.num_row_groups(), 10_usize.div_ceil(most));
            let rows: Vec<Vec<(String, Field)>> = reader.into_iter().map(|row| row.unwrap().into_columns()).collect();
            assert_eq!(rows.len(), 10);
            for (number, row) in rows.iter().enumerate() {
                let sitemap = Field::Str("a\u{fffd}\nb".to_owned());
                let expected = [Field::Str(origins[number].clone()), sitemap, Field::Long(number as i64)];
                assert!(row.iter().map(|(_, field)| field).eq(&expected), "{row:?}");
            }
        }
    }

    #[test]
    fn a_closed_pipe_is_known_as_one() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let written = ParquetWriter::new(sitemaps(), Closed, 1).and_then(ParquetWriter::finish);
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    }
}
