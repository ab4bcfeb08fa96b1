//! The schema of Arrow in a file's metadata: the types and the metadata of its fields, and a copy of the file's other metadata.

use arrow_schema::{Field, FieldRef, Metadata, Schema};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use parquet::arrow::{encode_arrow_schema, parquet_to_arrow_schema};
use parquet::file::metadata::KeyValue;

use super::columns::Columns;
use super::descriptions::{self, ARROW};
use crate::formats::columnar::{Malformed, guarded};

/// A schema may have this mark and its length before it.
const MARK: [u8; 4] = [0xff; 4];
const PREFIX: usize = MARK.len() + 4;

/// The schema of a file whose list had `value` for columns of these names.
pub(super) fn extended(value: &str, names: &[String], columns: &Columns<'_>) -> Result<Schema, Malformed> {
    guarded(|| {
        let schema = decoded(value)?;
        if !schema.fields().iter().map(|field| field.name()).eq(names) {
            return Err(Malformed("it describes other columns than the file has".to_owned()));
        }
        let plain = plain(columns)?;
        let of_list = schema.fields().iter().take(columns.of_list);
        let fields: Vec<FieldRef> = of_list.chain(&plain.fields()[columns.of_list..]).cloned().collect();
        let entries: Vec<_> =
            schema.metadata().iter().map(|(key, value)| (key.as_str(), Some(value.as_str()))).collect();
        let (entries, _) = descriptions::extended(&entries, columns);
        let entries = entries.into_iter().filter_map(|(key, value)| Some((key, value?)));
        fitting(Schema::new_with_metadata(fields, entries.collect::<Metadata>()), columns)
    })
}

/// What two schemas of the same file share. A column with two types gets the one that the file shows without them.
pub(super) fn shared(one: &Schema, other: &Schema, columns: &Columns<'_>) -> Result<Schema, Malformed> {
    guarded(|| {
        let plain = plain(columns)?;
        let fields = one.fields().iter().zip(other.fields()).zip(plain.fields());
        let field = |((one, other), plain): ((&FieldRef, &FieldRef), &FieldRef)| -> Field {
            let metadata = common(one.metadata(), other.metadata());
            let is_same = one.data_type() == other.data_type() && one.is_nullable() == other.is_nullable();
            let field = if is_same { one } else { plain };
            field.as_ref().clone().with_metadata(metadata)
        };
        let fields: Vec<Field> = fields.map(field).collect();
        fitting(Schema::new_with_metadata(fields, common(one.metadata(), other.metadata())), columns)
    })
}

fn common(one: &Metadata, other: &Metadata) -> Metadata {
    let mut shared = one.clone();
    shared.retain(|key, value| other.get(key) == Some(value));
    shared
}

/// The schema that readers make of the columns of a file without another.
fn plain(columns: &Columns<'_>) -> Result<Schema, Malformed> {
    Ok(parquet_to_arrow_schema(columns.schema, None)?)
}

/// A schema, if a reader can use it for the columns of the file.
fn fitting(schema: Schema, columns: &Columns<'_>) -> Result<Schema, Malformed> {
    let entry = KeyValue::new(ARROW.to_owned(), encoded(&schema));
    parquet_to_arrow_schema(columns.schema, Some(&vec![entry]))?;
    Ok(schema)
}

fn decoded(value: &str) -> Result<Schema, Malformed> {
    let malformed = |problem: &dyn std::fmt::Display| Malformed(format!("it is malformed: {problem}"));
    let bytes = STANDARD.decode(value).map_err(|error| malformed(&error))?;
    let message = if bytes.starts_with(&MARK) { bytes.get(PREFIX..).unwrap_or_default() } else { &bytes };
    let message = arrow_ipc::root_as_message(message).map_err(|error| malformed(&error))?;
    let schema = message.header_as_schema().ok_or_else(|| malformed(&"it is no schema"))?;
    Ok(arrow_ipc::convert::try_fb_to_schema(schema)?)
}

pub(super) fn encoded(schema: &Schema) -> String {
    encode_arrow_schema(schema)
}
