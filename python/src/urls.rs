//! Turns URLs in any form into columns of bytes, without copying those of Arrow arrays.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{GenericBinaryType, GenericStringType};
use arrow_array::{Array, ArrayRef, BinaryViewArray, GenericByteArray, LargeBinaryArray, OffsetSizeTrait};
use arrow_array::{BinaryArray, builder::LargeBinaryBuilder};
use arrow_buffer::NullBuffer;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Fields};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::capsule::{self, Arrays};
use crate::error;

/// The types that can be judged.
const WANTED: &str = "expected an Arrow array or stream of string, large_string, string_view, binary or dictionaries of them \
                      (pyarrow, polars, pandas, DuckDB), or a list of str or bytes";

/// The URLs of one chunk, as rows: the bytes of each, and which are null.
pub struct Column {
    pub texts: Texts,
    /// For each row, the index of its text, if the texts are the values of a dictionary.
    pub keys: Option<Vec<usize>>,
    pub nulls: Option<NullBuffer>,
    pub rows: usize,
}

/// The bytes of URLs.
pub enum Texts {
    Short(BinaryArray),
    Long(LargeBinaryArray),
    Views(BinaryViewArray),
}

impl Texts {
    /// The number of texts.
    pub fn len(&self) -> usize {
        match self {
            Texts::Short(array) => array.len(),
            Texts::Long(array) => array.len(),
            Texts::Views(array) => array.len(),
        }
    }

    /// The text at an index; of a null the bytes are arbitrary, or none.
    pub fn get(&self, at: usize) -> &[u8] {
        match self {
            Texts::Short(array) => array.value(at),
            Texts::Long(array) => array.value(at),
            Texts::Views(array) if array.is_null(at) => b"",
            Texts::Views(array) => array.value(at),
        }
    }

    fn of(array: &ArrayRef) -> Option<Texts> {
        Some(match array.data_type() {
            DataType::Utf8 => Texts::Short(bytes(array.as_string())),
            DataType::Binary => Texts::Short(array.as_binary().clone()),
            DataType::LargeUtf8 => Texts::Long(bytes(array.as_string())),
            DataType::LargeBinary => Texts::Long(array.as_binary().clone()),
            DataType::Utf8View => Texts::Views(array.as_string_view().clone().to_binary_view()),
            DataType::BinaryView => Texts::Views(array.as_binary_view().clone()),
            _ => return None,
        })
    }
}

fn bytes<O: OffsetSizeTrait>(array: &GenericByteArray<GenericStringType<O>>) -> GenericByteArray<GenericBinaryType<O>> {
    let (offsets, values, nulls) = array.clone().into_parts();
    GenericByteArray::new(offsets, values, nulls)
}

impl Column {
    /// The URL of a row, or the arbitrary bytes of a null.
    pub fn get(&self, row: usize) -> &[u8] {
        self.texts.get(self.keys.as_ref().map_or(row, |keys| keys[row]))
    }

    fn of(array: &ArrayRef) -> Option<Column> {
        let (rows, nulls) = (array.len(), array.logical_nulls());
        if *array.data_type() == DataType::Null {
            return Some(Column { texts: Texts::Short(BinaryArray::new_null(rows)), keys: None, nulls, rows });
        }
        let Some(dictionary) = array.as_any_dictionary_opt() else {
            return Some(Column { texts: Texts::of(array)?, keys: None, nulls, rows });
        };
        let texts = Texts::of(dictionary.values())?;
        if texts.len() == 0 {
            return Some(Column { texts: Texts::Short(BinaryArray::new_null(rows)), keys: None, nulls, rows });
        }
        let keys = dictionary.normalized_keys();
        // For a few rows of a long dictionary, judging all its values would be wasteful.
        if texts.len() > rows {
            let texts = Texts::Long(LargeBinaryArray::from_iter_values(keys.iter().map(|&key| texts.get(key))));
            return Some(Column { texts, keys: None, nulls, rows });
        }
        Some(Column { texts, keys: Some(keys), nulls, rows })
    }
}

/// Columns of URLs, chunk by chunk.
pub type Columns = Box<dyn Iterator<Item = Result<Column, ArrowError>> + Send>;

/// The URLs of an object; for a table, those of the column with this name, or of its only column.
pub fn columns(object: &Bound<'_, PyAny>, name: Option<&str>) -> PyResult<Columns> {
    let Some(Arrays { field, chunks }) = capsule::arrays(object)? else {
        let listed: ArrayRef = Arc::new(listed(object)?);
        let column = Column::of(&listed).expect("bytes");
        return Ok(Box::new(std::iter::once(Ok(column))));
    };
    let (place, field) = match field.data_type() {
        DataType::Struct(fields) => {
            let place = chosen(fields, name)?;
            (Some(place), Arc::clone(&fields[place]))
        }
        _ => (None, field),
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

fn is_text(kind: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    match kind {
        Dictionary(_, values) => !matches!(**values, Dictionary(..) | Null) && is_text(values),
        kind => matches!(kind, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null),
    }
}

/// The index of the chosen column.
fn chosen(fields: &Fields, name: Option<&str>) -> PyResult<usize> {
    let names = || fields.iter().map(|field: &FieldRef| Field::name(field).as_str()).collect::<Vec<_>>().join(", ");
    match (name, fields.len()) {
        (Some(name), _) => match fields.find(name) {
            Some((place, _)) => Ok(place),
            None => {
                Err(error::parameter("column", format!("there is no column {name:?}; the columns are {}", names())))
            }
        },
        (None, 1) => Ok(0),
        (None, _) => Err(error::parameter("column", format!("the table has several ({}); name one", names()))),
    }
}

/// The URLs of a list, copied.
fn listed(object: &Bound<'_, PyAny>) -> PyResult<LargeBinaryArray> {
    let wrong = |what: String| PyTypeError::new_err(format!("urls: {what}; {WANTED}"));
    let kind = |object: &Bound<'_, PyAny>| Ok::<_, PyErr>(object.get_type().name()?.to_string());
    if object.is_instance_of::<PyString>() || object.is_instance_of::<PyBytes>() {
        return Err(wrong("it is a single string".to_owned()));
    }
    let Ok(items) = object.try_iter() else { return Err(wrong(format!("it is of type {}", kind(object)?))) };
    let mut builder = LargeBinaryBuilder::new();
    for (at, item) in items.enumerate() {
        let item = item?;
        if item.is_none() {
            builder.append_null();
        } else if let Ok(bytes) = item.cast::<PyBytes>() {
            builder.append_value(bytes.as_bytes());
        } else if let Ok(text) = item.cast::<PyString>() {
            append(text, &mut builder)?;
        } else {
            return Err(wrong(format!("item {at} is of type {}", kind(&item)?)));
        }
    }
    Ok(builder.finish())
}

/// Appends a text; bytes that Python decoded as `surrogateescape` are restored.
fn append(text: &Bound<'_, PyString>, builder: &mut LargeBinaryBuilder) -> PyResult<()> {
    if let Ok(text) = text.to_str() {
        builder.append_value(text);
        return Ok(());
    }
    let encoded = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
    builder.append_value(encoded.cast::<PyBytes>()?.as_bytes());
    Ok(())
}
