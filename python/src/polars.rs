//! Objects of polars: the column that is judged.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::column::{chosen, refused};
use crate::libraries::is_a;

/// The names of the columns of a DataFrame; `None` if the object is none.
pub fn names(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if is_a(object, "polars", "DataFrame")? { object.getattr("columns")?.extract().map(Some) } else { Ok(None) }
}

/// The columns at these places, for Arrow.
pub fn selected<'py>(frame: &Bound<'py, PyAny>, places: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let columns = frame.get_item((PySlice::full(frame.py()), places))?;
    // As for a Series: see there.
    let polars = frame.py().import("polars")?;
    let nulls = polars.call_method1("col", (polars.getattr("Null")?,))?;
    columns.call_method1("with_columns", (nulls.call_method1("cast", (polars.getattr("String")?,))?,))
}

/// Refuses a LazyFrame, which has no rows yet.
pub fn not_lazy(object: &Bound<'_, PyAny>, parameter: &str) -> PyResult<()> {
    if is_a(object, "polars", "LazyFrame")? {
        return Err(PyTypeError::new_err(format!("{parameter}: a LazyFrame has no rows yet; collect it")));
    }
    Ok(())
}

/// The chosen column of a DataFrame, or a Series; `None` if the object is not of polars.
pub fn series<'py>(object: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let series = if is_a(object, "polars", "DataFrame")? {
        let columns: Vec<String> = object.getattr("columns")?.extract()?;
        object.call_method1("to_series", (chosen(columns.iter().map(String::as_str), name)?,))?
    } else if is_a(object, "polars", "Series")? {
        refused(name)?;
        object.clone()
    } else {
        return not_lazy(object, "urls").map(|()| None);
    };
    // Polars exports a column of nulls without a type with a buffer, which Arrow's null type does not have.
    let polars = object.py().import("polars")?;
    if series.getattr("dtype")?.eq(polars.getattr("Null")?)? {
        return series.call_method1("cast", (polars.getattr("String")?,)).map(Some);
    }
    Ok(Some(series))
}
