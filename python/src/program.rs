//! The program, as the console script of the package starts it.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the program `robosieve` with the arguments of this process; returns its exit status.
#[pyfunction]
pub fn main(py: Python<'_>) -> PyResult<u8> {
    // The program has its own ways with signals; Python's handler would only note them.
    let signal = py.import("signal")?;
    signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?))?;
    let args: Vec<OsString> = py.import("sys")?.getattr("argv")?.extract()?;
    let status = py.detach(|| robosieve::cli::main(args));
    // The standard library compares statuses, and tells none.
    Ok((0..=u8::MAX).find(|&number| ExitCode::from(number) == status).unwrap_or(2))
}
