//! Reads rows of Parquet files as batches of columns.
//!
//! Columns are read as they are stored: what the schema says of their meaning is left to who reads them. The footer is
//! checked when a file is opened. The library trusts the claims of pages, so what these take is [looked at](super::pages) before any
//! is decoded, and held to a limit; a panic of the library becomes an error ([`guarded`]).

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields, Schema, SchemaRef, TimeUnit};
use arrow_select::concat::concat_batches;
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReader, ParquetRecordBatchReaderBuilder, RowSelection,
    RowSelector,
};
use parquet::basic::{Repetition, Type as PhysicalType};
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{Int96, Int96Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, FileMetaData, ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData,
};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type, TypePtr};
use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub(crate) use super::error::Malformed;
use super::error::NO_ROOM;
use super::int96;
use super::pages::{self, PagesNeed};
use super::seekable::FileAt;
use crate::threads;

/// How many rows are read at a time, unless they are large.
const BATCH: usize = 1024;

/// Roughly how many bytes of values are read at a time.
const BATCH_BYTES: u64 = 1 << 20;

const COLUMNS: usize = 256;

/// Pages that take more than this part of the limit are large.
const LARGE: u64 = 8;

/// The number of the top-level column with this name.
pub(crate) fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
    schema.columns().iter().position(|column| matches!(column.path().parts(), [only] if only == name))
}

/// The number of the column at this path, with a dot after the name of each group.
pub(crate) fn find_nested(schema: &SchemaDescriptor, path: &str) -> Option<usize> {
    schema.columns().iter().position(|column| column.path().string() == path)
}

/// The names of all columns, for messages.
pub(crate) fn names(schema: &SchemaDescriptor) -> Vec<String> {
    schema.columns().iter().map(|column| column.path().string()).collect()
}

/// The metadata key under which Spark describes the rows of its files.
pub(crate) const SPARK_ROWS: &str = "org.apache.spark.sql.parquet.row.metadata";

pub(crate) struct ParquetFile {
    bytes: Positioned,
    schema: SchemaDescPtr,
    reading: ArrowReaderMetadata,
    /// Whether Spark wrote it, whose times are whole microseconds.
    is_of_spark: bool,
    /// The most bytes that pages of all columns which are read together may take.
    limit: u64,
    /// What the pages of a column of a row group take, once it is known.
    needs: Mutex<HashMap<(usize, usize), PagesNeed>>,
}

/// Consecutive rows of a row group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowRange {
    pub group: usize,
    /// The first row's number in the group.
    pub first: usize,
    pub rows: usize,
    /// Whether they are the last rows of the group.
    pub ends: bool,
}

impl ParquetFile {
    /// Opens a file whose rows are copied.
    pub fn open(file: File) -> Result<ParquetFile, Malformed> {
        ParquetFile::opened(file, None)
    }

    /// Opens a file whose times are only wanted to the second.
    pub fn open_for_seconds(file: File) -> Result<ParquetFile, Malformed> {
        ParquetFile::opened(file, Some(TimeUnit::Second))
    }

    /// Opens a file whose times in INT96 become numbers of this unit, or of the one that its writer had.
    fn opened(file: File, unit: Option<TimeUnit>) -> Result<ParquetFile, Malformed> {
        let (bytes, metadata) = ParquetFile::footer(file)?;
        let schema = metadata.file_metadata().schema_descr_ptr();
        let entries = metadata.file_metadata().key_value_metadata();
        let is_of_spark = entries.into_iter().flatten().any(|entry| entry.key == SPARK_ROWS);
        let reading = plain_reading(metadata, &unit.unwrap_or_else(|| int96::unit(is_of_spark)))?;
        Ok(ParquetFile { bytes, schema, reading, is_of_spark, limit: u64::MAX, needs: Mutex::default() })
    }

    /// The same, with a limit for the bytes of pages that are read together.
    pub fn within(self, limit: u64) -> ParquetFile {
        ParquetFile { limit, ..self }
    }

