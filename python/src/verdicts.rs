//! Turns outcomes into columns: plain strings, because Spark takes neither dictionaries nor views; dictionaries on request.

use std::cell::LazyCell;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int8Array, ListArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCapsule, PyDict, PyList, PyString};
use robosieve::python_package::check_stop;
use robosieve::{Matcher, Outcome, Partition, PreferenceColumn, Reason};

use crate::calls::Pauses;
use crate::column::Column;
use crate::explained;
use crate::judging::{Found, Wanted};
use crate::said;
use crate::{capsule, error};

/// The maximum number of verdicts per batch, so that offsets of 32 bits can address their rules, each of which takes about 200 bytes at
/// most, and that the call can end between two.
const BATCH: usize = 1 << 22;

/// The columns of verdicts, in order.
pub struct Shape {
    pub columns: Vec<VerdictColumn>,
    /// The crawlers, if each row has a list of verdicts, one per crawler.
    pub agents: Option<Vec<String>>,
    pub dictionary: bool,
}

/// A column of verdicts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VerdictColumn {
    Verdict,
    Reason,
    Rule,
    Line,
    /// The crawlers that may not fetch the URL, if there are several.
    BlockedFor,
    DeferredFor,
    /// What the site says about a use of the page.
    Said(PreferenceColumn),
}

use VerdictColumn::{BlockedFor, DeferredFor, Line, Reason as ReasonColumn, Rule, Said, Verdict};

impl VerdictColumn {
    fn all() -> impl Iterator<Item = VerdictColumn> {
        let fixed = [Verdict, ReasonColumn, Rule, Line, BlockedFor, DeferredFor];
        fixed.into_iter().chain(PreferenceColumn::all().map(Said))
    }

    fn name(self) -> &'static str {
        match self {
            Verdict => "verdict",
            ReasonColumn => "reason",
            Rule => "rule",
            Line => "line",
            BlockedFor => "blocked_for",
            DeferredFor => "deferred_for",
            Said(column) => column.name(),
        }
    }

    fn is_of_several(self) -> bool {
        matches!(self, BlockedFor | DeferredFor)
    }
}

impl Shape {
    /// The columns with these names; without names, those that the other arguments ask for.
    pub fn new(
        names: Option<Vec<String>>,
        agents: Option<Vec<String>>,
        explain: bool,
        dictionary: bool,
    ) -> PyResult<Shape> {
        let is_there = |column: VerdictColumn| agents.is_some() || !column.is_of_several();
        let columns = match names {
            None => {
                let is_asked = |column: &VerdictColumn| match column {
                    Rule | Line => explain,
                    Said(_) => false,
                    column => is_there(*column),
                };
                VerdictColumn::all().filter(is_asked).collect()
            }
            Some(_) if explain => {
                return Err(error::parameter("columns", "explain adds columns; name rule and line instead"));
            }
            Some(names) => {
                let known: Vec<_> = VerdictColumn::all().filter(|column| is_there(*column)).collect();
                let find = |name: &String| {
                    known.iter().find(|known| known.name() == name).copied().ok_or_else(|| {
                        let known: Vec<&str> = known.iter().map(|known| known.name()).collect();
                        let problem =
                            format!("there is no {name:?}; with these arguments, there are {}", known.join(", "));
                        error::parameter("columns", problem)
                    })
                };
                let columns: Vec<VerdictColumn> = names.iter().map(find).collect::<PyResult<_>>()?;
                let twice = columns.iter().enumerate().find(|(at, column)| columns[..*at].contains(column));
                if let Some((_, column)) = twice {
                    return Err(error::parameter("columns", format!("{:?} is given twice", column.name())));
                }
                if columns.is_empty() {
                    return Err(error::parameter("columns", "the list is empty"));
                }
                columns
            }
        };
        Ok(Shape { columns, agents, dictionary })
    }

    /// What must be found for these columns.
    pub fn wanted(&self) -> Wanted {
        Wanted {
            outcomes: self.columns.iter().any(|column| matches!(column, Verdict | ReasonColumn | Rule | Line)),
            refused: self.columns.iter().any(|column| column.is_of_several()),
            said: self.said().collect(),
        }
    }

    /// What sites say about uses of pages.
    fn said(&self) -> impl Iterator<Item = PreferenceColumn> {
        self.columns.iter().filter_map(|column| if let Said(column) = column { Some(*column) } else { None })
    }

    /// Whether the columns are those of the outcomes for one crawler.
    pub fn has_only_outcomes(&self) -> bool {
        self.agents.is_none() && self.columns.iter().all(|column| matches!(column, Verdict | ReasonColumn))
    }

