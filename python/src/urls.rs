//! Turns URLs in any form into columns of bytes, without copying those of Arrow arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, LargeBinaryArray, builder::LargeBinaryBuilder};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyMapping, PyString};
use robosieve::python_package::UrlParts;

use crate::arguments;
use crate::capsule::{self, Arrays};
use crate::column::{Column, chosen, is_text, refused};
use crate::dataset;
use crate::pandas::{self, Pandas};
use crate::polars;
use crate::url_parts::{self, PartColumns};

/// The types that can be judged.
const WANTED: &str = "expected an Arrow array or stream of string, large_string, string_view, binary or dictionaries of them \
                      (pyarrow, polars, pandas, DuckDB), a list of str or bytes, or a dict of such columns";

/// Columns of URLs, chunk by chunk.
pub type Columns = Box<dyn Iterator<Item = Result<Column, ArrowError>> + Send>;

/// The URLs of an object; for a table, those of the column with this name, or of its only column, or in [parts](url_parts).
///
/// A table is an Arrow table, a DataFrame, or a mapping of names to columns. What has no columns refuses a name.
pub fn columns(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Columns> {
    // The most common case need not be compared with the classes of libraries.
    if object.is_instance_of::<PyList>() {
        return column(object, name);
    }
    if name.is_none()
        && let Some(parts) = url_parts::table(object)?
    {
        return column(&parts, None);
    }
    // Without their other columns, which may be of any type.
    if let Some(pandas) = Pandas::of(object)? {
        return match pandas {
            Pandas::Frame(frame) => columns(&pandas::column(&frame, name)?, None),
            Pandas::Index(index) => refused(name).and_then(|()| column(&index.call_method0("to_series")?, None)),
            Pandas::Series(series) => refused(name).and_then(|()| column(&pandas::missing(series)?, None)),
        };
    }
    if let Some(table) = dataset::hugging_face(object, name)? {
        return column(&table, name);
    }
    if let Some(reader) = dataset::reader(object, name)? {
        return column(&reader, name);
    }
    match polars::series(object, name)? {
        Some(series) => column(&series, None),
        None => column(object, name),
    }
}

/// The labels of the rows that pandas gave, also as the chosen column of a dict.
pub fn index<'py>(object: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if object.is_instance_of::<PyList>() {
        return Ok(None);
    }
    if let Some(pandas) = Pandas::of(object)? {
        return pandas.index().map(Some);
    }
    let Ok(table) = object.cast::<PyDict>() else { return Ok(None) };
    let column = match url_parts::table(object)? {
        Some(_) if name.is_none() => table.as_any().get_item(UrlParts::COLUMNS[0])?,
        _ => of_mapping(table.as_mapping(), name)?,
    };
    Pandas::of(&column)?.map(|pandas| pandas.index()).transpose()
}

/// The URLs of an object that is not of pandas, or a Series.
fn column(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Columns> {
    let Some(Arrays { field, chunks }) = capsule::arrays(object, "urls")? else {
        if let Ok(table) = object.cast::<PyMapping>() {
            return columns(&of_mapping(table, name)?, None);
        }
        refused(name)?;
        let listed: ArrayRef = Arc::new(listed(object)?);
        let column = Column::of(&listed).expect("bytes");
        return Ok(Box::new(std::iter::once(Ok(column))));
    };
    let (place, field) = match field.data_type() {
        DataType::Struct(fields) => {
            if name.is_none()
                && let Some(parts) = PartColumns::of(fields)?
            {
                return Ok(Box::new(chunks.map(move |rows| parts.put_together(&rows?))));
            }
            let place = chosen(fields.iter().map(|field| field.name().as_str()), name)?;
            (Some(place), Arc::clone(&fields[place]))
        }
        _ => {
            refused(name)?;
            (None, field)
        }
    };
    if !is_text(field.data_type()) {
        let problem = format!("{} is not a type for URLs; {WANTED}", field.data_type());
        return Err(PyTypeError::new_err(format!("urls: {problem}")));
    }
    let column = move |array: ArrayRef| {
        let array = match place {
            Some(place) => Arc::clone(array.as_struct().column(place)),
            None => array,
        };
        Column::of(&array).expect("the type of the stream")
    };
    Ok(Box::new(chunks.map(move |chunk| chunk.map(&column))))
}

/// The chosen column of a mapping of names to columns, such as a batch of Hugging Face datasets.
fn of_mapping<'py>(table: &Bound<'py, PyMapping>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let keys: Vec<_> = table.keys()?.iter().collect();
    let names = keys.iter().map(|key| Ok(key.str()?.to_string())).collect::<PyResult<Vec<_>>>()?;
    let column = table.get_item(&keys[chosen(names.iter().map(String::as_str), name)?])?;
    if column.is_instance_of::<PyMapping>() {
        return Err(PyTypeError::new_err(format!("urls: the column is itself a mapping; {WANTED}")));
    }
    Ok(column)
}

/// The URLs of a list, copied.
fn listed(object: &Bound<'_, PyAny>) -> PyResult<LargeBinaryArray> {
    let wrong = |what: String| PyTypeError::new_err(format!("urls: {what}; {WANTED}"));
    let kind = |object: &Bound<'_, PyAny>| Ok::<_, PyErr>(object.get_type().name()?.to_string());
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(wrong("it is a single string".to_owned()));
    }
    let Ok(items) = object.try_iter() else { return Err(wrong(format!("it is of type {}", kind(object)?))) };
    let mut builder = LargeBinaryBuilder::new();
    for (at, item) in items.enumerate() {
        let item = item?;
        if item.is_none() {
            builder.append_null();
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            builder.append_value(bytes.as_bytes());
        } else if let Ok(text) = item.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => builder.append_value(text),
                Err(_) => builder.append_value(arguments::encoded(&format!("urls: item {at}"), text)?),
            }
        } else {
            return Err(wrong(format!("item {at} is of type {}", kind(&item)?)));
        }
    }
    Ok(builder.finish())
}
