//! Turns outcomes into columns: plain strings, because Spark takes neither dictionaries nor views; dictionaries on request.

use std::ops::Range;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{Array, ArrayRef, DictionaryArray, Int8Array, ListArray, PrimitiveArray, RecordBatch, StringArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::exceptions::{PyKeyError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict, PyList};
use robosieve::{Matcher, Outcome, Partition, Reason};

use crate::explained;
use crate::urls::Column;
use crate::{capsule, error};

/// The maximum number of verdicts per batch, so that offsets of 32 bits can address their names.
const BATCH: usize = 1 << 26;

/// The maximum when the batch includes rules, each of which takes about 200 bytes at most.
const EXPLAINED: usize = 1 << 22;

/// The form of the columns.
pub struct Shape {
    /// The crawlers, if each row has a list of verdicts, one per crawler.
    pub agents: Option<Vec<String>>,
    pub explain: bool,
    pub dictionary: bool,
}

impl Shape {
    /// The schema of the columns.
    pub fn schema(&self) -> SchemaRef {
        let name = if self.dictionary { dictionary_type() } else { DataType::Utf8 };
        let mut columns = vec![("verdict", name.clone()), ("reason", name)];
        if self.explain {
            columns.extend([("rule", DataType::Utf8), ("line", DataType::Int32)]);
        }
        if self.agents.is_some() {
            columns.iter_mut().for_each(|(_, kind)| *kind = list_of(kind.clone()));
            columns.extend(["blocked_for", "deferred_for"].map(|name| (name, list_of(DataType::Utf8))));
        }
        let fields = columns.into_iter().map(|(name, kind)| Field::new(name, kind, true));
        Arc::new(Schema::new(fields.collect::<Vec<_>>()))
    }

    /// The rows of a column, in batches.
    pub fn batches(
        &self,
        column: &Column,
        matchers: &[Matcher],
        outcomes: &[Vec<Outcome>],
        batches: &mut Vec<RecordBatch>,
    ) -> Result<(), ArrowError> {
        let most = if self.explain { EXPLAINED } else { BATCH } / matchers.len();
        for from in (0..column.rows).step_by(most) {
            let rows = from..column.rows.min(from + most);
            batches.push(self.batch(column, matchers, outcomes, rows)?);
        }
        Ok(())
    }

    fn batch(
        &self,
        column: &Column,
        matchers: &[Matcher],
        outcomes: &[Vec<Outcome>],
        rows: Range<usize>,
    ) -> Result<RecordBatch, ArrowError> {
        let nulls = column.nulls.as_ref().map(|nulls| nulls.slice(rows.start, rows.len()));
        let by_row = by_row(outcomes, rows.clone());
        // With lists, a row is null as a whole.
        let of_names = if self.agents.is_some() { None } else { nulls.clone() };
        let names = |names: &Names| names.column(&by_row, of_names.clone(), self.dictionary);
        let mut columns = vec![names(&Names::partitions())?, names(&Names::reasons())?];
        if self.explain {
            let (rules, lines) = explained::rules(matchers, column, rows, outcomes);
            columns.extend([Arc::new(rules) as ArrayRef, Arc::new(lines)]);
        }
        if let Some(agents) = &self.agents {
            for column in &mut columns {
                *column = lists(Arc::clone(column), agents.len(), nulls.clone())?;
            }
            for partition in [Partition::Blocked, Partition::Deferred] {
                columns.push(agents_of(partition, agents, &by_row, nulls.as_ref()));
            }
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

/// For each row, the crawlers with this verdict.
fn agents_of(partition: Partition, agents: &[String], by_row: &[Outcome], nulls: Option<&NullBuffer>) -> ArrayRef {
    let mut lists = ListBuilder::new(StringBuilder::new());
    for (row, outcomes) in by_row.chunks(agents.len()).enumerate() {
        let is_null = nulls.is_some_and(|nulls| nulls.is_null(row));
        if !is_null {
            let those = outcomes.iter().zip(agents).filter(|(outcome, _)| outcome.partition() == partition);
            those.for_each(|(_, agent)| lists.values().append_value(agent));
        }
        lists.append(!is_null);
    }
    Arc::new(lists.finish())
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

    fn __repr__(&self) -> String {
        format!("<robosieve.Verdicts: {} rows of {}>", self.__len__(), self.columns().join(", "))
    }

    /// A column as a list.
    fn __getitem__<'py>(&self, py: Python<'py>, column: &str) -> PyResult<Bound<'py, PyList>> {
        let Some((place, _)) = self.schema.column_with_name(column) else {
            return Err(PyKeyError::new_err(column.to_owned()));
        };
        let list = PyList::empty(py);
        for batch in &self.batches {
            let array = batch.column(place);
            (0..array.len()).try_for_each(|row| list.append(item(py, array, row)?))?;
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

/// An item of one of these columns as a Python object.
fn item<'py>(py: Python<'py>, array: &ArrayRef, row: usize) -> PyResult<Bound<'py, PyAny>> {
    if array.is_null(row) {
        return Ok(py.None().into_bound(py));
    }
    match array.data_type() {
        DataType::Utf8 => Ok(array.as_string::<i32>().value(row).into_pyobject(py)?.into_any()),
        DataType::Int32 => {
            let array: &PrimitiveArray<Int32Type> = array.as_primitive();
            Ok(array.value(row).into_pyobject(py)?.into_any())
        }
        DataType::List(_) => {
            let items = array.as_list::<i32>().value(row);
            let list = PyList::empty(py);
            (0..items.len()).try_for_each(|at| list.append(item(py, &items, at)?))?;
            Ok(list.into_any())
        }
        DataType::Dictionary(..) => {
            let dictionary = array.as_dictionary::<Int8Type>();
            item(py, dictionary.values(), dictionary.keys().value(row) as usize)
        }
        other => Err(error::parameter("column", format!("verdicts have no column of type {other}"))),
    }
}
