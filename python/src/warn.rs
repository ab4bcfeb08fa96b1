//! Warnings: what a caller should see, though the call succeeds.

use std::fmt::Display;

use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use robosieve::policy::Statistics;
use robosieve::policy::source::PassedOver;

/// Warns with a message.
pub fn of(py: Python<'_>, message: impl Display) -> PyResult<()> {
    let message = std::ffi::CString::new(message.to_string().replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

/// Warns of records of sources that are lost.
pub fn of_passed_over(py: Python<'_>, passed: &[PassedOver]) -> PyResult<()> {
    passed.iter().filter(|passed| passed.is_loss()).try_for_each(|passed| of(py, passed))
}

/// Warns of URLs of which only bytes could choose an answer.
pub fn of_ties(py: Python<'_>, statistics: &Statistics) -> PyResult<()> {
    let remedy =
        "compile answers with their times (fetched_at gives one to those without), or leave out one of each two";
    statistics.ties().map_or(Ok(()), |ties| of(py, format_args!("{ties}; {remedy}")))
}
