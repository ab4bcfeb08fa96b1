//! Whole numbers in columns of any type of number.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, TimestampMicrosecondType,
    TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};

/// Whether values of this type are numbers, of which whole ones are integers.
pub fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64)
}

/// The integer in a row; of a time stamp, the second. pandas has integers beside nulls as floating-point numbers, which are whole.
pub fn whole(array: &ArrayRef, row: usize) -> Option<i64> {
    let of_float = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
    Some(match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).try_into().ok()?,
        DataType::Float32 => of_float(array.as_primitive::<Float32Type>().value(row).into())?,
        DataType::Float64 => of_float(array.as_primitive::<Float64Type>().value(row))?,
        DataType::Timestamp(TimeUnit::Second, _) => array.as_primitive::<TimestampSecondType>().value(row),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            array.as_primitive::<TimestampMillisecondType>().value(row).div_euclid(1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            array.as_primitive::<TimestampMicrosecondType>().value(row).div_euclid(1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            array.as_primitive::<TimestampNanosecondType>().value(row).div_euclid(1_000_000_000)
        }
        _ => return None,
    })
}
