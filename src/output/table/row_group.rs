//! Row groups: the rows of a file that were gathered, encoded, with a footer of their own.
//!
//! Columns are encoded one after the other. So memory never holds more than the rows, the columns encoded so far, and what the
//! encoder of one column needs, which may be more than the values of a short one.

use arrow_array::RecordBatch;
use arrow_schema::{FieldRef, Schema};
use parquet::arrow::arrow_writer::{ArrowColumnWriter, ArrowRowGroupWriterFactory, compute_leaves};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::borrow::Cow;
use std::io;
use std::sync::Arc;

use super::Table;
use super::dictionary::{DICTIONARY_BYTES, dictionaries};
use super::shared::TRAILER;
use super::waiting::FullGroup;
use crate::formats::columnar::{Malformed, guarded};
use crate::formats::regular_file::PARQUET_MARK;
use crate::input::list::line_columns::LineArrays;
use crate::judge::tally::{Tally, line_hash};
use crate::output::block::Block;
use crate::output::error::OutputError;

impl Table {
    /// The bytes after the head of a file without rows.
    pub fn empty_end(&self) -> Result<Vec<u8>, OutputError> {
        let empty = self.writer(None).and_then(SerializedFileWriter::into_inner);
        Ok(empty.map_err(Malformed::from)?[PARQUET_MARK.len()..].to_vec())
    }

    /// Encodes rows as a block of their file.
    pub fn row_group(&self, group: FullGroup) -> Result<Block<'static>, OutputError> {
        let (set, file, rows) = group.read_back()?;
        let made = guarded(|| Ok::<_, Malformed>((self.tally(&rows)?, self.encoded(&rows)?)));
        let (tally, (rows, bytes)) = made?;
        if tally.lines != rows {
            let problem = format!("{rows} rows were encoded instead of {}", tally.lines);
            return Err(OutputError::Table { problem });
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
            .set_key_value_metadata(Some(self.metadata.clone()));
        let path = |at| ColumnPath::new(self.schema.column(at).path().parts().to_vec());
        let properties = rows
            .map(dictionaries)
            .unwrap_or_default()
            .into_iter()
            .fold(properties, |properties, at| properties.set_column_dictionary_enabled(path(at), true));
        SerializedFileWriter::new(Vec::new(), self.schema.root_schema_ptr(), Arc::new(properties.build()))
    }
}