    /// What the pages of these columns of a row group take; nothing if there is no limit.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if it is more than the limit, or their headers cannot be read.
    pub fn pages_need(&self, group: usize, columns: &[usize]) -> Result<PagesNeed, Malformed> {
        let mut all = PagesNeed::default();
        if self.limit == u64::MAX {
            return Ok(all);
        }
        let row_group = self.metadata().row_group(group);
        for &at in columns {
            let Some(column) = row_group.columns().get(at) else { continue };
            let known = self.needs().get(&(group, at)).copied();
            let need = match known {
                Some(need) => need,
                None => {
                    let need = pages::need(column, self.limit, |at| self.bytes.from(at))?;
                    self.needs().insert((group, at), need);
                    need
                }
            };
            all = PagesNeed { bytes: all.bytes.saturating_add(need.bytes), growing: all.growing.max(need.growing) };
        }
        if all.bytes > self.limit {
            let (bytes, limit) = (all.bytes, self.limit);
            return Err(Malformed(format!("its pages take {bytes} bytes, {NO_ROOM} ({limit} bytes of it)")));
        }
        Ok(all)
    }

    /// The needs of the pages read so far, which stay true after a panic.
    fn needs(&self) -> MutexGuard<'_, HashMap<(usize, usize), PagesNeed>> {
        self.needs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the pages of these columns take so much that only one reader of them has room.
    pub fn is_large(&self, group: usize, columns: &[usize]) -> bool {
        self.pages_need(group, columns).map_or(true, |need| need.bytes > self.limit / LARGE)
    }

