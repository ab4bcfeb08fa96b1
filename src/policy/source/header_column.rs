//! The headers of answers in a column of Parquet: a text in JSON; a map; a list of pairs; or a struct with a field for each header.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use parquet::basic::{ConvertedType, LogicalType, Repetition};
use parquet::schema::types::{SchemaDescriptor, Type};

use super::headers::{Headers, matters};
use crate::formats::columnar::{Kind, Malformed, ValueColumn};
use crate::formats::error::json_words;

/// A column with the headers of answers.
pub(super) struct HeaderColumn {
    name: String,
    leaves: Vec<usize>,
    form: Form,
}

enum Form {
    /// A text in JSON.
    Json(ValueColumn),
    /// Pairs, in a map or a list.
    Pairs,
    /// A struct, whose fields are headers.
    Fields,
}

impl HeaderColumn {
    /// The first column of a file that is in the top-level column with this name.
    pub fn find(schema: &SchemaDescriptor, name: &str) -> Option<usize> {
        schema.columns().iter().position(|column| column.path().parts().first().is_some_and(|root| root == name))
    }

    /// The top-level column that has the column with this number.
    pub fn at(schema: &SchemaDescriptor, number: usize) -> Result<HeaderColumn, Malformed> {
        let root = schema.get_column_root(number);
        let place = schema.get_column_root_idx(number);
        let leaves = (0..schema.num_columns()).filter(|&leaf| schema.get_column_root_idx(leaf) == place).collect();
        let form = match root {
            Type::PrimitiveType { .. } => Form::Json(ValueColumn::new(schema, number, Kind::Text)?),
            Type::GroupType { basic_info, .. } => {
                let is_list = matches!(basic_info.logical_type_ref(), Some(LogicalType::List | LogicalType::Map))
                    || basic_info.converted_type() != ConvertedType::NONE
                    || basic_info.repetition() == Repetition::REPEATED;
                if is_list { Form::Pairs } else { Form::Fields }
            }
        };
        Ok(HeaderColumn { name: root.name().to_owned(), leaves, form })
    }

    /// The numbers of the columns that it consists of.
    pub fn numbers(&self) -> impl Iterator<Item = usize> {
        self.leaves.iter().copied()
    }

    /// The headers of a row that matter, by name and value.
    pub fn of(&self, batch: &RecordBatch, row: usize) -> Result<Vec<(String, String)>, String> {
        if let Form::Json(column) = &self.form {
            let Some(text) = column.text(batch, row) else { return Ok(Vec::new()) };
            let headers: Result<Option<Headers>, _> = serde_json::from_slice(text);
            let wrong = |error| format!("its headers cannot be read: {}", json_words(&error));
            return Ok(headers.map_err(wrong)?.unwrap_or_default().0);
        }
        let Some(column) = batch.column_by_name(&self.name).filter(|column| column.is_valid(row)) else {
            return Ok(Vec::new());
        };
        let mut headers = Vec::new();
        let mut add = |name: &str, values: Vec<String>| {
            if matters(name) {
                headers.extend(values.into_iter().map(|value| (name.to_owned(), value)));
            }
        };
        match self.form {
            Form::Fields => {
                let Some(fields) = column.as_struct_opt() else { return Err(self.malformed()) };
                for (field, values) in fields.fields().iter().zip(fields.columns()) {
                    if matters(field.name()) {
                        add(field.name(), texts(values, row).ok_or_else(|| self.malformed())?);
                    }
                }
            }
            _ => {
                for pair in elements(column, row).ok_or_else(|| self.malformed())? {
                    let (name, values) = pair_of(&pair).ok_or_else(|| self.malformed())?;
                    add(&name, values);
                }
            }
        }
        Ok(headers)
    }

    fn malformed(&self) -> String {
        format!("its {} are no pairs of texts", self.name)
    }
}

/// The struct or list that a struct of one field stands for: what the schema says of meanings is not known here.
fn inner(array: &ArrayRef) -> &ArrayRef {
    match array.as_struct_opt() {
        Some(only) if only.num_columns() == 1 => inner(only.column(0)),
        _ => array,
    }
}

/// The elements of the list in a row, each in an array of its own.
fn elements(array: &ArrayRef, row: usize) -> Option<Vec<ArrayRef>> {
    let list = inner(array).as_list_opt::<i32>()?;
    let values = list.value(row);
    Some((0..values.len()).map(|at| values.slice(at, 1)).collect())
}

/// All texts in a row of an array.
fn texts(array: &ArrayRef, row: usize) -> Option<Vec<String>> {
    if !array.is_valid(row) {
        return Some(Vec::new());
    }
    if let Some(bytes) = array.as_binary_view_opt() {
        return Some(vec![String::from_utf8_lossy(bytes.value(row)).into_owned()]);
    }
    if let Some(list) = array.as_list_opt::<i32>() {
        let values = list.value(row);
        return (0..values.len()).map(|at| texts(&values, at)).collect::<Option<Vec<_>>>().map(|all| all.concat());
    }
    let all = array.as_struct_opt()?;
    all.columns().iter().map(|column| texts(column, row)).collect::<Option<Vec<_>>>().map(|all| all.concat())
}

/// The name and the values of a header, in an array of one element.
fn pair_of(element: &ArrayRef) -> Option<(String, Vec<String>)> {
    let element = inner(element);
    let (names, values) = match element.as_struct_opt() {
        Some(pair) if pair.num_columns() == 2 => {
            let by_name = |names: [&str; 2]| names.iter().find_map(|name| pair.column_by_name(name));
            let name = by_name(["name", "key"]).unwrap_or_else(|| pair.column(0));
            (texts(name, 0)?, texts(by_name(["value", "values"]).unwrap_or_else(|| pair.column(1)), 0)?)
        }
        // A list of a name and a value.
        _ => {
            let mut all = texts(element, 0)?;
            let values = if all.is_empty() { Vec::new() } else { all.split_off(1) };
            (all, values)
        }
    };
    Some((names.into_iter().next()?, values))
}
