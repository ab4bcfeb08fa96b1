//! Tables of answers, with the columns that a Parquet file of them has.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use robosieve::policy::source::{self, FieldNames};
use robosieve::python_package::{self, Field, time_of_text};

use crate::answers::Answers;
use crate::capsule::{self, Arrays};
use crate::column::Column;
use crate::error;
use crate::headers::{HeaderColumn, Headers};
use crate::whole::{is_number, is_time, second, whole};
use crate::{pandas, polars};

const SOURCES: &str = "sources";

/// The answers of a table of Arrow, pandas or polars; `None` if the object is none.
pub fn answers<'py>(object: &Bound<'py, PyAny>, names: &FieldNames) -> PyResult<Option<Answers<'py>>> {
    let object = match frame(object, names)? {
        Some(frame) => frame,
        None => object.clone(),
    };
    let Some(Arrays { field, chunks }) = capsule::arrays(&object, SOURCES)? else { return Ok(None) };
    let DataType::Struct(fields) = field.data_type() else {
        let problem =
            "sources: it is a single column of Arrow; expected a table of answers, with columns such as url and body";
        return Err(PyTypeError::new_err(problem));
    };
    let known: Vec<&str> = fields.iter().map(|field| field.name().as_str()).collect();
    let places = places(&known, names)?;
    let mut before = 0;
    let rows = move |chunk: Result<ArrayRef, _>| -> PyResult<_> {
        let chunk: ArrayRef = chunk.map_err(|problem| error::arrow(SOURCES, problem))?;
        let first = before;
        before += chunk.len() as u64;
        Rows::of(&chunk, &places, first)
    };
    Ok(Some(Box::new(chunks.map(rows).flat_map(|rows| match rows {
        Ok(rows) => Box::new((0..rows.count).map(move |row| rows.answer(row))) as Answers<'_>,
        Err(problem) => Box::new(std::iter::once(Err(problem))),
    }))))
}

/// The places of the fields' columns.
pub fn places(known: &[&str], names: &FieldNames) -> PyResult<Vec<(Field, usize)>> {
    let find = |name: &str| known.iter().position(|known| *known == name);
    let places = python_package::answer_columns(names, find).map_err(|name| {
        let known = known.join(", ");
        error::source(format!(
            "sources: the table has no column {name:?}; its columns are {known}; name the columns to read"
        ))
    })?;
    let is_twice = |&&(_, at): &&(Field, usize)| known.iter().filter(|name| **name == known[at]).count() > 1;
    match places.iter().find(is_twice) {
        Some(&(_, at)) => {
            Err(error::source(format!("sources: the table has several columns that are called {:?}", known[at])))
        }
        None => Ok(places),
    }
}

/// The columns of a DataFrame that are read; the others may be of any type. `None` if it is none.
fn frame<'py>(object: &Bound<'py, PyAny>, names: &FieldNames) -> PyResult<Option<Bound<'py, PyAny>>> {
    let of = |known: &[String]| -> PyResult<Vec<usize>> {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        Ok(places(&known, names)?.into_iter().map(|(_, at)| at).collect())
    };
    if let Some(known) = pandas::names(object)? {
        let frame = pandas::with_index(object)?;
        let known = if frame.is(object) { known } else { pandas::names(&frame)?.unwrap_or_default() };
        return pandas::selected(&frame, &of(&known)?).map(Some);
    }
    let Some(known) = polars::names(object)? else { return polars::not_lazy(object, SOURCES).map(|()| None) };
    polars::selected(object, &of(&known)?).map(Some)
}

/// Rows of a table.
struct Rows {
    columns: Vec<(Field, Values)>,
    count: usize,
    /// How many rows were before them.
    before: u64,
}

/// A column of rows.
enum Values {
    Text(Column),
    /// Integers or times, each read when it is wanted.
    Any(ArrayRef),
    Headers(HeaderColumn),
    Nulls,
}

impl Rows {
    fn of(chunk: &ArrayRef, places: &[(Field, usize)], before: u64) -> PyResult<Rows> {
        let columns = places.iter().map(|&(field, at)| {
            let array = chunk.as_struct().column(at);
            let values = Values::of(field, array).ok_or_else(|| {
                let (name, kind) = (chunk.as_struct().column_names()[at], array.data_type());
                PyTypeError::new_err(format!(
                    "sources: the column {name:?} is of type {kind}; expected {}",
                    wanted(field)
                ))
            });
            Ok((field, values?))
        });
        Ok(Rows { columns: columns.collect::<PyResult<_>>()?, count: chunk.len(), before })
    }

