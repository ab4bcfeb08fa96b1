//! Arrow's C data interface as Python objects expose it: capsules with a schema and an array, or with a stream.
//!
//! <https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html>

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::ffi::{self, FFI_ArrowArray, FFI_ArrowSchema};
use arrow_array::ffi_stream::{ArrayStreamReader, FFI_ArrowArrayStream};
use arrow_array::{Array, ArrayReader, ArrayRef, RecordBatch, RecordBatchIterator, StructArray, make_array};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, FieldRef, Fields, SchemaRef};
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
        let exported = called(&method, parameter)?;
        let capsule =
            exported.cast::<PyCapsule>().map_err(|problem| error::named(object.py(), parameter, problem.into()))?;
        return stream(capsule, parameter).map(Some);
    }
    let Some(method) = object.getattr_opt("__arrow_c_array__")? else { return Ok(None) };
    let exported: PyResult<(Bound<'_, PyCapsule>, Bound<'_, PyCapsule>)> = called(&method, parameter)?.extract();
    let (schema, array) = exported.map_err(|problem| error::named(object.py(), parameter, problem))?;
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

/// What a capsule of this name holds.
fn pointer(capsule: &Bound<'_, PyCapsule>, name: &CStr, parameter: &str) -> PyResult<NonNull<c_void>> {
    capsule.pointer_checked(Some(name)).map_err(|problem| error::named(capsule.py(), parameter, problem))
}

fn stream(capsule: &Bound<'_, PyCapsule>, parameter: &str) -> PyResult<Arrays> {
    let pointer = pointer(capsule, STREAM, parameter)?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: by the interface, a capsule of this name holds a stream that lives as long as the capsule, which is borrowed
    // here, and the interpreter's lock keeps other threads from it. `from_raw` moves it out and leaves a released one.
    let stream = unsafe { FFI_ArrowArrayStream::from_raw(pointer.as_ptr()) };
    let reader = ArrayStreamReader::try_new(stream).map_err(|problem| error::arrow(parameter, problem))?;
    Ok(Arrays { field: Arc::clone(reader.field()), chunks: Box::new(reader.map(|chunk| chunk.and_then(with_nulls))) })
}

fn single(schema: &Bound<'_, PyCapsule>, array: &Bound<'_, PyCapsule>, parameter: &str) -> PyResult<Arrays> {
    let schema = pointer(schema, SCHEMA, parameter)?.cast::<FFI_ArrowSchema>();
    let array = pointer(array, ARRAY, parameter)?.cast::<FFI_ArrowArray>();
    // SAFETY: as above; the schema is only read, and the parts read are copied.
    let (schema, array) = unsafe { (schema.as_ref(), FFI_ArrowArray::from_raw(array.as_ptr())) };
    let wrong = |problem| error::arrow(parameter, problem);
    let field: FieldRef = Arc::new(schema.try_into().map_err(wrong)?);
    // SAFETY: by the interface, the array has this schema.
    let data = unsafe { ffi::from_ffi(array, schema) }.map_err(wrong)?;
    Ok(Arrays { field, chunks: Box::new(std::iter::once(with_nulls(make_array(data)))) })
}

/// A chunk in whose columns the rows are null that are null as a whole: a column does not know of the nulls of its table.
fn with_nulls(chunk: ArrayRef) -> Result<ArrayRef, ArrowError> {
    let Some(rows) = chunk.as_struct_opt() else { return Ok(chunk) };
    let Some(nulls) = rows.nulls().filter(|nulls| nulls.null_count() > 0) else { return Ok(chunk) };
    let column = |column: &ArrayRef| {
        // Types without a bitmap of nulls, which neither URLs nor answers have.
        if matches!(column.data_type(), DataType::Null | DataType::Union(..) | DataType::RunEndEncoded(..)) {
            return Ok(Arc::clone(column));
        }
        let both = NullBuffer::union(column.nulls(), Some(nulls));
        column.to_data().into_builder().nulls(both).build().map(make_array)
    };
    let columns = rows.columns().iter().map(column).collect::<Result<_, _>>()?;
    let fields: Fields = rows.fields().iter().map(|field| field.as_ref().clone().with_nullable(true)).collect();
    StructArray::try_new(fields, columns, Some(nulls.clone())).map(|rows| Arc::new(rows) as ArrayRef)
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
