//! Exceptions: the library's message, after the name of the parameter it concerns.

use std::any::Any;
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_schema::ArrowError;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyUnicodeError, PyValueError};
use pyo3::{PyErr, PyResult, Python};

create_exception!(robosieve, Error, PyException, "Base class of robosieve's exceptions.");
create_exception!(robosieve, AgentError, Error, "A name that is not a crawler's, or not one of the policy's crawlers.");
create_exception!(robosieve, PolicyError, Error, "A policy that cannot be opened or compiled.");
create_exception!(robosieve, SourceError, Error, "A source of robots.txt files that cannot be read.");
create_exception!(robosieve, RunError, Error, "A run that cannot start or continue.");
create_exception!(robosieve, UrlsError, Error, "An object that is not a column of URLs.");

/// An [`AgentError`].
pub fn agent(problem: impl Display) -> PyErr {
    AgentError::new_err(format!("agent: {problem}"))
}

/// A [`PolicyError`].
pub fn policy(problem: impl Display) -> PyErr {
    PolicyError::new_err(problem.to_string())
}

/// A [`SourceError`].
pub fn source(problem: impl Display) -> PyErr {
    SourceError::new_err(problem.to_string())
}

/// A [`RunError`].
pub fn run(problem: impl Display) -> PyErr {
    RunError::new_err(problem.to_string())
}

/// A [`UrlsError`].
pub fn urls(problem: impl Display) -> PyErr {
    UrlsError::new_err(format!("urls: {problem}"))
}

/// What Arrow says of a parameter, a column of URLs or a source.
pub fn arrow(parameter: &str, problem: ArrowError) -> PyErr {
    match parameter {
        "sources" => source(format!("{parameter}: {problem}")),
        _ => UrlsError::new_err(format!("{parameter}: {problem}")),
    }
}

/// An [`Error`] about a parameter.
pub fn parameter(name: &str, problem: impl Display) -> PyErr {
    Error::new_err(format!("{name}: {problem}"))
}

/// What Python says of a parameter's value, an error of the same kind that names it.
pub fn named(py: Python<'_>, parameter: &str, problem: PyErr) -> PyErr {
    let text = format!("{parameter}: {}", problem.value(py));
    // That has more arguments than a text.
    let named = match problem.is_instance_of::<PyUnicodeError>(py) {
        true => PyValueError::new_err(text),
        false => PyErr::from_type(problem.get_type(py), text),
    };
    named.set_cause(py, Some(problem));
    named
}

/// Whether Python was interrupted while it ran, so that nothing else is wrong.
pub fn is_interrupt(py: Python<'_>, problem: &PyErr) -> bool {
    !problem.is_instance_of::<PyException>(py)
}

/// `told` in place of an error of Python; an interrupt stays one.
pub fn instead(py: Python<'_>, problem: PyErr, told: impl FnOnce() -> PyErr) -> PyErr {
    if is_interrupt(py, &problem) { problem } else { told() }
}

/// Runs work in which a panic is an [`Error`] for Python, not a `BaseException`, which ends a worker.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(&*panic)))
}

/// The [`Error`] of a panic.
pub fn panicked(panic: &(dyn Any + Send)) -> PyErr {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    let text = text.unwrap_or("it told no cause");
    Error::new_err(format!(
        "internal error: {text}; either a policy file was written into while it was open, or this is a defect of robosieve"
    ))
}
