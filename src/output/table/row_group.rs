//! Row groups: gathered rows of a file, encoded, each with its own footer; and the footer of the file, assembled from
//! these.
//!
//! Columns are encoded one after the other. So memory never holds more than the rows, the columns encoded so far, and what the
//! encoder of one column needs, which may be more than the values of a short one.
//!
//! If values repeat, a dictionary saves space and time for compression; otherwise making it is wasted. A sample of each
//! column's values, spread over the group, shows how many distinct values there are: among *n* values drawn from *d*
//! equally frequent ones, about *n*²/2*d* repeat an earlier one.
//!
//! Each group is a *frame*, followed by its length. So all frames can be found by walking back from the end of the last
//! one, and no list of their positions is needed. Offsets in a frame's footer count from the start of the frame, and
//! are shifted to its place in the file.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, FieldRef, Schema};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::{
    ColumnChunkMetaData, ParquetMetaData, ParquetMetaDataReader, ParquetMetaDataWriter, RowGroupMetaData,
};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::borrow::Cow;
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

use super::TableSchema;
use super::shared::{TAIL, TRAILER};
use super::waiting::FullGroup;
use crate::error::run::Error;
use crate::formats::columnar::{Malformed, guarded, leaves};
use crate::formats::counting_writer::CountingWriter;
use crate::formats::marks::PARQUET_MARK;
use crate::input::list::line_columns::LineArrays;
use crate::judge::tally::{Tally, line_hash};
use crate::output::folder::Written;
use crate::output::form::Block;

impl TableSchema {
    /// The bytes after the head of a file without rows.
    pub fn empty_end(&self) -> Result<Vec<u8>, Error> {
        let empty = self.writer(None).and_then(SerializedFileWriter::into_inner);
        Ok(empty.map_err(Malformed::from)?[PARQUET_MARK.len()..].to_vec())
    }

    /// Encodes rows as a block of their file.
    pub fn row_group(&self, group: FullGroup) -> Result<Block<'static>, Error> {
        let (set, file, rows) = group.read_back()?;
        let made = guarded(|| Ok::<_, Malformed>((self.tally(&rows)?, self.encoded(&rows)?)));
        let (tally, (rows, bytes)) = made?;
        if tally.lines != rows {
            return Err(Malformed(format!("{rows} rows were encoded instead of {}", tally.lines)).into());
        }
        Ok(Block { set, file, pieces: vec![Cow::Owned(bytes)], tally })
    }

    /// The tally of the lines of these rows.
    fn tally(&self, rows: &RecordBatch) -> Result<Tally, Malformed> {
        let mut tally = Tally::default();
        let lines = LineArrays::of(self.line_columns, &self.schema, rows)?;
        lines.each_line(|line| tally.add_hashed(line_hash(line), line.len() + 1));
        Ok(tally)
    }

    /// The number of rows in a group, and its bytes: without the head of a file, and with its length at the end.
    fn encoded(&self, rows: &RecordBatch) -> Result<(u64, Vec<u8>), ParquetError> {
        let mut writer = self.writer(Some(rows))?;
        let properties = WriterPropertiesPtr::clone(writer.properties());
        let mut group = writer.next_row_group()?;
        for (at, field) in self.batch_schema.fields().iter().enumerate() {
            let mut columns = self.column_writers(at, &properties)?;
            let leaves = compute_leaves(field, rows.column(at))?;
            columns.iter_mut().zip(&leaves).try_for_each(|(column, leaf)| column.write(leaf))?;
            columns.into_iter().try_for_each(|column| column.close()?.append_to_row_group(&mut group))?;
        }
        let rows = group.close()?.num_rows();
        let mut bytes = writer.into_inner()?;
        bytes.drain(..PARQUET_MARK.len());
        let length = (bytes.len() + TRAILER) as u64;
        bytes.extend_from_slice(&length.to_le_bytes());
        Ok((u64::try_from(rows)?, bytes))
    }

    /// Writers for the columns of one field: as in a file that has only this field.
    fn column_writers(
        &self,
        at: usize,
        properties: &WriterPropertiesPtr,
    ) -> Result<Vec<ArrowColumnWriter>, ParquetError> {
        let field = TypePtr::clone(&self.schema.root_schema().get_fields()[at]);
        let root = Type::group_type_builder(self.schema.name()).with_fields(vec![field]).build()?;
        let file = SerializedFileWriter::new(io::sink(), Arc::new(root), WriterPropertiesPtr::clone(properties))?;
        let of_batch = Schema::new(vec![FieldRef::clone(&self.batch_schema.fields()[at])]);
        ArrowRowGroupWriterFactory::new(&file, Arc::new(of_batch)).create_column_writers(0)
    }

    /// A writer to memory of a row group with these rows.
    fn writer(&self, rows: Option<&RecordBatch>) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_dictionary_enabled(false)
            .set_dictionary_page_size_limit(DICTIONARY_BYTES)
            // A file has it once, not in the footer of each group.
            .set_key_value_metadata(rows.is_none().then(|| self.metadata.to_vec()));
        let path = |at| ColumnPath::new(self.schema.column(at).path().parts().to_vec());
        let properties = rows
            .map(dictionaries)
            .unwrap_or_default()
            .into_iter()
            .fold(properties, |properties, at| properties.set_column_dictionary_enabled(path(at), true));
        SerializedFileWriter::new(Vec::new(), self.schema.root_schema_ptr(), Arc::new(properties.build()))
    }
}

