//! Times as Python gives them.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFloat};
use robosieve::policy::source::FetchedAt;
use robosieve::python_package::{time_of_number, time_of_text};

use crate::{arguments, error};

/// What numbers of seconds are below, so that each is a number of Python's `float`, too.
const EXACT: f64 = 9e15;

/// A time: seconds of Unix time, a `datetime` with a time zone, or a text in RFC 3339. It is the second that began.
pub fn time(parameter: &str, given: &Bound<'_, PyAny>) -> PyResult<i64> {
    // `time.time()` gives a floating-point number.
    let number = match given.cast::<PyFloat>() {
        Ok(seconds) => Some(seconds.value()),
        Err(_) => arguments::whole(given).ok().map(|seconds| seconds as f64),
    };
    if let Some(seconds) = number {
        let second = time_of_number(seconds).ok().filter(|_| seconds.abs() < EXACT);
        return second
            .ok_or_else(|| PyValueError::new_err(format!("{parameter}: expected seconds of Unix time, not {given}")));
    }
    if let Ok(text) = given.extract::<String>() {
        return time_of_text(&text).map_err(|problem| error::parameter(parameter, problem));
    }
    if !is_of_datetime(given, "datetime")? {
        let problem = "expected seconds of Unix time, a datetime, or a text in RFC 3339";
        return Err(PyTypeError::new_err(format!("{parameter}: {problem}, not {}", given.get_type().name()?)));
    }
    // pandas has datetimes that are no times.
    let named = |problem| error::named(given.py(), parameter, problem);
    if given.call_method0("utcoffset").map_err(named)?.is_none() {
        return Err(PyValueError::new_err(format!(
            "{parameter}: {given} has no time zone; add tzinfo, such as timezone.utc"
        )));
    }
    // As a floating-point number, a second that is nearly over could be the next.
    let whole = PyDict::new(given.py());
    whole.set_item("microsecond", 0)?;
    let began = given.call_method("replace", (), Some(&whole)).map_err(named)?;
    let seconds: f64 = began.call_method0("timestamp").map_err(named)?.extract()?;
    time_of_number(seconds).map_err(|problem| error::parameter(parameter, problem))
}

/// The time of answers that have none of their own: a [`time`], or "mtime" for that of each file.
pub fn fetched_at(given: Option<&Bound<'_, PyAny>>) -> PyResult<Option<FetchedAt>> {
    let Some(given) = given else { return Ok(None) };
    let parameter = "fetched_at";
    let parsed = |text: String| text.parse().map_err(|problem: String| error::parameter(parameter, problem));
    match given.extract::<String>() {
        Ok(text) => parsed(text).map(Some),
        Err(_) => time(parameter, given).map(|at| Some(FetchedAt::At(at))),
    }
}

/// Whether an object is of this class of the module `datetime`.
pub fn is_of_datetime(given: &Bound<'_, PyAny>, class: &str) -> PyResult<bool> {
    given.is_instance(&given.py().import("datetime")?.getattr(class)?)
}
