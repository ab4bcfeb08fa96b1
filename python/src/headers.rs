//! The headers of answers, as Python and Arrow give them. What they mean is the library's.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, StructArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use robosieve::python_package::headers_of_json;
use serde_json::{Map, Value};

use crate::arguments::text;
use crate::column::Column;

const HEADERS: &str = "headers";

/// Headers by name and value, in order.
pub type Headers = Vec<(String, String)>;

/// The headers in a mapping, such as those of HTTP clients, or in an iterable of pairs. A value may also be a list of values, or None.
pub fn given(object: &Bound<'_, PyAny>) -> PyResult<Headers> {
    let wrong = |what: &Bound<'_, PyAny>| -> PyResult<PyErr> {
        Ok(PyTypeError::new_err(format!("{HEADERS}: expected a dict or a list of pairs of text, not {}", what.repr()?)))
    };
    let pairs = match object.getattr_opt("items")? {
        Some(items) => items.call0()?,
        None => object.clone(),
    };
    let is_single =
        |object: &Bound<'_, PyAny>| object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>();
    if is_single(&pairs) || pairs.try_iter().is_err() {
        return Err(wrong(object)?);
    }
    let mut headers = Headers::new();
    for pair in pairs.try_iter()? {
        let pair = pair?;
        let parts: Vec<Bound<'_, PyAny>> = match pair.try_iter() {
            Ok(parts) if !is_single(&pair) => parts.collect::<PyResult<_>>()?,
            _ => return Err(wrong(&pair)?),
        };
        let [name, value] = &parts[..] else { return Err(wrong(&pair)?) };
        let name = String::from_utf8_lossy(&text(HEADERS, name)?).into_owned();
        let values: Vec<Bound<'_, PyAny>> = match value {
            value if value.is_none() => Vec::new(),
            value if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() => value.extract()?,
            value => vec![value.clone()],
        };
        for value in values {
            headers.push((name.clone(), String::from_utf8_lossy(&text(HEADERS, &value)?).into_owned()));
        }
    }
    Ok(headers)
}

/// A column with the headers of answers.
pub enum HeaderColumn {
    /// Texts in JSON.
    Json(Column),
    /// Maps, structs, or lists of pairs.
    Nested(ArrayRef),
}

impl HeaderColumn {
    /// The headers in an array; `None` if it is of another type.
    pub fn of(array: &ArrayRef) -> Option<HeaderColumn> {
        match array.data_type() {
            DataType::Struct(_) | DataType::Map(..) => Some(HeaderColumn::Nested(array.clone())),
            kind if is_list(kind) => Some(HeaderColumn::Nested(array.clone())),
            _ => Column::of(array).map(HeaderColumn::Json),
        }
    }

    /// The headers of a row that matter.
    pub fn read(&self, row: usize) -> Result<Headers, String> {
        match self {
            HeaderColumn::Json(column) => column.value(row).map_or(Ok(Headers::new()), headers_of_json),
            HeaderColumn::Nested(array) => headers_of_json(json(array, row).to_string().as_bytes()),
        }
    }
}

fn is_list(kind: &DataType) -> bool {
    matches!(kind, DataType::List(_) | DataType::LargeList(_) | DataType::FixedSizeList(..))
}

/// A value that no header has. It stands for values of other types, which only headers that do not matter may have.
fn odd() -> Value {
    Value::Object(Map::new())
}

/// The value in a row of an array, as the library reads headers.
fn json(array: &ArrayRef, row: usize) -> Value {
    if array.is_null(row) {
        return Value::Null;
    }
    match array.data_type() {
        DataType::Struct(_) => fields(array.as_struct(), row),
        DataType::Map(..) => pairs(&(std::sync::Arc::new(array.as_map().value(row)) as ArrayRef)),
        DataType::List(_) => pairs(&array.as_list::<i32>().value(row)),
        DataType::LargeList(_) => pairs(&array.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => pairs(&array.as_fixed_size_list().value(row)),
        _ => Column::of(&array.slice(row, 1)).map_or_else(odd, |column| {
            let text = column.value(0).map(|text| String::from_utf8_lossy(text).into_owned());
            text.map_or(Value::Null, Value::String)
        }),
    }
}

/// The object of a struct.
fn fields(array: &StructArray, row: usize) -> Value {
    let values = array.fields().iter().zip(array.columns());
    Value::Object(values.map(|(field, values)| (field.name().clone(), json(values, row))).collect())
}

/// The elements of a list, or the entries of a map. A struct of two fields is a pair, of a name and its value.
fn pairs(elements: &ArrayRef) -> Value {
    let pair = |row: usize| match elements.as_struct_opt() {
        Some(pair) if pair.num_columns() == 2 && elements.is_valid(row) => {
            let place = |names: [&str; 2], or: usize| {
                pair.fields().iter().position(|field| names.contains(&field.name().as_str())).unwrap_or(or)
            };
            let (name, value) = (place(["name", "key"], 0), place(["value", "values"], 1));
            Value::Array(vec![json(pair.column(name), row), json(pair.column(value), row)])
        }
        _ => json(elements, row),
    };
    Value::Array((0..elements.len()).map(pair).collect())
}