/// The most bytes of a dictionary.
const DICTIONARY_BYTES: usize = 4 << 20;

/// How many values of a column are sampled.
const SAMPLE: usize = 2048;

/// How often a value must occur, on average.
const REPEATS: usize = 2;

/// The numbers of the columns of a file in which these rows get a dictionary.
pub(super) fn dictionaries(rows: &RecordBatch) -> Vec<usize> {
    let (mut chosen, mut number) = (Vec::new(), 0);
    for column in rows.columns() {
        leaves(column, &mut |values| {
            if saves(values) {
                chosen.push(number);
            }
            number += 1;
        });
    }
    chosen
}

/// Whether a dictionary of these values saves space.
fn saves(values: &ArrayRef) -> bool {
    if let DataType::Dictionary(..) = values.data_type() {
        return true;
    }
    let Some(value) = value_of(values) else { return false };
    let all = values.len() - values.null_count();
    let step = values.len().div_ceil(SAMPLE).max(1);
    let (mut distinct, mut seen, mut bytes) = (HashSet::new(), 0, 0);
    // Not all at the same distance, because values may repeat at regular intervals.
    let place = |start: usize| start + (xxh3_64(&start.to_le_bytes()) % step as u64) as usize;
    let sample = (0..values.len()).step_by(step).map(place);
    for row in sample.filter(|&row| row < values.len() && values.is_valid(row)) {
        let (hash, length) = value(row);
        distinct.insert(hash);
        (seen, bytes) = (seen + 1, bytes + length);
    }
    let repeated = seen - distinct.len();
    let estimated = match repeated {
        0 => all,
        _ if step == 1 || distinct.len() * REPEATS <= seen => distinct.len(),
        _ => distinct.len().max(seen * seen / (2 * repeated)),
    };
    seen > 0 && estimated * REPEATS <= all && estimated.saturating_mul(bytes / seen) <= DICTIONARY_BYTES
}

/// Gives a hash of a row's value, and its length.
type ValueOf<'v> = Box<dyn Fn(usize) -> (u64, usize) + 'v>;

/// Gives a hash of a row's value, and its length; `None` for types that have no dictionary.
fn value_of(values: &ArrayRef) -> Option<ValueOf<'_>> {
    let of = |bytes: &[u8]| (xxh3_64(bytes), bytes.len());
    Some(match values.data_type() {
        DataType::BinaryView => {
            let values = values.as_binary_view();
            Box::new(move |row| of(values.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = values.as_fixed_size_binary();
            Box::new(move |row| of(values.value(row)))
        }
        kind => {
            let (width, data) = (kind.primitive_width()?, values.to_data());
            Box::new(move |row| of(&data.buffers()[0][(data.offset() + row) * width..][..width]))
        }
    })
}

/// Completes the file at `path`, whose frames end at `part.end`: writes its footer, or `empty_end` if it has no frames. Returns its
/// length.
pub(crate) fn complete(path: &Path, part: &Written, empty_end: &[u8]) -> io::Result<u64> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let footer = footer(&mut file, part.head, part.end, empty_end)?;
    let footer = footer.as_deref().unwrap_or(empty_end);
    file.seek(SeekFrom::Start(part.end))?;
    CountingWriter::at(file, part.end).write_all(footer)?;
    Ok(part.end + footer.len() as u64)
}

/// The footer of a file with a head of this length, whose frames end at `end`; `None` if there are none. What it says of the whole
/// file is in `empty_end`.
fn footer(file: &mut File, head: u64, end: u64, empty_end: &[u8]) -> io::Result<Option<Vec<u8>>> {
    let (mut at, mut backwards) = (end, Vec::new());
    while at > head {
        let (begins, footer) = frame_at(file, head, at)?;
        backwards.push((footer, begins));
        at = begins;
    }
    if backwards.is_empty() {
        return Ok(None);
    }
    joined(backwards, empty_end).map(Some).map_err(io::Error::other)
}

