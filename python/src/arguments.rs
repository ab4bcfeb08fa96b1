//! What Python passes where this package takes lists, numbers and files.

use std::borrow::Cow;
use std::path::Path;

use pyo3::conversion::FromPyObjectOwned;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyString, PyTuple, PyType};
use robosieve::policy::Overrides;

use crate::error;

/// The items of a list, or of any other iterable but a single string or path, whose characters would be its items.
pub fn listed<'py, T: FromPyObjectOwned<'py>>(parameter: &str, given: &Bound<'py, PyAny>) -> PyResult<Vec<T>> {
    items(parameter, given)?.collect()
}

/// The same, one after the other: a generator may do the work for each only then.
pub fn items<'py, T: FromPyObjectOwned<'py>>(
    parameter: &str,
    given: &Bound<'py, PyAny>,
) -> PyResult<impl Iterator<Item = PyResult<T>>> {
    let is_single = given.is_instance_of::<PyString>()
        || given.is_instance_of::<PyBytes>()
        || given.getattr_opt("__fspath__")?.is_some();
    if is_single {
        return Err(PyTypeError::new_err(format!("{parameter}: expected a list; write [{}]", given.repr()?)));
    }
    let Ok(items) = given.try_iter() else {
        return Err(PyTypeError::new_err(format!("{parameter}: expected a list, not {}", given.get_type().name()?)));
    };
    let item = move |(at, item): (usize, PyResult<Bound<'py, PyAny>>)| {
        let item = item?;
        let told = || PyTypeError::new_err(format!("{parameter}: item {at} is {item:?}"));
        item.extract().map_err(|problem: T::Error| error::instead(item.py(), problem.into(), told))
    };
    Ok(items.enumerate().map(item))
}

/// The same, if it is given.
pub fn maybe_listed<'py, T: FromPyObjectOwned<'py>>(
    parameter: &str,
    given: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Vec<T>>> {
    given.map(|given| listed(parameter, given)).transpose()
}

/// The most threads, as in the program: each has buffers of its own.
const MOST_THREADS: i64 = 4096;

/// A number of threads; 0 is all processors.
pub fn threads(given: i64) -> PyResult<usize> {
    match given {
        0..=MOST_THREADS => Ok(given as usize),
        _ => Err(PyValueError::new_err(format!(
            "threads: expected a number from 0, which is all processors, to {MOST_THREADS}, not {given}"
        ))),
    }
}

/// A number of bytes.
pub fn bytes(parameter: &str, given: Option<i64>) -> PyResult<Option<u64>> {
    match given {
        Some(given @ ..=0) => {
            Err(PyValueError::new_err(format!("{parameter}: expected a number of bytes above 0, not {given}")))
        }
        given => Ok(given.map(i64::unsigned_abs)),
    }
}

/// The bytes of a text, which may also be given as such; bytes that Python decoded as `surrogateescape` are restored.
pub fn text<'g>(parameter: &str, given: &'g Bound<'_, PyAny>) -> PyResult<Cow<'g, [u8]>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok(Cow::Borrowed(bytes.as_bytes()));
    }
    let Ok(text) = given.cast::<PyString>() else {
        let kind = given.get_type().name()?;
        return Err(PyTypeError::new_err(format!("{parameter}: expected str or bytes, not {kind}")));
    };
    encoded(parameter, text)
}

/// The UTF-8 of a text; bytes that Python decoded as `surrogateescape` are restored.
pub fn encoded<'g>(parameter: &str, text: &'g Bound<'_, PyString>) -> PyResult<Cow<'g, [u8]>> {
    if let Ok(text) = text.to_str() {
        return Ok(Cow::Borrowed(text.as_bytes()));
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogateescape"));
    encoded.map_err(|problem| error::named(text.py(), parameter, problem))?.extract().map(Cow::Owned)
}

/// A whole number. One beyond 64 bits counts as the largest, or the smallest; True and False are none.
pub fn whole(given: &Bound<'_, PyAny>) -> PyResult<i64> {
    if given.is_instance_of::<PyBool>() {
        return Err(PyTypeError::new_err("expected a number, not bool"));
    }
    match given.extract::<i64>() {
        Err(problem) if problem.is_instance_of::<PyOverflowError>(given.py()) => {
            Ok(if given.lt(0)? { i64::MIN } else { i64::MAX })
        }
        number => number,
    }
}

/// The same, if it is given.
pub fn maybe_whole(given: &Bound<'_, PyAny>) -> PyResult<Option<i64>> {
    if given.is_none() { Ok(None) } else { whole(given).map(Some) }
}

/// The operator's overrides in a file.
pub fn overrides(path: &Path) -> PyResult<Overrides> {
    Overrides::read(path).map_err(|problem| error::parameter("overrides", problem))
}

/// What pickle and copy call to make an equal object of this class, under every protocol.
pub fn made_again<'py>(
    class: &Bound<'py, PyType>,
    (given, named): (Bound<'py, PyTuple>, Bound<'py, PyDict>),
) -> PyResult<Bound<'py, PyTuple>> {
    let made = class.py().import("copyreg")?.getattr("__newobj_ex__")?;
    (made, (class, given, named)).into_pyobject(class.py())
}
