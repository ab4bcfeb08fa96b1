//! The values of a column of a known kind, row by row.

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, TimestampSecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as PhysicalType};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::Malformed;
use crate::formats::time;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Bytes or text.
    Text,
    Integer,
    /// Times, also as integers or text.
    Time,
}

/// A column of a file.
pub(crate) struct ValueColumn {
    number: usize,
    path: Vec<String>,
    units_in_a_second: i64,
}

impl ValueColumn {
    /// The column with this number.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if it has several values per row, or values of another kind.
    pub fn new(schema: &SchemaDescriptor, number: usize, kind: Kind) -> Result<ValueColumn, Malformed> {
        let column = schema.column(number);
        let name = column.path().string();
        if column.max_rep_level() > 0 {
            return Err(Malformed(format!("its column {name:?} has several values per row")));
        }
        let (fits, wanted) = match (kind, column.physical_type()) {
            (
                _,
                PhysicalType::BOOLEAN | PhysicalType::FLOAT | PhysicalType::DOUBLE | PhysicalType::FIXED_LEN_BYTE_ARRAY,
            ) => (false, "bytes, text, integers or times"),
            (Kind::Text, stored) => (stored == PhysicalType::BYTE_ARRAY, "bytes or text"),
            (Kind::Integer, stored) => (matches!(stored, PhysicalType::INT32 | PhysicalType::INT64), "integers"),
            (Kind::Time, _) => (true, ""),
        };
        if !fits {
            return Err(Malformed(format!("its column {name:?} does not hold {wanted}")));
        }
        let path = column.path().parts().to_vec();
        Ok(ValueColumn { number, path, units_in_a_second: units_in_a_second(&column) })
    }

    /// Its number in the file.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The values, if there is one in this row.
    fn of<'b>(&self, batch: &'b RecordBatch, row: usize) -> Option<&'b ArrayRef> {
        leaf(batch, &self.path).filter(|values| values.is_valid(row))
    }

    /// The bytes of a row.
    pub fn text<'b>(&self, batch: &'b RecordBatch, row: usize) -> Option<&'b [u8]> {
        Some(self.of(batch, row)?.as_binary_view_opt()?.value(row))
    }

    pub fn integer(&self, batch: &RecordBatch, row: usize) -> Option<i64> {
        let values = self.of(batch, row)?;
        match values.data_type() {
            DataType::Int32 => Some(values.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Some(values.as_primitive::<Int64Type>().value(row)),
            _ => None,
        }
    }

    /// The time of a row, in seconds of Unix time, or what is wrong with a text.
    pub fn time(&self, batch: &RecordBatch, row: usize) -> Option<Result<i64, String>> {
        if let Some(text) = self.text(batch, row) {
            return Some(time::parse(&String::from_utf8_lossy(text)));
        }
        let values = self.of(batch, row)?;
        let seconds = values.as_primitive_opt::<TimestampSecondType>().map(|seconds| seconds.value(row));
        let units = || self.integer(batch, row).map(|units| units.div_euclid(self.units_in_a_second));
        seconds.or_else(units).map(Ok)
    }
}

/// How many units of an integer column make a second.
fn units_in_a_second(column: &ColumnDescriptor) -> i64 {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => match time.unit {
            TimeUnit::MILLIS => 1_000,
            TimeUnit::MICROS => 1_000_000,
            TimeUnit::NANOS => 1_000_000_000,
        },
        (None, ConvertedType::TIMESTAMP_MILLIS) => 1_000,
        (None, ConvertedType::TIMESTAMP_MICROS) => 1_000_000,
        _ => 1,
    }
}

/// The column at this path; `None` if there is none, or if it is in a list.
pub(crate) fn leaf<'b>(batch: &'b RecordBatch, path: &[String]) -> Option<&'b ArrayRef> {
    let (root, inner) = path.split_first()?;
    let root = batch.column_by_name(root)?;
    inner.iter().try_fold(root, |group, name| group.as_struct_opt()?.column_by_name(name))
}

/// Calls `visit` with the values in an array, in the order of the columns of the file. Of a list, those of all its elements.
pub(crate) fn leaves(array: &ArrayRef, visit: &mut impl FnMut(&ArrayRef)) {
    match array.data_type() {
        DataType::Struct(_) => array.as_struct().columns().iter().for_each(|column| leaves(column, visit)),
        DataType::List(_) => leaves(&elements(array), visit),
        _ => visit(array),
    }
}

/// The elements of an array of lists.
pub(crate) fn elements(array: &ArrayRef) -> ArrayRef {
    let lists = array.as_list::<i32>();
    let (first, end) = (lists.value_offsets()[0], lists.value_offsets()[lists.len()]);
    lists.values().slice(first as usize, (end - first) as usize)
}
