//! The keys that describe columns, and how each is extended by others.

use super::columns::Columns;
use super::json;
use crate::formats::columnar::{Malformed, SPARK_ROWS, guarded};

/// The metadata key under which a file lists our columns, which are ignored when it is read as a list.
pub(in crate::output::table) const OUR_COLUMNS: &str = "robosieve.columns";

/// The key of a schema of Arrow, which knows types that Parquet does not, and metadata of fields.
pub(super) const ARROW: &str = "ARROW:schema";

/// How a key that describes columns is extended by others.
enum Extension {
    /// It is said anew.
    Ours,
    Arrow,
    Json(fn(&str, &Columns<'_>) -> Result<String, Malformed>),
    /// It cannot be, for this reason.
    Never(&'static str),
}

/// The keys that describe columns. All others pass as they are.
const DESCRIPTIONS: &[(&str, Extension)] = &[
    (OUR_COLUMNS, Extension::Ours),
    (ARROW, Extension::Arrow),
    ("pandas", Extension::Json(json::pandas)),
    (SPARK_ROWS, Extension::Json(json::spark)),
    ("parquet.avro.schema", Extension::Json(json::avro)),
    ("avro.schema", Extension::Json(json::avro)),
    ("iceberg.schema", Extension::Never("only its table can give new columns their ids")),
    ("parquet.proto.descriptor", Extension::Never("only its Protocol Buffers can have new fields")),
    ("thrift.descriptor", Extension::Never("only its Thrift file can have new fields")),
];

/// The problem of a key that is there more than once.
pub(super) const TWICE: &str = "it is there twice";

/// Keys and their values.
pub(super) type Entries = Vec<(String, Option<String>)>;

/// These entries, without those of Arrow, with the columns of a file; and those that were dropped, with the reason.
pub(super) fn extended<'e>(
    entries: &[(&'e str, Option<&str>)],
    columns: &Columns<'_>,
) -> (Entries, Vec<(&'e str, String)>) {
    let (mut extended, mut dropped) = (Vec::new(), Vec::new());
    for &(key, value) in entries {
        let as_is = |value: Option<&str>| (key.to_owned(), value.map(str::to_owned));
        let is_twice = || entries.iter().filter(|(other, _)| *other == key).nth(1).is_some();
        match DESCRIPTIONS.iter().find(|(name, _)| *name == key).map(|(_, extension)| extension) {
            None => extended.push(as_is(value)),
            Some(Extension::Ours | Extension::Arrow) => {}
            Some(Extension::Never(problem)) => dropped.push((key, (*problem).to_owned())),
            Some(Extension::Json(_)) if is_twice() => dropped.push((key, TWICE.to_owned())),
            Some(Extension::Json(extend)) => match guarded(|| extend(value.unwrap_or_default(), columns)) {
                Ok(value) => extended.push(as_is(Some(&value))),
                Err(Malformed(problem)) => dropped.push((key, problem)),
            },
        }
    }
    (extended, dropped)
}
