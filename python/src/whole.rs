//! Whole numbers and times in columns of any type of number.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{
    Decimal32Type, Decimal64Type, Decimal128Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType, UInt8Type,
    UInt16Type, UInt32Type, UInt64Type,
};
use arrow_schema::{DataType, TimeUnit};
use robosieve::python_package::time_of_number;

/// Whether values of this type are numbers, of which whole ones are integers.
pub fn is_number(kind: &DataType) -> bool {
    kind.is_integer() || matches!(kind, DataType::Float32 | DataType::Float64)
}

/// Whether values of this type are times: numbers of seconds, or time stamps.
pub fn is_time(kind: &DataType) -> bool {
    use DataType::{Decimal32, Decimal64, Decimal128, Timestamp};
    is_number(kind) || matches!(kind, Timestamp(..) | Decimal32(..) | Decimal64(..) | Decimal128(..))
}

/// The integer in a row. pandas has integers beside nulls as floating-point numbers, which are whole.
pub fn whole(array: &ArrayRef, row: usize) -> Option<i64> {
    let float = float(array, row);
    let of_float = |float: f64| (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64);
    float.map_or_else(|| integer(array, row), of_float)
}

/// The time in a row, in seconds of Unix time: the second that began. An error says what is wrong with it.
pub fn second(array: &ArrayRef, row: usize) -> Result<i64, String> {
    if let Some(seconds) = float(array, row) {
        return time_of_number(seconds);
    }
    let (units, in_a_second) = match array.data_type() {
        DataType::Timestamp(TimeUnit::Second, _) => (array.as_primitive::<TimestampSecondType>().value(row).into(), 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            (array.as_primitive::<TimestampMillisecondType>().value(row).into(), 1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            (array.as_primitive::<TimestampMicrosecondType>().value(row).into(), 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            (array.as_primitive::<TimestampNanosecondType>().value(row).into(), 1_000_000_000)
        }
        DataType::Decimal32(_, places) => (array.as_primitive::<Decimal32Type>().value(row).into(), ten_to(*places)),
        DataType::Decimal64(_, places) => (array.as_primitive::<Decimal64Type>().value(row).into(), ten_to(*places)),
        DataType::Decimal128(_, places) => (array.as_primitive::<Decimal128Type>().value(row), ten_to(*places)),
        _ => (i128::from(integer(array, row).unwrap_or(i64::MAX)), 1),
    };
    Ok(i64::try_from(units.div_euclid(in_a_second)).unwrap_or(if units < 0 { i64::MIN } else { i64::MAX }))
}

/// How many units of a decimal number with these places behind the point make a whole one.
fn ten_to(places: i8) -> i128 {
    u32::try_from(places).ok().and_then(|places| 10_i128.checked_pow(places)).unwrap_or(i128::MAX)
}

/// The floating-point number in a row, if the column has such.
fn float(array: &ArrayRef, row: usize) -> Option<f64> {
    match array.data_type() {
        DataType::Float32 => Some(array.as_primitive::<Float32Type>().value(row).into()),
        DataType::Float64 => Some(array.as_primitive::<Float64Type>().value(row)),
        _ => None,
    }
}

/// The integer in a row of integers; `None` if it is beyond 64 bits with a sign, or the column has others.
fn integer(array: &ArrayRef, row: usize) -> Option<i64> {
    Some(match array.data_type() {
        DataType::Int8 => array.as_primitive::<Int8Type>().value(row).into(),
        DataType::Int16 => array.as_primitive::<Int16Type>().value(row).into(),
        DataType::Int32 => array.as_primitive::<Int32Type>().value(row).into(),
        DataType::Int64 => array.as_primitive::<Int64Type>().value(row),
        DataType::UInt8 => array.as_primitive::<UInt8Type>().value(row).into(),
        DataType::UInt16 => array.as_primitive::<UInt16Type>().value(row).into(),
        DataType::UInt32 => array.as_primitive::<UInt32Type>().value(row).into(),
        DataType::UInt64 => array.as_primitive::<UInt64Type>().value(row).try_into().ok()?,
        _ => return None,
    })
}