/// The footer of a file with the row groups of these footers of frames, which are backwards and each with the place of its frame.
fn joined(mut backwards: Vec<(Vec<u8>, u64)>, empty_end: &[u8]) -> Result<Vec<u8>, ParquetError> {
    let empty = ParquetMetaDataReader::decode_metadata(&empty_end[..empty_end.len().saturating_sub(TAIL)])?;
    let mut groups = Vec::new();
    while let Some((footer, at)) = backwards.pop() {
        let shift = i64::try_from(at - PARQUET_MARK.len() as u64)?;
        for group in ParquetMetaDataReader::decode_metadata(&footer)?.row_groups() {
            groups.push(shifted(group, shift, i16::try_from(groups.len())?)?);
        }
    }
    let (metadata, mut bytes) = (ParquetMetaData::new(empty.file_metadata().clone(), groups), Vec::new());
    ParquetMetaDataWriter::new(&mut bytes, &metadata).finish()?;
    if u32::try_from(bytes.len()).is_err() {
        return Err(ParquetError::General("its footer would have more than 4 GiB".to_owned()));
    }
    Ok(bytes)
}

/// Where the frame that ends at `end` begins, and its footer, without its tail.
fn frame_at(file: &mut File, head: u64, end: u64) -> io::Result<(u64, Vec<u8>)> {
    let broken = || io::Error::new(io::ErrorKind::InvalidData, format!("no row group ends at byte {end}"));
    let tail_at = end.checked_sub((TAIL + TRAILER) as u64).ok_or_else(broken)?;
    let (mut tail, mut length) = ([0; TAIL], [0; TRAILER]);
    file.seek(SeekFrom::Start(tail_at))?;
    file.read_exact(&mut tail)?;
    file.read_exact(&mut length)?;
    let [a, b, c, d, mark @ ..] = tail;
    let (footer_length, length) = (u32::from_le_bytes([a, b, c, d]), u64::from_le_bytes(length));
    let begins = end.checked_sub(length).filter(|&begins| begins >= head).ok_or_else(broken)?;
    let footer_at = tail_at.checked_sub(footer_length.into()).filter(|&at| at >= begins && mark == PARQUET_MARK);
    let mut footer = vec![0; footer_length as usize];
    file.seek(SeekFrom::Start(footer_at.ok_or_else(broken)?))?;
    file.read_exact(&mut footer)?;
    Ok((begins, footer))
}

/// The description of a row group, with all offsets shifted by `by` bytes.
fn shifted(group: &RowGroupMetaData, by: i64, ordinal: i16) -> Result<RowGroupMetaData, ParquetError> {
    let columns = group.columns().iter().map(|column: &ColumnChunkMetaData| {
        let shifted = |place: Option<i64>| place.map(|place| place + by);
        column
            .clone()
            .into_builder()
            .set_data_page_offset(column.data_page_offset() + by)
            .set_dictionary_page_offset(shifted(column.dictionary_page_offset()))
            .set_index_page_offset(shifted(column.index_page_offset()))
            .build()
    });
    let columns = columns.collect::<Result<Vec<_>, _>>()?;
    let builder = group.clone().into_builder().set_column_metadata(columns).set_ordinal(ordinal.into());
    builder.set_file_offset(group.file_offset().unwrap_or(PARQUET_MARK.len() as i64) + by).build()
}

#[cfg(test)]
mod tests {
    use arrow_array::{BinaryViewArray, BooleanArray, Int64Array};
    use arrow_schema::{Field, Schema};
    use std::sync::Arc;

    use super::*;

    #[test]
    fn columns_whose_values_repeat_get_a_dictionary() {
        let rows = 0..50_000_i64;
        let text = |of: &dyn Fn(i64) -> i64| {
            let texts = rows.clone().map(|row| format!("http://site.example/{}", of(row)).into_bytes());
            Arc::new(BinaryViewArray::from_iter_values(texts)) as ArrayRef
        };
        let scattered = |row: i64| row.wrapping_mul(2_654_435_761) % 7919;
        let columns: Vec<(ArrayRef, bool)> = vec![
            (text(&|row| row), false),
            (text(&|row| row % 7), true),
            (text(&scattered), true),
            (text(&|row| row / 2), false),
            (Arc::new(Int64Array::from_iter_values(rows.clone())), false),
            (Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row / 1000))), true),
            (Arc::new(Int64Array::new_null(50_000)), false),
            (Arc::new(BooleanArray::from(vec![true; 50_000])), false),
        ];
        let fields: Vec<Field> = columns
            .iter()
            .enumerate()
            .map(|(at, (column, _))| Field::new(at.to_string(), column.data_type().clone(), true))
            .collect();
        let arrays = columns.iter().map(|(column, _)| ArrayRef::clone(column)).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let expected: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].1).collect();
        assert_eq!(dictionaries(&batch), expected);
    }
}
