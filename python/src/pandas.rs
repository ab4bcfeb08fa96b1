//! Objects of pandas. Their rows have labels, the index, and pandas aligns columns by it.

use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PySlice};

use crate::column::chosen;
use crate::libraries::is_a;

/// An object of pandas.
pub enum Pandas<'py> {
    Frame(Bound<'py, PyAny>),
    Series(Bound<'py, PyAny>),
    Index(Bound<'py, PyAny>),
}

impl<'py> Pandas<'py> {
    /// The object, if it is of pandas.
    pub fn of(object: &Bound<'py, PyAny>) -> PyResult<Option<Pandas<'py>>> {
        for (class, made) in [
            ("DataFrame", Pandas::Frame as fn(_) -> _),
            ("Series", Pandas::Series as fn(_) -> _),
            ("Index", Pandas::Index as fn(_) -> _),
        ] {
            if is_a(object, "pandas", class)? {
                return Ok(Some(made(object.clone())));
            }
        }
        Ok(None)
    }

    /// The labels of its rows.
    pub fn index(&self) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Pandas::Frame(object) | Pandas::Series(object) => object.getattr("index"),
            Pandas::Index(index) => Ok(index.clone()),
        }
    }
}

/// The names of the columns of a DataFrame; `None` if the object is none.
pub fn names(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if !is_a(object, "pandas", "DataFrame")? {
        return Ok(None);
    }
    let names = object.getattr("columns")?.try_iter()?.map(|name| Ok(name?.str()?.to_string()));
    names.collect::<PyResult<_>>().map(Some)
}

/// A DataFrame with the levels of its index as columns, if they have names.
pub fn with_index<'py>(frame: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let mut levels = frame.getattr("index")?.getattr("names")?.try_iter()?;
    let is_named = levels.any(|name| name.is_ok_and(|name| !name.is_none()));
    if is_named { frame.call_method0("reset_index") } else { Ok(frame.clone()) }
}

/// The columns at these places, for Arrow.
pub fn selected<'py>(frame: &Bound<'py, PyAny>, places: &[usize]) -> PyResult<Bound<'py, PyAny>> {
    let columns = frame.getattr("iloc")?.get_item((PySlice::full(frame.py()), places))?;
    // Any other index would become columns, too.
    columns.call_method("reset_index", (), Some(&[("drop", true)].into_py_dict(frame.py())?))
}

/// A Series, whose missing values have no type if all are: pandas takes them, and none at all, for floating-point numbers.
pub fn missing(series: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyAny>> {
    let kind: String = series.getattr("dtype")?.getattr("kind")?.extract()?;
    let is_missing = kind == "f" && series.call_method0("isna")?.call_method0("all")?.is_truthy()?;
    if is_missing { series.call_method1("astype", ("object",)) } else { Ok(series) }
}

/// The chosen column of a DataFrame, or level of its index. Without a name, it is the only column, whatever the index is.
pub fn column<'py>(frame: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let names = |of: Bound<'py, PyAny>| -> PyResult<Vec<String>> {
        of.try_iter()?.map(|name| Ok(name?.str()?.to_string())).collect()
    };
    let (columns, index) = (names(frame.getattr("columns")?)?, frame.getattr("index")?);
    if let Some(name) = name
        && !columns.iter().any(|column| column == name)
        && let Some(level) = names(index.getattr("names")?)?.iter().position(|level| level == name)
    {
        return index.call_method1("get_level_values", (level,));
    }
    let place = chosen(columns.iter().map(String::as_str), name)?;
    frame.getattr("iloc")?.get_item((PySlice::full(frame.py()), place))
}
