//! What the author of a robots.txt probably did not mean.

use pyo3::prelude::*;
use pyo3::types::PyDict;
use robosieve::lint as library;

use crate::arguments::text;
use crate::compile::named;
use crate::{error, json};

/// What the author of a robots.txt probably did not mean: a dict with the `findings` in the order of the file.
///
/// `body` is its bytes or its text, `dialect` one of `robosieve.DIALECTS`. A finding is what `robosieve lint --json` prints for it.
/// Beyond 100,000 findings, the others are counted as `left_off`; `not_searched` counts rules that were not compared with all others,
/// and `undecided` questions about the effect of lines that were not decided.
///
/// >>> import robosieve
/// >>> report = robosieve.lint("User-agent: *\nDisalow: /private")
/// >>> [(finding["line"], finding["kind"], finding["proposal"]) for finding in report["findings"] if "proposal" in finding]
/// [(2, 'misspelt-key', 'Disallow: /private')]
#[pyfunction]
#[pyo3(signature = (body, *, dialect="rfc9309"))]
pub fn lint<'py>(py: Python<'py>, body: &Bound<'py, PyAny>, dialect: &str) -> PyResult<Bound<'py, PyDict>> {
    let (body, dialect) = (text("body", body)?, named(dialect)?);
    let report = error::guarded(|| Ok(py.detach(|| library::check(&body, dialect))))?;
    let found = PyDict::new(py);
    found.set_item("findings", json::object(py, &report.findings)?)?;
    found.set_item("left_off", report.left_off)?;
    found.set_item("not_searched", report.not_searched)?;
    found.set_item("undecided", report.undecided)?;
    Ok(found)
}
