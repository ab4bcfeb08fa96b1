//! URLs in parts, as Common Crawl's columnar index has them: five columns in place of one.

use std::array::from_fn;

use arrow_array::builder::LargeBinaryBuilder;
use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::{ArrowError, DataType, Fields};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping};
use robosieve::python_package::UrlParts;

use crate::column::{Column, Texts, is_text};
use crate::whole::{is_number, whole};
use crate::{capsule, pandas, polars};

/// The places of the parts in a table with these columns. `None` if a part is missing or the URL is a column, too.
pub fn places(names: &[impl AsRef<str>]) -> Option<[usize; 5]> {
    let find = |wanted: &str| {
        let mut found = (0..names.len()).filter(|&at| names[at].as_ref() == wanted);
        found.next().filter(|_| found.next().is_none())
    };
    let [protocol, host, port, path, query] = UrlParts::COLUMNS.map(find);
    let places = [protocol?, host?, port?, path?, query?];
    names.iter().all(|name| name.as_ref() != "url").then_some(places)
}

/// The parts in a frame or a dict of columns, as a table of Arrow; `None` if the object is none, or has none.
pub fn table<'py>(object: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Some(names) = pandas::names(object)? {
        return places(&names).map(|places| pandas::selected(object, &places)).transpose();
    }
    if let Some(names) = polars::names(object)? {
        return places(&names).map(|places| polars::selected(object, &places)).transpose();
    }
    let Ok(mapping) = object.cast::<PyMapping>() else { return Ok(None) };
    let names = mapping.keys()?.iter().map(|key| Ok(key.str()?.to_string())).collect::<PyResult<Vec<_>>>()?;
    if places(&names).is_none() {
        return Ok(None);
    }
    let columns = PyDict::new(object.py());
    for name in UrlParts::COLUMNS {
        columns.set_item(name, mapping.get_item(name)?)?;
    }
    let pyarrow = object.py().import("pyarrow")?;
    pyarrow
        .call_method1("table", (columns,))
        .map(Some)
        .map_err(|problem| capsule::untyped(object.py(), "urls", problem))
}

/// The columns of the parts in a table.
pub struct PartColumns([usize; 5]);

impl PartColumns {
    /// Those of a table with these columns, if the URL is in parts.
    pub fn of(fields: &Fields) -> PyResult<Option<PartColumns>> {
        let names: Vec<&String> = fields.iter().map(|field| field.name()).collect();
        let Some(places) = places(&names) else { return Ok(None) };
        for (part, at) in UrlParts::COLUMNS.into_iter().zip(places) {
            let kind = fields[at].data_type();
            let (fits, wanted) = match part {
                "url_port" => (is_number(kind) || *kind == DataType::Null, "integers"),
                _ => (is_text(kind), "text or bytes"),
            };
            if !fits {
                return Err(PyTypeError::new_err(format!(
                    "urls: the column {part:?} is of type {kind}; expected {wanted}"
                )));
            }
        }
        Ok(Some(PartColumns(places)))
    }

    /// The URLs of some rows.
    pub fn put_together(&self, rows: &ArrayRef) -> Result<Column, ArrowError> {
        let columns = self.0.map(|at| rows.as_struct().column(at));
        let [protocol, host, path, query] =
            [0, 1, 3, 4].map(|part| Column::of(columns[part]).expect("the type of the stream"));
        let texts = [protocol, host, path, query];
        let (ports, mut urls, mut url) = (columns[2], LargeBinaryBuilder::new(), Vec::new());
        for row in 0..rows.len() {
            let port = match ports.logical_nulls().is_some_and(|nulls| nulls.is_null(row)) {
                true => None,
                false => Some(whole(ports, row).ok_or_else(|| {
                    ArrowError::InvalidArgumentError(format!("the port of row {row} is not a whole number"))
                })?),
            };
            let [protocol, host, path, query] = from_fn(|at| texts[at].value(row));
            url.clear();
            match (UrlParts { protocol, host, port, path, query }).append_to(&mut url) {
                true => urls.append_value(&url),
                false => urls.append_null(),
            }
        }
        let urls = urls.finish();
        Ok(Column { nulls: urls.nulls().cloned(), texts: Texts::Long(urls), keys: None, rows: rows.len() })
    }
}