    /// Reads the footer of a file, and checks what it declares.
    fn footer(file: File) -> Result<(Positioned, ParquetMetaData), Malformed> {
        let length = file.metadata()?.len();
        let bytes = Positioned::new(Arc::new(file), length);
        if is_encrypted(&bytes)? {
            return Err(Malformed("it is an encrypted Parquet file; decrypt it first".to_owned()));
        }
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&bytes)?;
        for (number, group) in metadata.row_groups().iter().enumerate() {
            check(group, length).map_err(|problem| Malformed(format!("its row group {number} {problem}")))?;
        }
        Ok((bytes, metadata))
    }

    /// The footer, with a schema without meaning.
    pub fn metadata(&self) -> &ParquetMetaData {
        self.reading.metadata()
    }

    pub fn schema(&self) -> &SchemaDescriptor {
        &self.schema
    }

    pub fn batch_schema(&self) -> &SchemaRef {
        self.reading.schema()
    }

    /// How many rows of these columns are read at a time, of `most` at most. A power of two, so that a row is always read
    /// together with the same other rows, wherever a reader began.
    pub fn rows_at_once(&self, group: usize, columns: &[usize], most: usize) -> usize {
        let group = self.metadata().row_group(group);
        let number = |number: i64| u64::try_from(number).unwrap_or(0);
        let bytes = |&at: &usize| group.columns().get(at).map_or(0, |column| number(column.uncompressed_size()));
        let bytes_of_row = columns.iter().map(bytes).max().unwrap_or(0) / number(group.num_rows()).max(1);
        1 << (BATCH_BYTES / bytes_of_row.max(1)).clamp(1, most.clamp(1, BATCH) as u64).ilog2()
    }

    /// Rows of these columns, `at_once` at a time.
    pub fn batches(&self, rows: RowRange, columns: &[usize], at_once: usize) -> Result<Batches, Malformed> {
        self.check_counts(rows.group)?;
        let has_all = rows.first == 0 && rows.ends;
        // One row more, to notice if there is one; only where it would be read by itself.
        let tries_more = !has_all && rows.ends && at_once >= rows.rows;
        let at_once = if tries_more { rows.rows } else { at_once };
        // Each value may be as long as the page that it is in.
        let at_once = match self.pages_need(rows.group, columns)?.growing {
            0 => at_once,
            growing => at_once.min(1 << (self.limit / growing).clamp(1, 1 << 30).ilog2()),
        };
        let tries_more = tries_more && at_once >= rows.rows;
        let wanted = RowRange { rows: rows.rows + usize::from(tries_more), ..rows };
        let reader = self.reader(wanted, columns, at_once)?;
        Ok(Batches { reader, remaining: rows.rows, tries_more })
    }

    /// Rows of all columns, as one batch.
    pub fn rows(&self, rows: RowRange) -> Result<RecordBatch, Malformed> {
        let mut columns = Vec::new();
        for some in self.columns_at_once() {
            let mut batches = self.batches(rows, &some, rows.rows)?;
            let mut read = Vec::new();
            while let Some(batch) = batches.next()? {
                read.push(batch);
            }
            let batch = match <[RecordBatch; 1]>::try_from(read) {
                Ok([batch]) => batch,
                Err(several) => {
                    let schema = several.first().ok_or_else(|| Malformed("it has no rows".to_owned()))?.schema();
                    concat_batches(&schema, &several)?
                }
            };
            columns.extend_from_slice(batch.columns());
        }
        self.check_times(rows)?;
        Ok(RecordBatch::try_new(SchemaRef::clone(self.batch_schema()), columns)?)
    }

    /// The columns, as many at a time as are read at once: the decompressor of each takes memory.
    pub fn columns_at_once(&self) -> Vec<Vec<usize>> {
        let mut parts: Vec<Vec<usize>> = Vec::new();
        let root = |at: usize| self.schema.get_column_root_idx(at);
        for at in 0..self.schema.num_columns() {
            match parts.last_mut() {
                Some(part) if part.len() < COLUMNS || root(at) == root(at - 1) => part.push(at),
                _ => parts.push(vec![at]),
            }
        }
        parts
    }

    /// Checks that columns with one value a row have as many as the group has rows.
    fn check_counts(&self, group: usize) -> Result<(), Malformed> {
        let groups = self.metadata().row_groups();
        let group = groups.get(group).ok_or_else(|| Malformed(format!("it has no row group {group}")))?;
        let is_other = |column: &&ColumnChunkMetaData| {
            column.column_descr().max_rep_level() == 0 && column.num_values() != group.num_rows()
        };
        match group.columns().iter().find(is_other) {
            Some(column) => {
                let (name, values, rows) = (column.column_path().string(), column.num_values(), group.num_rows());
                Err(Malformed(format!("its column {name:?} has {values} values in {rows} rows")))
            }
            None => Ok(()),
        }
    }

    /// Checks that no time in INT96 of these rows changes when it becomes a number of 64 bits.
    fn check_times(&self, rows: RowRange) -> Result<(), Malformed> {
        let columns = self.schema.columns().iter().enumerate();
        let in_int96 = columns.filter(|(_, column)| column.physical_type() == PhysicalType::INT96);
        for (at, column) in in_int96 {
            let times = self.times(at, rows)?;
            if let Some(problem) = int96::problem(&times, self.is_of_spark) {
                return Err(Malformed(format!("its column {:?} {problem}", column.path().string())));
            }
        }
        Ok(())
    }

    /// The times in a column in INT96, of those rows that have one.
    fn times(&self, at: usize, RowRange { group, first, rows, .. }: RowRange) -> Result<Vec<Int96>, Malformed> {
        self.pages_need(group, &[at])?;
        let group = self.metadata().row_group(group);
        let (file, of_group) = (Arc::new(self.bytes.clone()), usize::try_from(group.num_rows()).unwrap_or(0));
        let pages = SerializedPageReader::new(file, group.column(at), of_group, None)?;
        let mut reader = ColumnReaderImpl::<Int96Type>::new(self.schema.column(at), Box::new(pages));
        reader.skip_records(first)?;
        let (mut times, [mut of_groups, mut of_lists]) = (Vec::new(), [Vec::new(), Vec::new()]);
        reader.read_records(rows, Some(&mut of_groups), Some(&mut of_lists), &mut times)?;
        Ok(times)
    }

    fn reader(
        &self,
        RowRange { group, first, rows, ends }: RowRange,
        columns: &[usize],
        at_once: usize,
    ) -> Result<ParquetRecordBatchReader, Malformed> {
        self.pages_need(group, columns)?;
        let builder = ParquetRecordBatchReaderBuilder::new_with_metadata(self.bytes.clone(), self.reading.clone());
        let selection = vec![RowSelector::skip(first), RowSelector::select(rows)];
        let builder = match first == 0 && ends {
            true => builder,
            false => builder.with_row_selection(RowSelection::from(selection)),
        };
        let mask = ProjectionMask::leaves(self.reading.parquet_schema(), columns.iter().copied());
        Ok(builder.with_projection(mask).with_row_groups(vec![group]).with_batch_size(at_once.max(1)).build()?)
    }
}