    /// The number of crawlers.
    fn crawlers(&self) -> usize {
        self.agents.as_ref().map_or(1, Vec::len)
    }

    /// The schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        let name = || if self.dictionary { dictionary_type() } else { DataType::Utf8 };
        let field = |&column: &VerdictColumn| {
            let kind = match column {
                Verdict | ReasonColumn | Said(_) => name(),
                Rule => DataType::Utf8,
                Line => DataType::Int32,
                BlockedFor | DeferredFor => list_of(DataType::Utf8),
            };
            let has_lists = self.agents.is_some() && !column.is_of_several();
            Field::new(column.name(), if has_lists { list_of(kind) } else { kind }, true)
        };
        Arc::new(Schema::new(self.columns.iter().map(field).collect::<Vec<_>>()))
    }

    /// The rows of a column, in batches. The matchers explain, so there may be none if nothing is explained.
    pub fn batches(
        &self,
        column: &Column,
        matchers: &[Matcher],
        found: &Found,
        batches: &mut Vec<RecordBatch>,
    ) -> Result<(), ArrowError> {
        let most = BATCH / self.crawlers();
        let names = self.agents.as_deref().unwrap_or_default();
        let refused = [0, 1].map(|list| found.refused.all.iter().map(|set| NamedSet::of(names, &set[list])).collect());
        for from in (0..column.rows).step_by(most) {
            check_stop();
            let rows = from..column.rows.min(from + most);
            batches.push(self.batch(column, matchers, found, &refused, rows)?);
        }
        Ok(())
    }

    fn batch(
        &self,
        column: &Column,
        matchers: &[Matcher],
        found: &Found,
        refused: &[Vec<NamedSet>; 2],
        rows: Range<usize>,
    ) -> Result<RecordBatch, ArrowError> {
        let nulls = column.nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()));
        let by_row = by_row(&found.outcomes, rows.clone());
        // With lists, a row is null as a whole.
        let of_names = if self.agents.is_some() { None } else { nulls.clone() };
        let names = |names: &Names| names.column(&by_row, of_names.clone(), self.dictionary);
        let explained = LazyCell::new(|| explained::rules(matchers, column, rows.clone(), &found.outcomes));
        let refused_of = |number: usize| refused_lists(&refused[number], &found.sets[rows.clone()], nulls.as_ref());
        let crawlers = self.crawlers();
        let mut said = found.said.iter().map(|said| &said[rows.start * crawlers..rows.end * crawlers]);
        let mut columns = Vec::new();
        for &column in &self.columns {
            let items: ArrayRef = match column {
                Verdict => names(&Names::partitions())?,
                ReasonColumn => names(&Names::reasons())?,
                Rule => Arc::new(explained.0.clone()),
                Line => Arc::new(explained.1.clone()),
                BlockedFor => refused_of(0)?,
                DeferredFor => refused_of(1)?,
                Said(_) => {
                    let said = said.next().expect("each column that is wanted");
                    said::column(said, of_names.as_ref(), self.dictionary)?
                }
            };
            columns.push(match &self.agents {
                Some(agents) if !column.is_of_several() => lists(items, agents.len(), nulls.clone())?,
                _ => items,
            });
        }
        RecordBatch::try_new(self.schema(), columns)
    }
}

fn list_of(kind: DataType) -> DataType {
    DataType::List(Arc::new(Field::new_list_field(kind, true)))
}

fn dictionary_type() -> DataType {
    DataType::Dictionary(Box::new(DataType::Int8), Box::new(DataType::Utf8))
}

/// Arranges outcomes by row, those of one row adjacent.
fn by_row(outcomes: &[Vec<Outcome>], rows: Range<usize>) -> Vec<Outcome> {
    match outcomes {
        [only] => only[rows].to_vec(),
        several => rows.flat_map(|row| several.iter().map(move |outcomes| outcomes[row])).collect(),
    }
}

/// Bytes copied for each name: one or two instructions, where a copy of the exact length would be a call.
const WIDTH: usize = 32;

/// One kind of name for outcomes.
struct Names {
    all: Vec<&'static str>,
    number: fn(Outcome) -> usize,
}

impl Names {
    fn partitions() -> Names {
        Names { all: Partition::all().map(Partition::name).collect(), number: |outcome| outcome.partition() as usize }
    }

    fn reasons() -> Names {
        Names { all: Reason::all().map(Reason::name).collect(), number: |outcome| outcome.reason() as usize }
    }

