//! The values of one column, row by row: texts, integers, and times in whatever form a file has them.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type, TimestampSecondType};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::schema::types::{ColumnDescriptor, SchemaDescriptor};

use super::columnar::{Malformed, leaf};
use super::time_text;

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ValueKind {
    /// Bytes or text.
    Text,
    Integer,
    /// Times, also as numbers or text.
    Time,
}

/// A column with one value in a row, or none.
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
    pub fn new(schema: &SchemaDescriptor, number: usize, kind: ValueKind) -> Result<ValueColumn, Malformed> {
        let column = schema.column(number);
        let name = column.path().string();
        if column.max_rep_level() > 0 {
            return Err(Malformed(format!("its column {name:?} has several values per row")));
        }
        let (fits, wanted) = match (kind, column.physical_type()) {
            (ValueKind::Time, PhysicalType::FLOAT | PhysicalType::DOUBLE) => (true, ""),
            (
                _,
                PhysicalType::BOOLEAN | PhysicalType::FLOAT | PhysicalType::DOUBLE | PhysicalType::FIXED_LEN_BYTE_ARRAY,
            ) => (false, "bytes, text, integers or times"),
            // Their numbers count days, or begin with each day.
            (ValueKind::Time, _) if is_date_or_time_of_day(&column) => (false, "times with a date, seconds, or text"),
            (ValueKind::Text, stored) => (stored == PhysicalType::BYTE_ARRAY, "bytes or text"),
            (ValueKind::Integer, stored) => (matches!(stored, PhysicalType::INT32 | PhysicalType::INT64), "integers"),
            (ValueKind::Time, _) => (true, ""),
        };
        if !fits {
            return Err(Malformed(format!("its column {name:?} does not hold {wanted}")));
        }
        let path = column.path().parts().to_vec();
        Ok(ValueColumn { number, path, units_in_a_second: units_in_a_second(&column) })
    }

    pub fn number(&self) -> usize {
        self.number
    }

    /// The values of the column, if this row has one.
    fn values_with<'b>(&self, batch: &'b RecordBatch, row: usize) -> Option<&'b ArrayRef> {
        leaf(batch, &self.path).filter(|values| values.is_valid(row))
    }

    /// The bytes of a row.
    pub fn text<'b>(&self, batch: &'b RecordBatch, row: usize) -> Option<&'b [u8]> {
        Some(self.values_with(batch, row)?.as_binary_view_opt()?.value(row))
    }

    pub fn integer(&self, batch: &RecordBatch, row: usize) -> Option<i64> {
        let values = self.values_with(batch, row)?;
        match values.data_type() {
            DataType::Int32 => Some(values.as_primitive::<Int32Type>().value(row).into()),
            DataType::Int64 => Some(values.as_primitive::<Int64Type>().value(row)),
            _ => None,
        }
    }

    /// The time of a row, in seconds of Unix time, or what is wrong with it.
    pub fn time(&self, batch: &RecordBatch, row: usize) -> Option<Result<i64, String>> {
        if let Some(text) = self.text(batch, row) {
            return Some(time_text::parse(&String::from_utf8_lossy(text)));
        }
        let values = self.values_with(batch, row)?;
        match values.data_type() {
            DataType::Float32 => return Some(time_text::float(values.as_primitive::<Float32Type>().value(row).into())),
            DataType::Float64 => return Some(time_text::float(values.as_primitive::<Float64Type>().value(row))),
            _ => {}
        }
        let seconds = values.as_primitive_opt::<TimestampSecondType>().map(|seconds| seconds.value(row));
        let units = || self.integer(batch, row).map(|units| units.div_euclid(self.units_in_a_second));
        seconds.or_else(units).map(Ok)
    }
}

/// How many units of an integer column make a second.
fn units_in_a_second(column: &ColumnDescriptor) -> i64 {
    match (column.logical_type_ref(), column.converted_type()) {
        (Some(LogicalType::Timestamp(time)), _) => match time.unit {
            ParquetUnit::MILLIS => 1_000,
            ParquetUnit::MICROS => 1_000_000,
            ParquetUnit::NANOS => 1_000_000_000,
        },
        (None, ConvertedType::TIMESTAMP_MILLIS) => 1_000,
        (None, ConvertedType::TIMESTAMP_MICROS) => 1_000_000,
        // Decimal numbers of seconds.
        (Some(LogicalType::Decimal(decimal)), _) => units_of(decimal.scale),
        (None, ConvertedType::DECIMAL) => units_of(column.type_scale()),
        _ => 1,
    }
}

/// How many units of a decimal number with these places behind the point make a whole one.
fn units_of(scale: i32) -> i64 {
    u32::try_from(scale).ok().and_then(|scale| 10_i64.checked_pow(scale)).unwrap_or(i64::MAX)
}

fn is_date_or_time_of_day(column: &ColumnDescriptor) -> bool {
    let types = (column.logical_type_ref(), column.converted_type());
    matches!(types, (Some(LogicalType::Date | LogicalType::Time(_)), _))
        || matches!(types.1, ConvertedType::DATE | ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS)
}
