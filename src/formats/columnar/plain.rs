//! Schemas without meaning: how the library reads values as they are stored.
//!
//! Arrow has a type for most meanings that a Parquet schema can give to values, but not for all: an interval would lose its
//! months, and text that is not UTF-8 would be an error. So the library is given the schema without any meaning. Decimals,
//! times, enumerations, lists and maps are then plain numbers, bytes, and repeated groups, and pass as they are, whatever is
//! written about them in the schema that the files get. Only INT96, which Arrow does not have, becomes a number of nanoseconds.

use arrow_schema::{DataType, Field, FieldRef, Fields, Schema, TimeUnit};
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions};
use parquet::basic::{LogicalType, Repetition, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::file::metadata::{FileMetaData, ParquetMetaData};
use parquet::schema::types::{SchemaDescriptor, Type, TypePtr};
use std::sync::Arc;

use super::Malformed;

/// How to read a file with this footer. INT96 is read in this unit.
pub(super) fn reading(metadata: ParquetMetaData, int96: &TimeUnit) -> Result<ArrowReaderMetadata, Malformed> {
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

/// The column of a file with the rows of a column of this type: the same, but for INT96.
pub(crate) fn written(part: &TypePtr) -> Result<TypePtr, ParquetError> {
    let repetition = part.get_basic_info().repetition();
    match part.as_ref() {
        Type::GroupType { basic_info, fields } => {
            let written = fields.iter().map(written).collect::<Result<Vec<_>, _>>()?;
            if written == *fields {
                return Ok(Arc::clone(part));
            }
            let group = Type::group_type_builder(part.name()).with_repetition(repetition).with_fields(written);
            let group = group.with_logical_type(basic_info.logical_type_ref().cloned());
            let id = basic_info.has_id().then(|| basic_info.id());
            Ok(Arc::new(group.with_converted_type(basic_info.converted_type()).with_id(id).build()?))
        }
        Type::PrimitiveType { basic_info, physical_type: PhysicalType::INT96, .. } => {
            let nanoseconds = LogicalType::timestamp(false, ParquetUnit::NANOS);
            let column = Type::primitive_type_builder(part.name(), PhysicalType::INT64).with_repetition(repetition);
            let id = basic_info.has_id().then(|| basic_info.id());
            Ok(Arc::new(column.with_logical_type(Some(nanoseconds)).with_id(id).build()?))
        }
        Type::PrimitiveType { .. } => Ok(Arc::clone(part)),
    }
}
