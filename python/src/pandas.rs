//! Objects of pandas. Their rows have labels, the index, and pandas aligns columns by it.

use pyo3::prelude::*;
use pyo3::types::PySlice;

use crate::libraries::is_a;
use crate::urls::chosen;

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
