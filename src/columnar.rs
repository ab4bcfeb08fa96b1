//! Columns of Parquet files, some rows at a time.
//!
//! They are read by the library's plain column readers, so its Arrow half is not needed. A [`Column`] stands at the top of
//! a file, and has at most one value a row.

mod decompress;
mod page_header;
mod pages;
mod positioned;
mod room;

use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, TimeUnit};
use parquet::column::page::PageReader;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl, get_column_reader};
use parquet::data_type::{ByteArray, ByteArrayType, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};
use std::cell::Cell;
use std::fs::File;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};

use decompress::Codec;
use pages::{Claimed, InRoom, OfBatch, Pages, ValueSize};
use positioned::Positioned;
pub(crate) use room::Room;

/// How many rows are read at a time, unless they are large.
pub(crate) const BATCH: usize = 1024;

/// The octets of a page as most writers make them.
const USUAL_PAGE: u64 = 1 << 20;

/// Rows are read together that take this part of the room for pages, on average.
const PART_OF_ROOM: u64 = 8;

/// How many times as much as in the file a footer takes in memory, at most about.
const OF_FOOTER: u64 = 16;

/// What is wrong with a file, in a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Malformed(pub String);

impl From<ParquetError> for Malformed {
    fn from(error: ParquetError) -> Malformed {
        Malformed(match error {
            // What it is about need not be told again.
            ParquetError::External(error) => error.to_string(),
            other => other.to_string(),
        })
    }
}

/// Some values of a column, one for each row.
pub(crate) type Values<T> = Result<Vec<Option<T>>, Malformed>;

/// Runs a part of the library, whose assertions a malformed file can break: a panic is an error, and not told beside.
/// What it works on is not used again then.
pub(crate) fn guarded<T, E: From<Malformed>>(run: impl FnOnce() -> Result<T, E>) -> Result<T, E> {
    static HOOK: Once = Once::new();
    thread_local!(static IS_GUARDED: Cell<bool> = const { Cell::new(false) });
    HOOK.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !IS_GUARDED.get() {
                others(panic);
            }
        }));
    });
    IS_GUARDED.set(true);
    let done = panic::catch_unwind(AssertUnwindSafe(run));
    IS_GUARDED.set(false);
    let broken = || Malformed("it is malformed: it breaks an assertion of its reader".to_owned()).into();
    done.unwrap_or_else(|_| Err(broken()))
}

/// The place of a column of this name at the top of a file.
pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    schema.columns().iter().position(|column| matches!(column.path().parts(), [only] if only == name))
}

/// The names of all columns, for messages.
pub(crate) fn names(schema: &SchemaDescriptor) -> Vec<String> {
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// A file, opened.
pub(crate) struct ParquetFile {
    octets: Positioned,
    metadata: ParquetMetaData,
}

impl ParquetFile {
    /// Reads the footer of a file, which may take so much memory.
    pub fn open(file: File, memory: u64) -> Result<ParquetFile, Malformed> {
        let octets = Positioned::new(file).map_err(ParquetError::from)?;
        let length = octets.footer_length().map_err(ParquetError::from)?;
        if length.saturating_mul(OF_FOOTER) > memory {
            return Err(Malformed(format!(
                "its footer of {length} octets takes more than the {memory} octets of memory that there are for it; give more \
                 with --memory"
            )));
        }
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&octets)?;
        Ok(ParquetFile { octets, metadata })
    }

    /// What its footer says.
    pub fn metadata(&self) -> &ParquetMetaData {
        &self.metadata
    }

    /// Its columns.
    pub fn schema(&self) -> &SchemaDescriptor {
        self.metadata.file_metadata().schema_descr()
    }

    /// A row group, whose pages must fit in a room.
    pub fn group(&self, number: usize, room: &Room) -> Result<Group<'_>, Malformed> {
        let metadata = self.metadata.row_groups().get(number);
        let metadata = metadata.ok_or_else(|| Malformed(format!("it has no row group {number}")))?;
        Ok(Group { octets: &self.octets, metadata, room: room.clone() })
    }
}

/// A row group that is read.
pub(crate) struct Group<'f> {
    octets: &'f Positioned,
    metadata: &'f RowGroupMetaData,
    room: Room,
}

