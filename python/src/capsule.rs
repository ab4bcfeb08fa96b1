//! Arrow's C data interface as Python objects expose it: capsules with a schema and an array, or with a stream.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>

use std::ffi::CStr;
use std::sync::Arc;

use arrow_array::ffi::{self, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{ArrayReader, ArrayRef, RecordBatch, RecordBatchIterator, make_array};
use arrow_schema::{ArrowError, FieldRef, SchemaRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::error;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// A sequence of arrays from another library, all of one type.
pub struct Arrays {
    pub field: FieldRef,
    pub chunks: Box<dyn Iterator<Item = Result<ArrayRef, ArrowError>> + Send>,
}

/// The arrays of an object that has `__arrow_c_stream__` or `__arrow_c_array__`; `None` if it has neither. `parameter` is what it
/// was given as.
pub fn arrays(object: &Bound<'_, PyAny>, parameter: &str) -> PyResult<Option<Arrays>> {
    if let Some(method) = object.getattr_opt("__arrow_c_stream__")? {
        return stream(called(&method, parameter)?.cast::<PyCapsule>()?, parameter).map(Some);
    }
    let Some(method) = object.getattr_opt("__arrow_c_array__")? else { return Ok(None) };
    let (schema, array): (Bound<'_, PyCapsule>, Bound<'_, PyCapsule>) = called(&method, parameter)?.extract()?;
    single(&schema, &array, parameter).map(Some)
}

/// What an object exports. Some libraries tell only then that the values of a column have several types.
fn called<'py>(method: &Bound<'py, PyAny>, parameter: &str) -> PyResult<Bound<'py, PyAny>> {
    let py = method.py();
    method.call0().map_err(|problem| untyped(py, parameter, problem))
}

/// The error of values that have no one type; any other as it is.
pub fn untyped(py: Python<'_>, parameter: &str, problem: PyErr) -> PyErr {
    if !problem.is_instance_of::<PyTypeError>(py) && !problem.is_instance_of::<PyValueError>(py) {
        return problem;
    }
    let wrong = PyTypeError::new_err(format!("{parameter}: it has no one type for Arrow: {}", problem.value(py)));
    wrong.set_cause(py, Some(problem));
    wrong
}

fn stream(capsule: &Bound<'_, PyCapsule>, parameter: &str) -> PyResult<Arrays> {
    let pointer = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: by the interface, a capsule of this name holds a stream that lives as long as the capsule, which is borrowed
    // here, and the interpreter's lock keeps other threads from it. `from_raw` moves it out and leaves a released one.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let reader = ArrayStreamReader::try_new(stream).map_err(|problem| error::arrow(parameter, problem))?;
    Ok(Arrays { field: Arc::clone(reader.field()), chunks: Box::new(reader) })
}

fn single(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>, parameter: &str) -> PyResult<Arrays> {
    let schema = schema.pointer_checked(Some(SCHEMA))?.cast::<FFI_ArrowSchema>();
    let array = array.pointer_checked(Some(ARRAY))?.cast::<FFI_ArrowArray>();
    // SAFETY: as above; the schema is only read, and the parts read are copied.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    let wrong = |problem| error::arrow(parameter, problem);
    let field: FieldRef = Arc::new(schema.try_into().map_err(wrong)?);
    // SAFETY: by the interface, the array has this schema.
    let data = unsafe { ffi::from_ffi(array, schema) }.map_err(wrong)?;
    Ok(Arrays { field, chunks: Box::new(std::iter::once(Ok(make_array(data)))) })
}

/// A capsule with a stream of these batches.
pub fn of_batches<'py>(
    py: Python<'py>,
    schema: SchemaRef,
    batches: Vec<RecordBatch>,
) -> PyResult<Bound<'py, PyCapsule>> {
    of_stream(py, schema, batches.into_iter().map(Ok))
}

/// A capsule with a stream of the batches that an iterator makes when they are read.
pub fn of_stream<'py>(
    py: Python<'py>,
    schema: SchemaRef,
    batches: impl Iterator<Item = Result<RecordBatch, ArrowError>> + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    let reader = RecordBatchIterator::new(batches, schema);
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(Box::new(reader)), STREAM)
}