    fn column(
        &self,
        outcomes: &[Outcome],
        nulls: Option<NullBuffer>,
        dictionary: bool,
    ) -> Result<ArrayRef, ArrowError> {
        if !dictionary {
            return Ok(Arc::new(self.strings(outcomes, nulls)?));
        }
        let keys: Vec<i8> = outcomes.iter().map(|&outcome| (self.number)(outcome) as i8).collect();
        let keys = Int8Array::try_new(keys.into(), nulls)?;
        let values = Arc::new(StringArray::from(self.all.clone()));
        Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(keys, values)?))
    }

    fn strings(&self, outcomes: &[Outcome], nulls: Option<NullBuffer>) -> Result<StringArray, ArrowError> {
        // By outcome, so that each row takes one look-up.
        let mut table = [([0; WIDTH], 0); 256];
        for (at, (text, length)) in table.iter_mut().enumerate().take(Outcome::COUNT) {
            let name = self.all[(self.number)(Outcome::from_index(at))];
            text[..name.len()].copy_from_slice(name.as_bytes());
            *length = name.len();
        }
        let mut offsets = Vec::with_capacity(outcomes.len() + 1);
        let mut end = 0;
        offsets.push(0);
        offsets.extend(outcomes.iter().map(|outcome| {
            end += table[outcome.index()].1;
            end as i32
        }));
        let mut values = vec![0; end + WIDTH];
        for (outcome, &at) in outcomes.iter().zip(&offsets) {
            let at = at as usize;
            values[at..at + WIDTH].copy_from_slice(&table[outcome.index()].0);
        }
        values.truncate(end);
        StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(offsets)), Buffer::from_vec(values), nulls)
    }
}

/// Lists of this many items, one list per row.
fn lists(items: ArrayRef, length: usize, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let field = Arc::new(Field::new_list_field(items.data_type().clone(), true));
    let offsets = OffsetBuffer::from_repeated_length(length, items.len() / length);
    Ok(Arc::new(ListArray::try_new(field, offsets, items, nulls)?))
}

/// The names of a set of crawlers, one after the other, and where each ends.
struct NamedSet {
    names: Vec<u8>,
    ends: Vec<i32>,
}

impl NamedSet {
    fn of(agents: &[String], set: &[u16]) -> NamedSet {
        let (mut names, mut ends) = (Vec::new(), Vec::new());
        for &crawler in set {
            names.extend_from_slice(agents[usize::from(crawler)].as_bytes());
            ends.push(names.len() as i32);
        }
        NamedSet { names, ends }
    }
}

/// For each row, the names of the crawlers in its set. Names are copied set by set.
fn refused_lists(named: &[NamedSet], sets: &[u32], nulls: Option<&NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let (mut values, mut ends, mut lengths) = (Vec::new(), vec![0], Vec::with_capacity(sets.len()));
    for (row, &set) in sets.iter().enumerate() {
        let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
        let (set, before) = (&named[set as usize], values.len() as i32);
        let those = if is_null { &[][..] } else { &set.ends };
        lengths.push(those.len());
        if !those.is_empty() {
            values.extend_from_slice(&set.names);
            ends.extend(those.iter().map(|end| before + end));
        }
    }
    let names = StringArray::try_new(OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(values), None)?;
    let field = Arc::new(Field::new_list_field(DataType::Utf8, true));
    Ok(Arc::new(ListArray::try_new(field, OffsetBuffer::from_lengths(lengths), Arc::new(names), nulls.cloned())?))
}

/// Verdicts on URLs, as columns.
///
/// It has `__arrow_c_stream__`, so that every Arrow library accepts it as a table; `to_pyarrow()`, `to_polars()` and
/// `to_pandas()` do so, and `out["verdict"]` is a plain list.
///
/// >>> import robosieve
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> out = policy.judge(["https://shop.example/cart", "https://shop.example/", None])
/// >>> out["verdict"]
/// ['blocked', 'allowed', None]
/// >>> out.columns
/// ['verdict', 'reason']
/// >>> len(out)
/// 3
#[pyclass(frozen, module = "robosieve")]
pub struct Verdicts {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    /// The labels of the rows, if the URLs came from pandas.
    pub index: Option<Py<PyAny>>,
}