/// How many rows are read at a time, and what their values take.
pub(crate) struct Batch {
    rows: usize,
    values: Option<OfBatch>,
    /// Whether rows that are left out are read as well.
    reads_all: bool,
    /// How many are left out before the first one.
    before: usize,
}

impl Batch {
    /// Leaves out the rows before the first one that is read; returns whether there are so many.
    pub fn begin<T: DataType>(&self, reader: &mut ColumnReaderImpl<T>) -> Result<bool, Malformed> {
        let mut left = self.before;
        while left > 0 {
            let most = if self.reads_all { self.next_rows() } else { usize::MAX };
            match reader.skip_records(left.min(most))? {
                0 => return Ok(false),
                skipped => left = left.saturating_sub(skipped),
            }
        }
        Ok(true)
    }

    /// How many rows are to be read next, those before being dropped.
    pub fn next_rows(&self) -> usize {
        if let Some(values) = &self.values {
            values.end();
        }
        self.rows
    }
}

impl Group<'_> {
    /// What the footer says of a column.
    pub fn described(&self, at: usize) -> Result<&ColumnChunkMetaData, Malformed> {
        self.metadata.columns().get(at).ok_or_else(|| Malformed(format!("a row group of it has no column {at}")))
    }

    /// The reader of a column of any kind, and how it is to be read from its row `first` on by somebody who has so many copies
    /// of values at a time.
    pub fn reader(&self, at: usize, first: usize, copies: usize) -> Result<(ColumnReader, Batch), Malformed> {
        let (chunk, room) = (self.described(at)?, self.room.clone());
        let described = chunk.column_descr_ptr();
        let (codec, claimed) = (chunk.compression(), Claimed::default());
        let octets =
            Arc::new(InRoom { octets: self.octets.clone(), room: room.clone(), codec, claimed: claimed.clone() });
        let rows = usize::try_from(self.metadata.num_rows()).map_err(|_| too_few(&described.path().string()))?;
        let compressed = Codec::of(codec).map(|codec| (codec, claimed));
        let pages = pages(octets, chunk, rows, compressed.is_some())?;
        let (values, rows) = (ValueSize::of(&described), rows_at_once(chunk, rows, copies as u64, &room));
        let of_batch = (described.max_rep_level() > 0).then(|| OfBatch::of_copies(copies as u64));
        let (is_delta, held) = (is_delta(chunk), of_batch.clone());
        let (front, dictionary) = (None, None);
        let mut pages = Pages { pages, compressed, room, values, rows, is_delta, of_batch, front, dictionary };
        // The library looks for the ends of rows, or makes all values of which others are made: not of pages that are not read.
        let (reads_all, mut before) = (held.is_some() || is_delta, first);
        if is_delta && held.is_none() {
            before -= pages.skip_whole(first)?;
        }
        let batch = Batch { rows, values: held, reads_all, before };
        Ok((get_column_reader(described, Box::new(pages)), batch))
    }
}

/// The pages of a column, as the library gives them, decompressed or as they are stored.
fn pages(
    octets: Arc<InRoom>,
    chunk: &ColumnChunkMetaData,
    rows: usize,
    as_stored: bool,
) -> Result<Box<dyn PageReader>, Malformed> {
    let stored;
    let chunk = if as_stored {
        stored = chunk.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        &stored
    } else {
        chunk
    };
    Ok(Box::new(SerializedPageReader::new(octets, chunk, rows, None)?))
}

/// How many of so many rows of a column are read at a time.
fn rows_at_once(chunk: &ColumnChunkMetaData, rows: usize, copies: u64, room: &Room) -> usize {
    let number = |number: i64| u64::try_from(number).unwrap_or(0);
    let values = number(chunk.num_values()).saturating_mul(size_of::<ByteArray>() as u64 * copies);
    let octets = number(chunk.uncompressed_size()).saturating_add(values) / (rows as u64).max(1);
    let fitting = usize::try_from(room.limit() / PART_OF_ROOM / octets.max(1)).unwrap_or(usize::MAX);
    if !is_delta(chunk) {
        return fitting.clamp(1, BATCH);
    }
    // A value may be far longer than what stands in the file of it: as long as a page. Twice that is for uncommon ones.
    let page = number(chunk.uncompressed_size()).clamp(1, USUAL_PAGE);
    let pages = usize::try_from(room.limit() / (2 * page)).unwrap_or(usize::MAX);
    fitting.min(pages).clamp(1, BATCH)
}

