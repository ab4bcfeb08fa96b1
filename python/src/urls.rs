//! Turns URLs in any form into columns of bytes, without copying those of Arrow arrays.

use std::fmt::Display;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, LargeBinaryBuilder};
use arrow_array::cast::AsArray;
use arrow_array::{ArrayRef, LargeBinaryArray};
use arrow_schema::{ArrowError, DataType};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyFloat, PyFrozenSet, PyList, PyMapping, PySet, PySlice, PyString};
use robosieve::python_package::UrlParts;

use crate::arguments;
use crate::calls::{Call, Pauses};
use crate::capsule::{self, Arrays};
use crate::column::{Column, chosen, is_text, refused};
use crate::dataset;
use crate::error;
use crate::libraries::is_a;
use crate::pandas::{self, Pandas};
use crate::polars;
use crate::url_parts::{self, PartColumns};

/// The types that can be judged.
const WANTED: &str = "expected an Arrow array or stream of string, large_string, string_view, binary or dictionaries of them \
                      (pyarrow, polars, pandas, DuckDB), a list of str or bytes, or a dict of such columns";

/// Columns of URLs, chunk by chunk.
pub type Columns = Box<dyn Iterator<Item = Result<Column, ArrowError>> + Send>;

/// What `of` makes of each chunk for so many crawlers, in order. This thread reads the chunks, because it may be the only one in which
/// Python can.
pub fn each<T: Send>(
    py: Python<'_>,
    call: &Call<'_, '_>,
    mut columns: Columns,
    crawlers: usize,
    mut of: impl FnMut(Column) -> PyResult<T> + Send,
) -> PyResult<Vec<T>> {
    let mut made = Vec::new();
    while let Some(column) = next(py, &mut columns)? {
        made.push(call.work_on(py, column.rows.saturating_mul(crawlers), || of(column))?);
        call.ask(py)?;
    }
    call.report()?;
    Ok(made)
}

/// All chunks.
pub fn all(py: Python<'_>, mut columns: Columns) -> PyResult<Vec<Column>> {
    std::iter::from_fn(|| next(py, &mut columns).transpose()).collect()
}

fn next(py: Python<'_>, columns: &mut Columns) -> PyResult<Option<Column>> {
    py.check_signals()?;
    let column = error::guarded(|| Ok(py.detach(|| columns.next())))?;
    column.transpose().map_err(error::urls)
}

/// The URLs of an object; for a table, those of the column with this name, or of its only column, or in [parts](url_parts).
///
/// A table is an Arrow table, a DataFrame, or a mapping of names to columns. What has no columns refuses a name.
pub fn columns(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Columns> {
    // The most common case need not be compared with the classes of libraries.
    if object.is_instance_of::<PyList>() {
        return column(object, name);
    }
    if name.is_none()
        && let Some(parts) = url_parts::table(object)?
    {
        return column(&parts, None);
    }
    // Without their other columns, which may be of any type.
    if let Some(pandas) = Pandas::of(object)? {
        return match pandas {
            Pandas::Frame(frame) => columns(&pandas::column(&frame, name)?, None),
            Pandas::Index(index) => refused(name).and_then(|()| column(&index.call_method0("to_series")?, None)),
            Pandas::Series(series) => refused(name).and_then(|()| column(&pandas::missing(series)?, None)),
        };
    }
    if let Some(table) = dataset::hugging_face(object, name)? {
        return column(&table, name);
    }
    if let Some(reader) = dataset::reader(object, name)? {
        return column(&reader, name);
    }
    match polars::series(object, name)? {
        Some(series) => column(&series, None),
        None => column(object, name),
    }
}

/// The labels of the rows that pandas gave, also as the chosen column of a dict.
pub fn index<'py>(object: &Bound<'py, PyAny>, name: Option<&str>) -> PyResult<Option<Bound<'py, PyAny>>> {
    if object.is_instance_of::<PyList>() {
        return Ok(None);
    }
    if let Some(pandas) = Pandas::of(object)? {
        return pandas.index().map(Some);
    }
    let Ok(table) = object.cast::<PyDict>() else { return Ok(None) };
    let column = match url_parts::table(object)? {
        Some(_) if name.is_none() => table.as_any().get_item(UrlParts::COLUMNS[0])?,
        _ => of_mapping(table.as_mapping(), name)?,
    };
    Pandas::of(&column)?.map(|pandas| pandas.index()).transpose()
}

