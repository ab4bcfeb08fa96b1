//! A Parquet file and its columns.

use bytes::Bytes;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::reader::ChunkReader;
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use super::positioned::Positioned;
use crate::formats::time;

/// How many rows are read at a time, unless they are large.
pub(crate) const BATCH: usize = 1024;

/// Roughly how many bytes of a column's values are read at a time.
const BATCH_BYTES: u64 = 1 << 20;

/// A sentence about what is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub String);

impl From<io::Error> for Malformed {
    fn from(error: io::Error) -> Malformed {
        Malformed(error.to_string())
    }
}

impl From<ParquetError> for Malformed {
    fn from(error: ParquetError) -> Malformed {
        Malformed(match error {
            // The wrapper adds nothing to the message.
            ParquetError::External(error) => error.to_string(),
            other => other.to_string(),
        })
    }
}

/// Values of a column, one for each row.
pub(crate) type Values<T> = Result<Vec<Option<T>>, Malformed>;

thread_local!(static IS_GUARDED: Cell<bool> = const { Cell::new(false) });

/// Whether a panic in this thread would be caught and become an error.
///
/// A malformed Parquet file can break assertions of the library that reads it. Where this crate calls that library, it catches
/// such panics, but the program's panic hook runs first, and by default prints a message. A program that reads or writes Parquet
/// through this crate can install a hook that stays silent if this is true.
pub fn panics_are_caught() -> bool {
    IS_GUARDED.get()
}

/// Calls into the Parquet library. A malformed file can break its assertions, so a panic becomes an error; the data it worked
/// on is not used again.
pub(crate) fn guarded<T, E: From<Malformed>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    IS_GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    let broken = || Malformed("it is malformed: reading it failed an assertion".to_owned()).into();
    done.unwrap_or_else(|_| Err(broken()))
}

/// The number of the top-level column with this name.
pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    schema.columns().iter().position(|column| matches!(column.path().parts(), [only] if only == name))
}

/// The names of all columns, for messages.
pub(crate) fn names(schema: &SchemaDescriptor) -> Vec<String> {
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// An opened file.
pub(crate) struct ParquetFile {
    bytes: Arc<Positioned>,
    metadata: ParquetMetaData,
}

impl ParquetFile {
    /// Reads the footer of a file, and checks what it declares.
    pub fn open(file: File) -> Result<ParquetFile, Malformed> {
        let length = file.metadata()?.len();
        let bytes = Positioned::new(Arc::new(file), length);
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes)?;
        for (number, group) in metadata.row_groups().iter().enumerate() {
            check(group, length).map_err(|problem| Malformed(format!("its row group {number} {problem}")))?;
        }
        Ok(ParquetFile { bytes: Arc::new(bytes), metadata })
    }

    /// The footer.
    pub fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    /// Its bytes in a range.
    pub fn bytes(&self, range: Range<u64>) -> Result<Bytes, Malformed> {
        let length = usize::try_from(range.end - range.start).map_err(ParquetError::from)?;
        Ok(self.bytes.get_bytes(range.start, length)?)
    }

    /// A row group.
    pub fn group(&self, number: usize) -> Result<RowGroup<'_>, Malformed> {
        let metadata = self.metadata.row_groups().get(number);
        let metadata = metadata.ok_or_else(|| Malformed(format!("it has no row group {number}")))?;
        Ok(RowGroup { bytes: &self.bytes, metadata })
    }
}

/// Checks what the footer declares about a row group, in a file of this length: the library reads wherever the footer says.
fn check(group: &RowGroupMetaData, length: u64) -> Result<(), String> {
    if usize::try_from(group.num_rows()).is_err() {
        return Err(format!("declares {} rows", group.num_rows()));
    }
    for column in group.columns() {
        let start = column.dictionary_page_offset().unwrap_or(column.data_page_offset());
        let range = [start, column.compressed_size()].map(u64::try_from);
        let [Ok(start), Ok(bytes)] = range else {
            return Err(format!("declares a negative offset or length of its column {}", column.column_path()));
        };
        if start.checked_add(bytes).is_none_or(|end| end > length) {
            return Err(format!("declares that its column {} ends beyond the file", column.column_path()));
        }
    }
    Ok(())
}

/// A row group to read.
pub(crate) struct RowGroup<'f> {
    bytes: &'f Arc<Positioned>,
    metadata: &'f RowGroupMetaData,
}

impl RowGroup<'_> {
    /// The footer's description of a column.
    pub fn described(&self, at: usize) -> Result<&ColumnChunkMetaData, Malformed> {
        self.metadata.columns().get(at).ok_or_else(|| Malformed(format!("one of its row groups has no column {at}")))
    }

    /// A reader for a column of any type, and how many rows to read from it at a time.
    pub fn reader(&self, at: usize) -> Result<(ColumnReader, usize), Malformed> {
        let chunk = self.described(at)?;
        let rows = usize::try_from(self.metadata.num_rows()).unwrap_or(0);
        let pages = SerializedPageReader::new(Arc::clone(self.bytes), chunk, rows, None)?;
        let bytes_of_row = u64::try_from(chunk.uncompressed_size()).unwrap_or(0) / (rows as u64).max(1);
        // A power of two, so that a row is always read together with the same other rows, wherever a reader began.
        let at_once = 1 << (BATCH_BYTES / bytes_of_row.max(1)).clamp(1, BATCH as u64).ilog2();
        Ok((get_column_reader(chunk.column_descr_ptr(), Box::new(pages)), at_once))
    }
}

