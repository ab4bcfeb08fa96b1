//! Record batches that are made as they are read.

use std::iter;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::{ArrowError, SchemaRef};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyDict};
use robosieve::Matchers;

use crate::judging::judged;
use crate::urls::Columns;
use crate::verdicts::Shape;
use crate::{capsule, error};

type Batches = Box<dyn Iterator<Item = Result<RecordBatch, ArrowError>> + Send>;

/// Record batches, one after the other, which can be read once: verdicts on a pyarrow Dataset or Scanner, or an exported table.
///
/// It has `__arrow_c_stream__`, so that every Arrow library reads it. `reader()` is a `pyarrow.RecordBatchReader`, which one
/// thread at a time may read; several may iterate. With both, memory is bounded. `to_pyarrow()`, `to_polars()` and `to_pandas()` read all of it.
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
        capsule::of_stream(py, Arc::clone(&self.schema), self.taken()?)
    }

    fn __iter__(&self) -> PyResult<StreamIterator> {
        Ok(StreamIterator { schema: Arc::clone(&self.schema), batches: Mutex::new(self.taken()?) })
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

/// Iterates over the batches. Unlike a stream of Arrow's C interface, several threads may take from it.
#[pyclass(frozen)]
struct StreamIterator {
    schema: SchemaRef,
    batches: Mutex<Batches>,
}

#[pymethods]
impl StreamIterator {
    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// A `pyarrow.RecordBatch`.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        // Whoever waits for the batches must not keep the interpreter from the thread that makes one.
        let next = py.detach(|| self.batches.lock().unwrap_or_else(PoisonError::into_inner).next());
        let Some(batch) = next else { return Ok(None) };
        let single = Bound::new(py, Stream::of(Arc::clone(&self.schema), iter::once(batch)))?;
        Stream::reader(&single)?.call_method0("read_next_batch").map(Some)
    }
}

impl Stream {
    /// The batches, which can be read once.
    fn taken(&self) -> PyResult<Batches> {
        let batches = self.batches.lock().unwrap_or_else(PoisonError::into_inner).take();
        batches.ok_or_else(|| {
            error::Error::new_err("the stream was read before, and can be read once only; make it again")
        })
    }

    /// A stream of these batches.
    pub fn of(
        schema: SchemaRef,
        batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
    ) -> Stream {
        Stream { schema, batches: Mutex::new(Some(Box::new(batches))) }
    }

    /// The verdicts on each batch, judged when it is read.
    pub fn judged(mut columns: Columns, matchers: Matchers, shape: Shape, threads: usize) -> Stream {
        let (schema, wanted) = (shape.schema(), shape.wanted());
        let mut next = move || -> Option<Result<Vec<RecordBatch>, ArrowError>> {
            let column = columns.next()?;
            let judge = || {
                let (column, mut batches) = (column?, Vec::new());
                let found = judged(&matchers, &column, &wanted, threads, None);
                shape.batches(&column, matchers.each(), &found, &mut batches)?;
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