/// Whether the footer of a file says that columns are encrypted. One that is encrypted itself has another mark at its end.
fn is_encrypted(file: &Positioned) -> Result<bool, Malformed> {
    const TAIL: u64 = 8;
    let Some(tail) = file.length.checked_sub(TAIL) else { return Ok(false) };
    let mut bytes = [0; TAIL as usize];
    file.from(tail).read_exact(&mut bytes)?;
    let (length, mark) = (u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]), &bytes[4..]);
    let Some(start) = tail.checked_sub(length.into()) else { return Ok(false) };
    if mark == b"PARE" {
        return Ok(true);
    }
    Ok(pages::is_encrypted(BufReader::new(file.from(start)).take(length.into())))
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

pub(crate) struct Batches {
    reader: ParquetRecordBatchReader,
    /// RowRange that must follow.
    remaining: usize,
    /// Whether one row more is tried, which must not be there.
    tries_more: bool,
}

impl Batches {
    /// The next rows; `None` at the end.
    ///
    /// # Errors
    ///
    /// [`Malformed`], also if there are more or fewer rows than the file says.
    pub fn next(&mut self) -> Result<Option<RecordBatch>, Malformed> {
        let batch = match self.reader.next().transpose() {
            // The row that must not be there is not there.
            Err(_) if self.tries_more && self.remaining == 0 => None,
            batch => batch?,
        };
        let Some(batch) = batch else {
            return match self.remaining {
                0 => Ok(None),
                _ => Err(Malformed("it has fewer rows than the file says".to_owned())),
            };
        };
        let remaining = self.remaining.checked_sub(batch.num_rows());
        self.remaining = remaining.ok_or_else(|| Malformed("it has more rows than the file says".to_owned()))?;
        Ok(Some(batch))
    }
}

type Positioned = FileAt<Arc<File>>;

impl Length for Positioned {
    fn len(&self) -> u64 {
        self.length
    }
}

impl ChunkReader for Positioned {
    type T = BufReader<Positioned>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(BufReader::new(self.from(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        // A damaged file can claim more bytes than there is memory for.
        let within = start.checked_add(length as u64).is_some_and(|end| end <= self.length);
        if !within {
            return Err(ParquetError::EOF(format!("{length} bytes at {start} are beyond the end of the file")));
        }
        let mut bytes = vec![0; length];
        self.from(start).read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}

// Schemas without meaning: how the library reads values as they are stored.
//
// Arrow has a type for most meanings that a Parquet schema can give to values, but not for all: an interval would lose its
// months, and text that is not UTF-8 would be an error. So the library is given the schema without any meaning. Decimals,
// times, enumerations, lists and maps are then plain numbers, bytes, and repeated groups, and pass as they are, whatever is
// written about them in the schema that the files get. Only INT96, which Arrow does not have, becomes a number of nanoseconds.

/// How to read a file with this footer. INT96 is read in this unit.
fn plain_reading(metadata: ParquetMetaData, int96: &TimeUnit) -> Result<ArrowReaderMetadata, Malformed> {
    let of_file = metadata.file_metadata();
    let root = plain(of_file.schema_descr().root_schema(), true)?;
    let fields = root.get_fields().len();
    let of_file = FileMetaData::new(
        of_file.version(),
        of_file.num_rows(),
        of_file.created_by().map(str::to_owned),
        of_file.key_value_metadata().cloned(),
        Arc::new(SchemaDescriptor::new(root)),
        None,
    );
    let row_groups = metadata.into_builder().take_row_groups();
    let metadata = Arc::new(ParquetMetaData::new(of_file, row_groups));
    let skipped = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
    let known = ArrowReaderMetadata::try_new(Arc::clone(&metadata), skipped)?;
    if known.schema().fields().len() != fields {
        return Err(Malformed("it has a column that is a group without columns, which cannot be read".to_owned()));
    }
    let viewed: Fields = known.schema().fields().iter().map(|field| viewed(field, int96)).collect();
    Ok(ArrowReaderMetadata::try_new(metadata, ArrowReaderOptions::new().with_schema(Arc::new(Schema::new(viewed))))?)
}

/// A part of a schema, without meaning.
fn plain(part: &Type, is_root: bool) -> Result<TypePtr, ParquetError> {
    let repetition = if is_root { None } else { Some(part.get_basic_info().repetition()) };
    match part {
        Type::GroupType { fields, .. } => {
            let fields = fields.iter().map(|field| plain(field, false)).collect::<Result<_, _>>()?;
            let group = Type::group_type_builder(part.name()).with_fields(fields);
            let group = match repetition {
                Some(repetition) => group.with_repetition(repetition),
                None => group,
            };
            group.build()
        }
        Type::PrimitiveType { physical_type, type_length, .. } => {
            let value = Type::primitive_type_builder(part.name(), *physical_type).with_length(*type_length);
            value.with_repetition(repetition.unwrap_or(Repetition::REQUIRED)).build()
        }
    }
    .map(Arc::new)
}

/// A field whose bytes are read as views, which refer to pages: bytes that repeat are in memory once.
fn viewed(field: &FieldRef, int96: &TimeUnit) -> FieldRef {
    let kind = match field.data_type() {
        DataType::Binary => DataType::BinaryView,
        DataType::Timestamp(..) => DataType::Timestamp(*int96, None),
        DataType::List(values) => DataType::List(viewed(values, int96)),
        DataType::Struct(fields) => DataType::Struct(fields.iter().map(|field| viewed(field, int96)).collect()),
        _ => return Arc::clone(field),
    };
    Arc::new(Field::new(field.name(), kind, field.is_nullable()))
}

impl ParquetFile {
    /// The column of a file with the rows of a column of this type: the same, but for INT96.
    pub fn written(&self, part: &TypePtr) -> Result<TypePtr, ParquetError> {
        int96::written(part, self.is_of_spark)
    }
}

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
            ParquetError::General(problem) | ParquetError::NYI(problem) | ParquetError::EOF(problem) => problem,
            other => other.to_string(),
        })
    }
}

