//! Descriptions of columns in JSON. What they say of columns that stay is kept byte for byte.

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};

use super::Columns;
use crate::formats::columnar::Malformed;
use crate::output::columns::Kind;

type Object = BTreeMap<String, Box<RawValue>>;

impl From<serde_json::Error> for Malformed {
    fn from(error: serde_json::Error) -> Malformed {
        Malformed(format!("it is malformed: {error}"))
    }
}

/// What pandas says of a data frame: the columns, and which are the index.
pub(super) fn pandas(value: &str, columns: &Columns<'_>) -> Result<String, Malformed> {
    let mut frame: Object = serde_json::from_str(value)?;
    let described: Vec<Box<RawValue>> = member(&frame, "columns")?;
    let index: Vec<Box<RawValue>> = member(&frame, "index_columns")?;
    let names: HashSet<&str> = columns.names_of_list().collect();
    // Labels that are counted, not a column, would be those of other rows.
    let is_column =
        |label: &&RawValue| serde_json::from_str::<String>(label.get()).is_ok_and(|name| names.contains(name.as_str()));
    let index: Vec<&RawValue> = index.iter().map(|label| &**label).filter(is_column).collect();
    let index = serde_json::value::to_raw_value(&index)?;
    let mut all = Vec::new();
    for column in described {
        let Named { name, field_name } = serde_json::from_str(column.get())?;
        if field_name.or(name).is_some_and(|name| names.contains(name.as_str())) {
            all.push(column);
        }
    }
    for (name, kind) in columns.added {
        let (pandas_type, numpy_type, metadata) = match kind {
            Kind::Name | Kind::Text => ("unicode", "object", Value::Null),
            Kind::Whole => ("int32", "int32", Value::Null),
            Kind::Time => ("datetimetz", "datetime64[ms]", json!({"timezone": "UTC"})),
            Kind::Names => ("list[unicode]", "object", Value::Null),
        };
        all.push(serde_json::value::to_raw_value(&json!({
            "name": name, "field_name": name, "pandas_type": pandas_type, "numpy_type": numpy_type, "metadata": metadata,
        }))?);
    }
    frame.insert("columns".to_owned(), serde_json::value::to_raw_value(&all)?);
    frame.insert("index_columns".to_owned(), index);
    Ok(serde_json::to_string(&frame)?)
}

/// The type of rows in Spark, which reads no columns but these.
pub(super) fn spark(value: &str, columns: &Columns<'_>) -> Result<String, Malformed> {
    with_fields(value, columns, |name, kind| {
        let kind_of = match kind {
            Kind::Name | Kind::Text => json!("string"),
            Kind::Whole => json!("integer"),
            Kind::Time => json!("timestamp"),
            Kind::Names => json!({"type": "array", "elementType": "string", "containsNull": false}),
        };
        Ok(json!({"name": name, "type": kind_of, "nullable": kind.is_optional(), "metadata": {}}))
    })
}

/// A record of Avro, whose readers want each column of the file in it.
pub(super) fn avro(value: &str, columns: &Columns<'_>) -> Result<String, Malformed> {
    with_fields(value, columns, |name, kind| {
        let is_start = |character: char| character.is_ascii_alphabetic() || character == '_';
        let is_inner = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if !name.starts_with(is_start) || !name.chars().all(is_inner) {
            return Err(Malformed(format!("Avro allows no field of the name {name:?}")));
        }
        let kind_of = match kind {
            Kind::Name | Kind::Text => json!("string"),
            Kind::Whole => json!("int"),
            Kind::Time => json!({"type": "long", "logicalType": "timestamp-millis"}),
            Kind::Names => json!({"type": "array", "items": "string"}),
        };
        Ok(match kind.is_optional() {
            true => json!({"name": name, "type": ["null", kind_of], "default": null}),
            false => json!({"name": name, "type": kind_of}),
        })
    })
}

/// An object whose member `fields` names the columns: with a field made by `field` for each that is added.
fn with_fields(
    value: &str,
    columns: &Columns<'_>,
    field: impl Fn(&str, Kind) -> Result<Value, Malformed>,
) -> Result<String, Malformed> {
    let mut record: Object = serde_json::from_str(value)?;
    let described: Vec<Box<RawValue>> = member(&record, "fields")?;
    let mut names: HashSet<&str> = columns.names_of_list().collect();
    let mut all = Vec::new();
    for of_list in described {
        let Named { name, .. } = serde_json::from_str(of_list.get())?;
        if name.is_some_and(|name| names.remove(name.as_str())) {
            all.push(of_list);
        }
    }
    if let Some(name) = names.into_iter().min() {
        return Err(Malformed(format!("it does not describe the column {name:?}")));
    }
    for (name, kind) in columns.added {
        all.push(serde_json::value::to_raw_value(&field(name, *kind)?)?);
    }
    record.insert("fields".to_owned(), serde_json::value::to_raw_value(&all)?);
    Ok(serde_json::to_string(&record)?)
}

/// What names a column.
#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: Option<String>,
    /// The name in the file; that of pandas may be another.
    #[serde(default)]
    field_name: Option<String>,
}

/// A member of an object.
fn member<T: DeserializeOwned>(object: &Object, name: &str) -> Result<T, Malformed> {
    let value = object.get(name).ok_or_else(|| Malformed(format!("it is malformed: it has no {name:?}")))?;
    Ok(serde_json::from_str(value.get())?)
}

/// What two files say of shapes on a map, without the boxes around them; `None` if they say more that differs.
pub(super) fn same_but_for_box(one: &str, other: &str) -> Option<String> {
    let without_box = |value: &str| {
        let mut all: Object = serde_json::from_str(value).ok()?;
        let mut columns: BTreeMap<String, Object> = member(&all, "columns").ok()?;
        columns.values_mut().for_each(|column| drop(column.remove("bbox")));
        all.insert("columns".to_owned(), serde_json::value::to_raw_value(&columns).ok()?);
        serde_json::to_string(&all).ok()
    };
    without_box(one).filter(|shared| without_box(other).as_ref() == Some(shared))
}
