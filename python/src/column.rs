//! A column of URLs: the bytes of each row, in any type that Arrow has for text, and which column of a table it is.

use arrow_array::cast::AsArray;
use arrow_array::types::{GenericBinaryType, GenericStringType};
use arrow_array::{Array, ArrayRef, BinaryArray, BinaryViewArray, GenericByteArray, LargeBinaryArray, OffsetSizeTrait};
use arrow_buffer::NullBuffer;
use arrow_schema::DataType;
use pyo3::prelude::*;

use crate::error;

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

    /// The URL of a row, unless it is null.
    pub fn value(&self, row: usize) -> Option<&[u8]> {
        self.nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row)).then(|| self.get(row))
    }

    /// The texts of an array; `None` if it is of another type.
    pub fn of(array: &ArrayRef) -> Option<Column> {
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

/// Whether an array of this type is a [`Column`].
pub fn is_text(kind: &DataType) -> bool {
    use DataType::{Binary, BinaryView, Dictionary, LargeBinary, LargeUtf8, Null, Utf8, Utf8View};
    match kind {
        Dictionary(_, values) => !matches!(**values, Dictionary(..) | Null) && is_text(values),
        kind => matches!(kind, Utf8 | LargeUtf8 | Utf8View | Binary | LargeBinary | BinaryView | Null),
    }
}

/// The index of the chosen column.
pub fn chosen<'n>(names: impl Iterator<Item = &'n str>, name: Option<&str>) -> PyResult<usize> {
    let names: Vec<&str> = names.collect();
    let places: Vec<usize> = (0..names.len()).filter(|&at| name.is_none_or(|name| names[at] == name)).collect();
    let all = || names.join(", ");
    match (name, &places[..]) {
        (_, [only]) => Ok(*only),
        (Some(name), []) => {
            Err(error::parameter("column", format!("there is no column {name:?}; the columns are {}", all())))
        }
        (Some(name), _) => Err(error::parameter("column", format!("the table has several that are called {name:?}"))),
        (None, []) => Err(error::parameter("column", "the table has none")),
        (None, _) => Err(error::parameter("column", format!("the table has several ({}); name one", all()))),
    }
}

/// Refuses the name of a column of what has none.
pub fn refused(name: Option<&str>) -> PyResult<()> {
    match name {
        None => Ok(()),
        Some(name) => {
            Err(error::parameter("column", format!("{name:?} is given, but the URLs are one column, not a table")))
        }
    }
}
