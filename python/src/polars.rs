//! Objects of polars: the column that is judged.

use pyo3::prelude::*;

use crate::libraries::is_a;
use crate::urls::{chosen, refused};

/// The chosen column of a DataFrame, or a Series; `None` if the object is not of polars.
pub fn series<'py>(object: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let series = if is_a(object, "polars", "DataFrame")? {
        let columns: Vec<String> = object.getattr("columns")?.extract()?;
        object.call_method1("to_series", (chosen(columns.iter().map(String::as_str), name)?,))?
    } else if is_a(object, "polars", "Series")? {
        refused(name)?;
        object.clone()
    } else {
        return Ok(None);
    };
    // Polars exports a column of nulls without a type with a buffer, which Arrow's null type does not have.
    let polars = object.py().import("polars")?;
    if series.getattr("dtype")?.eq(polars.getattr("Null")?)? {
        return series.call_method1("cast", (polars.getattr("String")?,)).map(Some);
    }
    Ok(Some(series))
}