/// Skips this many rows; returns whether there were that many.
pub(crate) fn skip_rows<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Result<bool, Malformed> {
    let mut left = rows;
    while left > 0 {
        match reader.skip_records(left)? {
            0 => return Ok(false),
            skipped => left = left.saturating_sub(skipped),
        }
    }
    Ok(true)
}

/// A column of a row group.
pub(crate) struct Column {
    name: String,
    units_in_a_second: i64,
    reader: ColumnReader,
    rows_at_once: usize,
}

impl Column {
    /// Opens the column at this place in the file, from its row `first` on.
    pub fn open(group: &RowGroup<'_>, at: usize, first: usize) -> Result<Column, Malformed> {
        let described = group.described(at)?.column_descr();
        let name = described.path().string();
        if described.max_rep_level() > 0 {
            return Err(Malformed(format!("its column {name:?} has several values per row")));
        }
        let units_in_a_second = units_in_a_second(described);
        let (reader, rows_at_once) = group.reader(at)?;
        let mut column = Column { name, units_in_a_second, reader, rows_at_once };
        column.skip(first)?;
        Ok(column)
    }

    /// How many rows to read at a time.
    pub fn rows_at_once(&self) -> usize {
        self.rows_at_once
    }

    /// Skips this many rows.
    fn skip(&mut self, rows: usize) -> Result<(), Malformed> {
        let are_there = match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => skip_rows(reader, rows)?,
            ColumnReader::Int64ColumnReader(reader) => skip_rows(reader, rows)?,
            ColumnReader::Int96ColumnReader(reader) => skip_rows(reader, rows)?,
            ColumnReader::ByteArrayColumnReader(reader) => skip_rows(reader, rows)?,
            _ => return Err(self.wrong("bytes, text, integers or times")),
        };
        if are_there { Ok(()) } else { Err(too_few(&self.name)) }
    }

    /// The next values of a column of bytes or text; none at the end.
    pub fn texts(&mut self, rows: usize) -> Values<ByteArray> {
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values::<ByteArrayType>(reader, rows),
            _ => Err(self.wrong("bytes or text")),
        }
    }

    /// The next values of an integer column; none at the end.
    pub fn integers(&mut self, rows: usize) -> Values<i64> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(i64::from)).collect())
            }
            ColumnReader::Int64ColumnReader(reader) => values(reader, rows),
            _ => Err(self.wrong("integers")),
        }
    }

    /// The next values of a time column, in seconds of Unix time, or what is wrong with a text; none at the end.
    pub fn times(&mut self, rows: usize) -> Values<Result<i64, String>> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(_) | ColumnReader::Int64ColumnReader(_) => {
                let units_in_a_second = self.units_in_a_second;
                let seconds = |units: i64| Ok(units.div_euclid(units_in_a_second));
                Ok(self.integers(rows)?.into_iter().map(|value| value.map(seconds)).collect())
            }
            ColumnReader::Int96ColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(|time| Ok(time.to_seconds()))).collect())
            }
            ColumnReader::ByteArrayColumnReader(reader) => {
                let seconds = |text: ByteArray| time::parse(&String::from_utf8_lossy(text.data()));
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(seconds)).collect())
            }
            _ => Err(self.wrong("time stamps, integers or text")),
        }
    }

    fn wrong(&self, wanted: &str) -> Malformed {
        Malformed(format!("its column {:?} does not hold {wanted}", self.name))
    }
}

/// The error for a column that ends before its rows do.
pub(crate) fn too_few(name: &str) -> Malformed {
    Malformed(format!("its column {name:?} has fewer rows than the file says"))
}

/// How many units of an integer column make a second.
fn units_in_a_second(column: &ColumnDescriptor) -> i64 {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        },
        (None, ConvertedType::TIMESTAMP_MILLIS) => 1_000,
        (None, ConvertedType::TIMESTAMP_MICROS) => 1_000_000,
        _ => 1,
    }
}

/// The next values of a column; none at the end.
fn values<T: DataType>(reader: &mut ColumnReaderImpl<T>, rows: usize) -> Values<T::T> {
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    let (rows, ..) = reader.read_records(rows, Some(&mut levels), None, &mut values)?;
    if levels.is_empty() {
        return Ok(values.into_iter().map(Some).collect());
    }
    // In a top-level column, level 1 is a value and level 0 is null.
    let mut values = values.into_iter();
    let all: Vec<Option<T::T>> = levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect();
    debug_assert_eq!(all.len(), rows);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_of_the_library_is_an_error() {
        let broken: Result<(), Malformed> = guarded(|| panic!("a broken assertion"));
        assert!(broken.is_err_and(|Malformed(problem)| problem.contains("malformed")));
        assert_eq!(guarded(|| Ok::<_, Malformed>(7)), Ok(7));
    }
}
