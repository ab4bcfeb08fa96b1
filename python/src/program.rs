//! The program, as started by the package's console script.

use std::ffi::OsString;
use std::process::ExitCode;

use pyo3::prelude::*;

/// Runs the program `robosieve` with the arguments of this process; returns its exit status.
#[pyfunction]
pub fn main(py: Python<'_>) -> PyResult<u8> {
    // The program handles signals itself; Python's handler would only record them.
    let signal = py.import("signal")?;
    signal.call_method1("signal", (signal.getattr("SIGINT")?, signal.getattr("SIG_DFL")?))?;
    let args: Vec<OsString> = py.import("sys")?.getattr("argv")?.extract()?;
    let status = py.detach(|| robosieve::cli::main(args));
    // The standard library can compare exit codes, but does not expose their number.
    Ok((0..=u8::MAX).find(|&number| ExitCode::from(number) == status).unwrap_or(2))
}
