//! Record batches that are made as they are read.

use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use robosieve::Matcher;

use crate::judging::outcomes;
use crate::urls::Columns;
use crate::verdicts::Shape;
use crate::{capsule, error};

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Record batches, one after the other, which can be read once: verdicts on a pyarrow Dataset or Scanner, or an exported table.
///
/// It has `__arrow_c_stream__`, so that every Arrow library reads it. `reader()` is a `pyarrow.RecordBatchReader`, and so is what
/// iterating over it uses: with them, memory is bounded. `to_pyarrow()`, `to_polars()` and `to_pandas()` read all of it.
///
/// >>> import pyarrow.dataset, robosieve
/// >>> policy = robosieve.compile(["datasets/sites"], agents=["examplebot"])
/// >>> urls = pyarrow.dataset.dataset(pyarrow.table({"url": ["https://shop.example/cart", "https://shop.example/"]}))
/// >>> stream = policy.judge(urls)
/// >>> stream.columns
/// ['verdict', 'reason']
/// >>> [batch.column("verdict").to_pylist() for batch in stream]
/// [['blocked', 'allowed']]
#[pyclass(frozen, module = "robosieve")]
pub struct Stream {
    schema: SchemaRef,
    /// None once it is read.
    batches: Mutex<Option<Batches>>,
}

#[pymethods]
impl Stream {
    /// The stream of Arrow's C data interface; a requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        let _ = requested_schema;
        match self.batches.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(batches) => capsule::of_stream(py, Arc::clone(&self.schema), batches),
            None => Err(error::Error::new_err("the stream was read before, and can be read once only; make it again")),
        }
    }

    fn __iter__<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        Ok(Stream::reader(slf)?.try_iter()?.into_any())
    }

    fn __repr__(&self) -> String {
        format!("<robosieve.Stream of {}>", self.columns().join(", "))
    }

    /// The names of the columns.
    #[getter]
    fn columns(&self) -> Vec<String> {
        self.schema.fields().iter().map(|field| field.name().clone()).collect()
    }

    /// A `pyarrow.RecordBatchReader`.
    fn reader<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.getattr("RecordBatchReader")?.call_method1("from_stream", (slf,))
    }

    /// A `pyarrow.Table` of all batches.
    fn to_pyarrow<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("pyarrow")?.call_method1("table", (slf,))
    }

    /// A `polars.DataFrame` of all batches.
    fn to_polars<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("polars")?.call_method1("DataFrame", (slf,))
    }

    /// A `pandas.DataFrame` of all batches; the options are those of `pyarrow.Table.to_pandas`.
    #[pyo3(signature = (**options))]
    fn to_pandas<'py>(slf: &Bound<'py, Self>, options: Option<&Bound<'py, PyDict>>) -> PyResult<Bound<'py, PyAny>> {
        Stream::to_pyarrow(slf)?.call_method("to_pandas", (), options)
    }
}

impl Stream {
    /// A stream of these batches.
    pub fn of(
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    ) -> Stream {
        Stream { schema, batches: Mutex::new(Some(Box::new(batches))) }
    }

    /// The verdicts on each batch, judged when it is read.
    pub fn judged(mut columns: Columns, matchers: Vec<Matcher>, shape: Shape, threads: usize) -> Stream {
        let schema = shape.schema();
        let mut next = move || -> Option<Result<Vec<RecordBatch>, ArrowError>> {
            let column = columns.next()?;
            let judge = || {
                let (column, mut batches) = (column?, Vec::new());
                let outcomes = outcomes(&matchers, &column, threads);
                shape.batches(&column, &matchers, &outcomes, &mut batches)?;
                Ok(batches)
            };
            // A panic must not reach the library that reads.
            let judged = catch_unwind(AssertUnwindSafe(judge));
            Some(judged.unwrap_or_else(|panic| Err(ArrowError::ComputeError(error::panicked(&*panic).to_string()))))
        };
        // After an error there is nothing more.
        let mut has_failed = false;
        let judged = iter::from_fn(move || {
            let batches = if has_failed { None } else { next() };
            has_failed = batches.as_ref().is_some_and(Result::is_err);
            batches
        });
        Stream::of(
            schema,
            judged.flat_map(|batches| match batches {
                Ok(batches) => batches.into_iter().map(Ok).collect(),
                Err(problem) => vec![Err(problem)],
            }),
        )
    }
}
