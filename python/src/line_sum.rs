//! The proof that no row was lost: sums of hashes, as in receipts.

use pyo3::prelude::*;
use robosieve::run;

use crate::error;
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
    let sum = || {
        let mut sum = 0_u128;
        for column in columns {
            let column = column.map_err(error::urls)?;
            let is_null = |row: usize| column.nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
            let hashes = (0..column.rows).filter(|&row| !is_null(row)).map(|row| run::line_hash(column.get(row)));
            sum = hashes.fold(sum, u128::wrapping_add);
        }
        Ok(sum)
    };
    error::guarded(|| py.detach(sum))
}