impl From<ArrowError> for Malformed {
    fn from(error: ArrowError) -> Malformed {
        Malformed(match error {
            ArrowError::ParquetError(problem) => problem,
            ArrowError::ExternalError(error) => error.to_string(),
            other => other.to_string(),
        })
    }
}

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
    done.unwrap_or_else(|panic| match threads::is_stop(&*panic) {
        true => panic::resume_unwind(panic),
        false => Err(broken()),
    })
}

/// The column at this path; `None` if there is none, or if it is in a list.
pub(crate) fn leaf<'b>(batch: &'b RecordBatch, path: &[String]) -> Option<&'b ArrayRef> {
    let (root, inner) = path.split_first()?;
    let root = batch.column_by_name(root)?;
    inner.iter().try_fold(root, |group, name| group.as_struct_opt()?.column_by_name(name))
}

/// Calls `visit` with the values in an array, in the order of the columns of the file. Of a list, those of all its elements.
pub(crate) fn leaves(array: &ArrayRef, visit: &mut impl FnMut(&ArrayRef)) {
    match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().iter().for_each(|column| leaves(column, visit)),
        DataType::List(_) => leaves(&elements(array), visit),
        _ => visit(array),
    }
}

fn elements(array: &ArrayRef) -> ArrayRef {
    let lists = array.as_list::<i32>();
    let (first, end) = (lists.value_offsets()[0], lists.value_offsets()[lists.len()]);
    lists.values().slice(first as usize, (end - first) as usize)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn what_one_reads_does_not_move_another() {
        let file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut &file, b"0123456789").unwrap();
        let file = FileAt::new(Arc::new(file), 10);
        let (mut one, mut other) = (file.get_read(2).unwrap(), file.get_read(5).unwrap());
        let mut read = [0; 3];
        one.read_exact(&mut read[..1]).unwrap();
        other.read_exact(&mut read[1..2]).unwrap();
        one.read_exact(&mut read[2..]).unwrap();
        assert_eq!(&read, b"253");
        assert_eq!(file.get_bytes(7, 3).unwrap(), &b"789"[..]);
        assert!(file.get_bytes(7, 4).is_err());
        assert!(file.get_bytes(u64::MAX, 2).is_err());
    }

    #[test]
    fn a_panic_of_the_library_is_an_error() {
        let broken: Result<(), Malformed> = guarded(|| panic!("a broken assertion"));
        assert!(broken.is_err_and(|Malformed(problem)| problem.contains("malformed")));
        assert_eq!(guarded(|| Ok::<_, Malformed>(7)), Ok(7));
    }
}
