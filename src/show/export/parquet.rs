//! Writes tables as Parquet, one row group at a time.
//!
//! Values come one by one, so they go straight to the library's column writers. Texts are UTF-8 (invalid bytes are replaced),
//! whole numbers 64-bit integers, decimals doubles, and times milliseconds of Unix time, in UTC.

use parquet::basic::{Compression, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use super::tables::{Column, Kind, Value};
use crate::formats::columnar::{ParquetFile, guarded};

/// The maximum number of rows in a group.
pub(super) const GROUP: usize = 1 << 16;

/// The approximate number of text bytes held before a group is written.
const HELD: usize = 32 << 20;

/// The key of the metadata that marks a table of ours; its value is the table's name.
const MARK: &str = "robosieve.export";

/// Whether a file is a table of ours. A file that is not Parquet, or damaged, is not.
pub(super) fn is_marked(file: &mut File) -> io::Result<bool> {
    let Ok(table) = guarded(|| ParquetFile::open(file.try_clone()?)) else { return Ok(false) };
    let metadata = table.metadata().file_metadata().key_value_metadata();
    Ok(metadata.is_some_and(|pairs| pairs.iter().any(|pair| pair.key == MARK)))
}

/// A writer of a Parquet file.
pub(super) struct ParquetWriter<W: Write + Send> {
    file: SerializedFileWriter<W>,
    columns: Vec<Held>,
    rows: usize,
    texts: usize,
    /// The maximum number of rows in a group.
    most: usize,
}

/// The values of a column, until its group is written.
struct Held {
    column: &'static Column,
    values: Values,
    /// For each row, 1 if it has a value, otherwise 0; empty if every row has one.
    levels: Vec<i16>,
}

enum Values {
    Texts(Texts),
    Wholes(Vec<i64>),
    Decimals(Vec<f64>),
}

/// The texts of a column.
struct Texts {
    all: Vec<ByteArray>,
    /// Texts of this or an earlier group, by their hashes: most repeat soon, and a text that is there need not be copied.
    recent: Vec<Option<ByteArray>>,
}

/// How many texts are kept, at most.
const RECENT: usize = 1 << 12;

impl Texts {
    fn push(&mut self, text: &[u8]) {
        let recent = &mut self.recent[xxh3_64(text) as usize % RECENT];
        match recent {
            Some(known) if known.data() == text => self.all.push(known.clone()),
            _ => {
                let new = ByteArray::from(String::from_utf8_lossy(text).into_owned().into_bytes());
                *recent = Some(new.clone());
                self.all.push(new);
            }
        }
    }
}

impl<W: Write + Send> ParquetWriter<W> {
    /// Begins a file with groups of at most `most` rows.
    pub fn new((name, columns): (&str, &'static [Column]), out: W, most: usize) -> io::Result<ParquetWriter<W>> {
        let fields: String = columns.iter().map(field).collect();
        let schema = parse_message_type(&format!("message {name} {{{fields}}}")).map_err(io_error)?;
        let mark = KeyValue::new(MARK.to_owned(), name.to_owned());
        let properties = WriterProperties::builder().set_compression(Compression::ZSTD(ZstdLevel::default()));
        let properties = properties.set_key_value_metadata(Some(vec![mark]));
        // The least and the greatest text serve to skip groups: of a column that is sorted, the first one.
        let texts = columns.iter().skip(1).filter(|column| column.kind == Kind::Text);
        let properties = texts.fold(properties, |properties, column| {
            properties.set_column_statistics_enabled(column.name.into(), EnabledStatistics::None)
        });
        let properties = properties.build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(io_error)?;
        let columns = columns.iter().map(Held::new).collect();
        Ok(ParquetWriter { file, columns, rows: 0, texts: 0, most })
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
        self.file.close().map_err(io_error)?;
        Ok(())
    }

    fn end_group(&mut self) -> io::Result<()> {
        if self.rows == 0 {
            return Ok(());
        }
        self.write_group().map_err(io_error)?;
        (self.rows, self.texts) = (0, 0);
        Ok(())
    }

    fn write_group(&mut self) -> Result<(), ParquetError> {
        let mut group = self.file.next_row_group()?;
        for held in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            held.write(&mut column)?;
            column.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Held {
    fn new(column: &'static Column) -> Held {
        let values = match column.kind {
            Kind::Text => Values::Texts(Texts { all: Vec::new(), recent: vec![None; RECENT] }),
            Kind::Whole | Kind::Time => Values::Wholes(Vec::new()),
            Kind::Decimal => Values::Decimals(Vec::new()),
        };
        Held { column, values, levels: Vec::new() }
    }

    /// Adds the value of a row, and returns the number of bytes of its text.
    fn push(&mut self, value: Value<'_>) -> usize {
        if !self.column.always {
            self.levels.push(i16::from(value != Value::None));
        }
        match (&mut self.values, value) {
            (Values::Texts(texts), Value::Text(text)) => {
                texts.push(text);
                return text.len();
            }
            (Values::Texts(texts), Value::Name(name)) => {
                texts.push(name.as_bytes());
                return name.len();
            }
            (Values::Wholes(numbers), Value::Whole(number)) => numbers.push(number.try_into().unwrap_or(i64::MAX)),
            (Values::Wholes(numbers), Value::Time(seconds)) => numbers.push(seconds.saturating_mul(1000)),
            (Values::Decimals(numbers), Value::Decimal(number)) => numbers.push(number),
            (_, value) => debug_assert_eq!(value, Value::None, "a value of its column's kind: {}", self.column.name),
        }
        0
    }

    /// Writes the values held, and clears them.
    fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        // Their memory is used again: groups are of one size.
        let levels = Some(&self.levels[..]).filter(|_| !self.column.always);
        match &mut self.values {
            Values::Texts(texts) => {
                column.typed::<ByteArrayType>().write_batch(&texts.all, levels, None)?;
                texts.all.clear();
            }
            Values::Wholes(numbers) => {
                column.typed::<Int64Type>().write_batch(numbers, levels, None)?;
                numbers.clear();
            }
            Values::Decimals(numbers) => {
                column.typed::<DoubleType>().write_batch(numbers, levels, None)?;
                numbers.clear();
            }
        }
        self.levels.clear();
        Ok(())
    }
}

/// A column in the library's schema notation.
fn field(column: &Column) -> String {
    let repetition = if column.always { "required" } else { "optional" };
    let (physical, logical) = match column.kind {
        Kind::Text => ("binary", "(STRING)"),
        Kind::Whole => ("int64", ""),
        Kind::Decimal => ("double", ""),
        Kind::Time => ("int64", "(TIMESTAMP(MILLIS,true))"),
    };
    format!("{repetition} {physical} {} {logical};", column.name)
}

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
    use crate::show::export::tables::ExportTable;

    fn sitemaps() -> (&'static str, &'static [Column]) {
        (ExportTable::Sitemaps.name(), ExportTable::Sitemaps.columns())
    }

    #[test]
    fn rows_come_back_whatever_the_groups() {
        let origins: Vec<String> = (0..10).map(|number| format!("http://{number}\u{fe}")).collect();
        let row = |number: usize| {
            let line = Value::Whole(number as u64);
            [Value::Text(origins[number].as_bytes()), Value::Text(b"a\xff\nb"), line]
        };
        for most in [1, 3, 10, 100] {
            let file = tempfile::tempfile().unwrap();
            let mut writer = ParquetWriter::new(sitemaps(), &file, most).unwrap();
            (0..10).for_each(|number| writer.row(&row(number)).unwrap());
            writer.finish().unwrap();
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
