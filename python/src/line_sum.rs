//! The proof that no row was lost: sums of hashes, as in receipts.

use pyo3::prelude::*;
use robosieve::python_package::check_stop;
use robosieve::run;

use crate::calls::Call;
use crate::column::Column;
use crate::urls;

/// The sum of the hashes of lines in any order, modulo 2^128: the `sum` of a receipt. Nulls do not count. It shows faults, not
/// forgers: the hash is not cryptographic.
///
/// >>> import robosieve
/// >>> hex(robosieve.line_sum(["b", "a"])) == hex(robosieve.line_sum(["a", None, "b"]))
/// True
#[pyfunction]
#[pyo3(signature = (lines, *, column=None))]
pub fn line_sum(py: Python<'_>, lines: &Bound<'_, PyAny>, column: Option<&str>) -> PyResult<u128> {
    let columns = urls::columns(lines, column).map_err(|problem| {
        let text = problem.value(py).to_string();
        // Here, they are called otherwise.
        match text.strip_prefix("urls: ") {
            Some(told) => PyErr::from_type(problem.get_type(py), format!("lines: {told}")),
            None => problem,
        }
    })?;
    let sum = |column: Column| {
        let hash = |row: usize| {
            check_stop();
            column.value(row).map_or(0, run::line_hash)
        };
        Ok((0..column.rows).map(hash).fold(0, u128::wrapping_add))
    };
    let sums = urls::each(py, &Call::silent(), columns, 1, sum)?;
    Ok(sums.into_iter().fold(0, u128::wrapping_add))
}