#[pymethods]
impl Verdicts {
    /// The stream of Arrow's C data interface; a requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        capsule::of_batches(py, Arc::clone(&self.schema), self.batches.clone())
    }

    fn __len__(&self) -> usize {
        self.batches.iter().map(RecordBatch::num_rows).sum()
    }

    /// How many rows there are, the names of the columns, and the first rows.
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (rows, columns) = (self.__len__(), self.columns());
        let mut text = format!("<robosieve.Verdicts: {rows} rows of {}>", columns.join(", "));
        let mut items = Items::default();
        let mut shown = vec![columns];
        for batch in &self.batches {
            for row in 0..batch.num_rows().min(1 + SHOWN - shown.len()) {
                let cell = |array| Ok(items.item(py, array, row)?.str()?.to_string());
                shown.push(batch.columns().iter().map(cell).collect::<PyResult<_>>()?);
            }
        }
        let width = |at: usize| shown.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..shown[0].len()).map(width).collect();
        for row in shown.iter().filter(|_| rows > 0) {
            let cells: Vec<String> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
            text.push('\n');
            text.push_str(cells.join("  ").trim_end());
        }
        if rows > SHOWN {
            text.push_str(&format!("\n... {} more", rows - SHOWN));
        }
        Ok(text)
    }

    /// A column as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyList>> {
        let Some((place, _)) = self.schema.column_with_name(column) else {
            return Err(PyKeyError::new_err(column.to_owned()));
        };
        let (list, mut items, mut pauses) = (PyList::empty(py), Items::default(), Pauses::begin());
        for batch in &self.batches {
            let array = batch.column(place);
            for row in 0..array.len() {
                list.append(items.item(py, array, row)?)?;
                pauses.after_item(py, 0)?;
            }
        }
        Ok(list)
    }

    /// Refused: rows and columns would both be a reason to iterate.
    fn __iter__(&self) -> PyResult<Py<PyAny>> {
        let problem =
            "verdicts are columns; iterate over one, such as out[\"verdict\"], or over to_pyarrow().to_pylist()";
        Err(PyTypeError::new_err(problem))
    }

    /// Whether there is a column with this name.
    fn __contains__(&self, column: &str) -> bool {
        self.schema.column_with_name(column).is_some()
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A `pyarrow.Table`.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A `polars.DataFrame`.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pandas.DataFrame`; the options are those of `pyarrow.Table.to_pandas`. If the URLs came from pandas, it has their
    /// index.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        let frame = Verdicts::to_pyarrow(slf)?.call_method("to_pandas", (), options)?;
        if let Some(index) = &slf.get().index {
            frame.setattr("index", index)?;
        }
        Ok(frame)
    }
}

/// The rows that `repr` shows.
const SHOWN: usize = 10;

/// The most different texts that are made once for all rows.
const SHARED: usize = 256;

/// Items of columns as Python objects.
#[derive(Default)]
struct Items<'py, 'a> {
    /// Texts that were made: verdicts and reasons are few.
    texts: HashMap<&'a str, Bound<'py, PyString>>,
}

impl<'py, 'a> Items<'py, 'a> {
    fn item(&mut self, py: Python<'py>, array: &'a ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
        if array.is_null(row) {
            return Ok(py.None().into_bound(py));
        }
        match array.data_type() {
            DataType::Boolean => Ok(array.as_boolean().value(row).into_pyobject(py)?.to_owned().into_any()),
            DataType::Binary => Ok(PyBytes::new(py, array.as_binary::<i32>().value(row)).into_any()),
            DataType::Utf8 => Ok(self.text(py, array.as_string::<i32>().value(row)).into_any()),
            DataType::Int32 => {
                let array: &PrimitiveArray<Int32Type> = array.as_primitive();
                Ok(array.value(row).into_pyobject(py)?.into_any())
            }
            DataType::List(_) => {
                let lists = array.as_list::<i32>();
                let (ends, list) = (lists.value_offsets(), PyList::empty(py));
                let of_row = ends[row] as usize..ends[row + 1] as usize;
                of_row.into_iter().try_for_each(|at| list.append(self.item(py, lists.values(), at)?))?;
                Ok(list.into_any())
            }
            DataType::Dictionary(..) => {
                let dictionary = array.as_dictionary::<Int8Type>();
                self.item(py, dictionary.values(), dictionary.keys().value(row) as usize)
            }
            other => Err(error::parameter("column", format!("verdicts have no column of type {other}"))),
        }
    }

    fn text(&mut self, py: Python<'py>, text: &'a str) -> Bound<'py, PyString> {
        if let Some(made) = self.texts.get(text) {
            return made.clone();
        }
        let made = PyString::new(py, text);
        if self.texts.len() < SHARED {
            self.texts.insert(text, made.clone());
        }
        made
    }
}