    /// The answer of a row.
    fn answer(&self, row: usize) -> PyResult<source::Answer> {
        self.read(row)
            .map_err(|problem| error::source(python_package::no_answer(self.before + row as u64 + 1, problem)))
    }

    fn read(&self, row: usize) -> Result<source::Answer, String> {
        let answer = source::Answer::default()
            .url(self.utf8(Field::Url, row)?)
            .origin(self.utf8(Field::Origin, row)?)
            .location(self.text(Field::Location, row).map(|text| String::from_utf8_lossy(text).into_owned()))
            .body(self.text(Field::Body, row).map(Into::into))
            .body_base64(self.text(Field::BodyBase64, row).map(<[u8]>::to_vec))
            .fetched_at(self.time(Field::FetchedAt, row)?)
            .expires(self.time(Field::Expires, row)?)
            .unreachable_since(self.time(Field::UnreachableSince, row)?)
            .headers(self.headers(row)?);
        // Files, where no column says otherwise.
        Ok(match self.column(Field::Status) {
            Some(_) => answer.status(self.status(row)?),
            None => answer.status(Some(200)),
        })
    }

    fn column(&self, field: Field) -> Option<&Values> {
        self.columns.iter().find(|(of, _)| *of == field).map(|(_, values)| values)
    }

    fn text(&self, field: Field, row: usize) -> Option<&[u8]> {
        match self.column(field)? {
            Values::Text(column) => column.value(row),
            _ => None,
        }
    }

    fn utf8(&self, field: Field, row: usize) -> Result<Option<String>, String> {
        let text = self.text(field, row).map(|text| String::from_utf8(text.to_vec()));
        text.transpose().map_err(|_| format!("its {} is not UTF-8", field.name()))
    }

    fn status(&self, row: usize) -> Result<Option<i64>, String> {
        match self.column(Field::Status) {
            Some(Values::Any(array)) if array.is_valid(row) => {
                let whole = whole(array, row).ok_or_else(|| "its status is not a whole number".to_owned());
                whole.map(Some)
            }
            _ => Ok(None),
        }
    }

    /// A time in seconds of Unix time.
    fn time(&self, field: Field, row: usize) -> Result<Option<i64>, String> {
        match self.column(field) {
            Some(Values::Text(column)) => {
                column.value(row).map(|text| time_of_text(&String::from_utf8_lossy(text))).transpose()
            }
            Some(Values::Any(array)) if array.is_valid(row) => second(array, row).map(Some),
            _ => Ok(None),
        }
    }

    fn headers(&self, row: usize) -> Result<Headers, String> {
        match self.column(Field::Headers) {
            Some(Values::Headers(column)) => column.read(row),
            _ => Ok(Headers::new()),
        }
    }
}

impl Values {
    /// The values of a field's column; `None` if they are of a type that it cannot have.
    fn of(field: Field, array: &ArrayRef) -> Option<Values> {
        let kind = array.data_type();
        // A column of nulls has no type of its own: of pandas, it is of any.
        if array.logical_null_count() == array.len() {
            return Some(Values::Nulls);
        }
        match field {
            Field::Status => is_number(kind).then(|| Values::Any(array.clone())),
            Field::FetchedAt | Field::Expires | Field::UnreachableSince => match is_time(kind) {
                true => Some(Values::Any(array.clone())),
                false => Column::of(array).map(Values::Text),
            },
            Field::Headers => HeaderColumn::of(array).map(Values::Headers),
            _ => Column::of(array).map(Values::Text),
        }
    }
}

/// The types that the column of a field may have.
fn wanted(field: Field) -> &'static str {
    match field {
        Field::Status => "integers",
        Field::FetchedAt | Field::Expires | Field::UnreachableSince => {
            "time stamps, seconds of Unix time, or text in RFC 3339"
        }
        Field::Headers => "maps, structs, lists of pairs, or text in JSON",
        _ => "text or bytes",
    }
}
