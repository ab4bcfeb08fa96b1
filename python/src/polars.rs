//! What is of polars.

use pyo3::prelude::*;

use crate::urls::{chosen, refused};

/// The chosen column of a DataFrame, or a Series; `None` if the object is not of polars, which is not imported for that.
pub fn series<'py>(object: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Ok(polars) = object.py().import("sys")?.getattr("modules")?.get_item("polars") else { return Ok(None) };
    let is_a = |class: &str| polars.getattr_opt(class)?.map_or(Ok(false), |class| object.is_instance(&class));
    let series = if is_a("DataFrame")? {
        let columns: Vec<String> = object.getattr("columns")?.extract()?;
        object.call_method1("to_series", (chosen(columns.iter().map(String::as_str), name)?,))?
    } else if is_a("Series")? {
        refused(name)?;
        object.clone()
    } else {
        return Ok(None);
    };
    // Polars exports a column of nulls without a type with a buffer, which Arrow's null type does not have.
    if series.getattr("dtype")?.eq(polars.getattr("Null")?)? {
        return series.call_method1("cast", (polars.getattr("String")?,)).map(Some);
    }
    Ok(Some(series))
}
