//! Datasets and Scanners of pyarrow, which are read batch by batch.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PySlice};

use crate::libraries::is_a;

/// Whether an object is a Dataset or a Scanner.
pub fn is_scanned(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(is_a(object, "pyarrow.dataset", "Dataset")? || is_a(object, "pyarrow.dataset", "Scanner")?)
}

/// The rows of a Dataset of Hugging Face, as a table of Arrow; `None` for any other object.
pub fn hugging_face<'py>(object: &Bound<'py, PyAny>, column: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if !is_a(object, "datasets", "Dataset")? {
        return Ok(None);
    }
    let names: Vec<String> = object.getattr("column_names")?.extract()?;
    let rows = match column.filter(|column| names.iter().any(|name| name == column)) {
        Some(column) => object.call_method1("select_columns", (column,))?,
        None => object.clone(),
    };
    // The selected rows, in the order of the selection.
    rows.call_method1("with_format", ("arrow",))?.get_item(PySlice::full(object.py())).map(Some)
}

/// A reader of the batches of a Dataset or a Scanner, in order; `None` for any other object.
pub fn reader<'py>(object: &Bound<'py, PyAny>, column: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if is_a(object, "pyarrow.dataset", "Scanner")? {
        return object.call_method0("to_reader").map(Some);
    }
    if !is_a(object, "pyarrow.dataset", "Dataset")? {
        return Ok(None);
    }
    let options = PyDict::new(object.py());
    let names: Vec<String> = object.getattr("schema")?.getattr("names")?.extract()?;
    // The other columns are not read. A name that is not there is an error for all kinds of tables.
    if let Some(column) = column.filter(|column| names.iter().filter(|name| name == column).count() == 1) {
        options.set_item("columns", [column])?;
    }
    object.call_method("scanner", (), Some(&options))?.call_method0("to_reader").map(Some)
}