/// The URLs of an object that is not of pandas, or a Series.
fn column(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Columns> {
    let Some(Arrays { field, chunks }) = capsule::arrays(object, "urls")? else {
        if let Ok(table) = object.cast::<PyMapping>() {
            return columns(&of_mapping(table, name)?, None);
        }
        refused(name)?;
        let listed: ArrayRef = Arc::new(listed(object)?);
        let column = Column::of(&listed).expect("bytes");
        return Ok(Box::new(std::iter::once(Ok(column))));
    };
    let (place, field) = match field.data_type() {
        DataType::Struct(fields) => {
            if name.is_none()
                && let Some(parts) = PartColumns::of(fields)?
            {
                return Ok(Box::new(chunks.map(move |rows| parts.put_together(&rows?))));
            }
            let place = chosen(fields.iter().map(|field| field.name().as_str()), name)?;
            (Some(place), Arc::clone(&fields[place]))
        }
        _ => {
            refused(name)?;
            (None, field)
        }
    };
    if !is_text(field.data_type()) {
        let problem = format!("{} is not a type for URLs; {WANTED}", field.data_type());
        return Err(PyTypeError::new_err(format!("urls: {problem}")));
    }
    let column = move |array: ArrayRef| {
        let array = match place {
            Some(place) => Arc::clone(array.as_struct().column(place)),
            None => array,
        };
        Column::of(&array).expect("the type of the stream")
    };
    Ok(Box::new(chunks.map(move |chunk| chunk.map(&column))))
}

/// The chosen column of a mapping of names to columns, such as a batch of Hugging Face datasets.
fn of_mapping<'py>(table: &Bound<'py, PyMapping>, name: Option<&str>) -> PyResult<Bound<'py, PyAny>> {
    let keys: Vec<_> = table.keys()?.iter().collect();
    let names = keys.iter().map(|key| Ok(key.str()?.to_string())).collect::<PyResult<Vec<_>>>()?;
    let column = table.get_item(&keys[chosen(names.iter().map(String::as_str), name)?])?;
    if column.is_instance_of::<PyMapping>() {
        return Err(PyTypeError::new_err(format!("urls: the column is itself a mapping; {WANTED}")));
    }
    Ok(column)
}

/// The items of a list that are taken at a time.
const PIECE: usize = 1 << 14;

/// The URLs of a list, or of any other sequence of items, copied.
fn listed(object: &Bound<'_, PyAny>) -> PyResult<LargeBinaryArray> {
    let kind = || Ok::<_, PyErr>(object.get_type().name()?.to_string());
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(wrong("it is a single string"));
    }
    if object.is_instance_of::<PySet>() || object.is_instance_of::<PyFrozenSet>() {
        return Err(wrong(format!("it is a {}, which has no order", kind()?)));
    }
    let mut copy = Copied { builder: LargeBinaryBuilder::new(), pauses: Pauses::begin() };
    if let Ok(list) = object.cast::<PyList>() {
        copy.list(list)?;
    } else if is_a(object, "numpy", "ndarray")? {
        copy.numpy(object)?;
    } else {
        let Ok(items) = object.try_iter() else { return Err(wrong(format!("it is of type {}", kind()?))) };
        for item in items {
            copy.item(&item?)?;
        }
    }
    Ok(copy.builder.finish())
}

fn wrong(what: impl Display) -> PyErr {
    PyTypeError::new_err(format!("urls: {what}; {WANTED}"))
}

/// Items that were copied.
struct Copied {
    builder: LargeBinaryBuilder,
    pauses: Pauses,
}

impl Copied {
    /// Copies the items of a list, piece by piece. Other threads run between, and must not change it.
    fn list(&mut self, list: &Bound<'_, PyList>) -> PyResult<()> {
        let (length, mut pieces) = (list.len(), Vec::new());
        let changed = || wrong("the list changed while it was copied");
        while pieces.len() * PIECE < length {
            let from = pieces.len() * PIECE;
            if list.len() != length {
                return Err(changed());
            }
            let piece = list.get_slice(from, from + PIECE);
            for item in &piece {
                // A piece is a list of its own, which no other thread has.
                self.item(&item)?;
            }
            pieces.push(piece);
        }
        // Other threads may have replaced items that were copied before.
        for (number, piece) in pieces.into_iter().enumerate() {
            let now = list.get_slice(number * PIECE, (number + 1) * PIECE);
            if list.len() != length || !now.iter().zip(&piece).all(|(now, before)| now.is(&before)) {
                return Err(changed());
            }
            drop((now, piece));
            self.pauses.after_piece(list.py())?;
        }
        Ok(())
    }

    /// Copies the items of an array of numpy: one by one, each would be made an object of numpy first.
    fn numpy(&mut self, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = array.py();
        let length = array.len().map_err(|problem| error::named(py, "urls", problem))?;
        for from in (0..length).step_by(PIECE) {
            let some = array.get_item(PySlice::new(py, from as isize, (from + PIECE) as isize, 1))?;
            for item in some.call_method0("tolist")?.try_iter()? {
                self.item(&item?)?;
            }
        }
        Ok(())
    }

    fn item(&mut self, item: &Bound<'_, PyAny>) -> PyResult<()> {
        let before = self.builder.values_slice().len();
        let at = self.builder.len();
        if let Ok(text) = item.cast::<PyString>() {
            match text.to_str() {
                Ok(text) => self.builder.append_value(text),
                Err(_) => self.builder.append_value(arguments::encoded(&format!("urls: item {at}"), text)?),
            }
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            self.builder.append_value(bytes.as_bytes());
        } else if is_missing(item)? {
            self.builder.append_null();
        } else {
            return Err(wrong(format!("item {at} is of type {}", item.get_type().name()?)));
        }
        self.pauses.after_item(item.py(), self.builder.values_slice().len() - before)
    }
}

/// Whether an item stands for none, as in the columns of pandas: None, a number that is none, `pandas.NA` and `pandas.NaT`.
fn is_missing(item: &Bound<'_, PyAny>) -> PyResult<bool> {
    if item.is_none() {
        return Ok(true);
    }
    if let Ok(number) = item.cast::<PyFloat>() {
        return Ok(number.value().is_nan());
    }
    let kind = item.get_type();
    let name = kind.name()?;
    Ok((name == "NAType" || name == "NaTType") && kind.module()?.to_str()?.starts_with("pandas."))
}