/// Whether values of a column are each made of the one before.
fn is_delta(chunk: &ColumnChunkMetaData) -> bool {
    chunk.encodings().any(|encoding| encoding == Encoding::DELTA_BYTE_ARRAY)
}

/// A column of a row group.
pub(crate) struct Column {
    name: String,
    units_in_a_second: i64,
    reader: ColumnReader,
    batch: Batch,
}

/// A time as it is in the file.
#[derive(Clone)]
pub(crate) enum Time {
    Seconds(i64),
    Text(ByteArray),
}

impl Column {
    /// The column at a place of the file, from its row `first` on.
    pub fn open(group: &Group<'_>, at: usize, first: usize) -> Result<Column, Malformed> {
        let described = group.described(at)?.column_descr();
        let name = described.path().string();
        if described.max_rep_level() > 0 {
            return Err(Malformed(format!("its column {name:?} has several values a row")));
        }
        let units_in_a_second = units_in_a_second(described);
        let (reader, batch) = group.reader(at, first, 1)?;
        let mut column = Column { name, units_in_a_second, reader, batch };
        if first > 0 {
            column.begin()?;
        }
        Ok(column)
    }

    /// How many rows may be read at a time.
    pub fn rows_at_once(&self) -> usize {
        self.batch.next_rows()
    }

    /// Leaves out the rows before the first one.
    fn begin(&mut self) -> Result<(), Malformed> {
        let are_there = match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => self.batch.begin(reader)?,
            ColumnReader::Int64ColumnReader(reader) => self.batch.begin(reader)?,
            ColumnReader::Int96ColumnReader(reader) => self.batch.begin(reader)?,
            ColumnReader::ByteArrayColumnReader(reader) => self.batch.begin(reader)?,
            _ => return Err(self.wrong("octets, text, integers or times")),
        };
        if are_there { Ok(()) } else { Err(too_few(&self.name)) }
    }

    /// The next values, which are octets or text; none at the end.
    pub fn texts(&mut self, rows: usize) -> Values<ByteArray> {
        match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(reader) => values::<ByteArrayType>(reader, rows),
            _ => Err(self.wrong("octets or text")),
        }
    }

    /// The next values, which are integers; none at the end.
    pub fn integers(&mut self, rows: usize) -> Values<i64> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(i64::from)).collect())
            }
            ColumnReader::Int64ColumnReader(reader) => values(reader, rows),
            _ => Err(self.wrong("integers")),
        }
    }

    /// The next values, which are times; none at the end.
    pub fn times(&mut self, rows: usize) -> Values<Time> {
        match &mut self.reader {
            ColumnReader::Int32ColumnReader(_) | ColumnReader::Int64ColumnReader(_) => {
                let units_in_a_second = self.units_in_a_second;
                let seconds = |units: i64| Time::Seconds(units.div_euclid(units_in_a_second));
                Ok(self.integers(rows)?.into_iter().map(|value| value.map(seconds)).collect())
            }
            ColumnReader::Int96ColumnReader(reader) => Ok(values(reader, rows)?
                .into_iter()
                .map(|value| value.map(|time| Time::Seconds(time.to_seconds())))
                .collect()),
            ColumnReader::ByteArrayColumnReader(reader) => {
                Ok(values(reader, rows)?.into_iter().map(|value| value.map(Time::Text)).collect())
            }
            _ => Err(self.wrong("time stamps, integers or text")),
        }
    }

    fn wrong(&self, wanted: &str) -> Malformed {
        Malformed(format!("its column {:?} is not of {wanted}", self.name))
    }
}

/// What is wrong with a column that ends before its rows do.
pub(crate) fn too_few(name: &str) -> Malformed {
    Malformed(format!("its column {name:?} has fewer rows than the file says"))
}

/// How much of what an integer column counts is a second.
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
    // A column at the top is there (1) or not (0).
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
