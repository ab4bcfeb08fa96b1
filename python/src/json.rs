//! Answers of the library as dicts and lists.

use pyo3::prelude::*;
use serde::Serialize;

use crate::error;

/// The object that the program would print as JSON.
pub fn object<'py>(py: Python<'py>, answer: &impl Serialize) -> PyResult<Bound<'py, PyAny>> {
    let text = serde_json::to_string(answer).map_err(error::run)?;
    py.import("json")?.call_method1("loads", (text,))
}
