//! Times in INT96, the old format of Parquet, which become numbers in 64 bits.
//!
//! In a file of Spark they become what Spark itself writes if it does not write INT96: its times are whole microseconds, and it reads no
//! nanoseconds. Of other files nothing is known, so they become nanoseconds.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use arrow_array::types::{TimestampMicrosecondType, TimestampNanosecondType, TimestampSecondType};
use arrow_schema::{DataType, TimeUnit};
use parquet::basic::{LogicalType, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// The unit that times become numbers of.
pub(super) fn unit(is_of_spark: bool) -> TimeUnit {
    if is_of_spark { TimeUnit::Microsecond } else { TimeUnit::Nanosecond }
}

/// The numbers of a column that was in INT96, without nulls; `None` if it is another column.
pub(super) fn numbers(values: &ArrayRef) -> Option<Vec<i64>> {
    let DataType::Timestamp(unit, _) = values.data_type() else { return None };
    Some(match unit {
        TimeUnit::Second => values.as_primitive::<TimestampSecondType>().iter().flatten().collect(),
        TimeUnit::Microsecond => values.as_primitive::<TimestampMicrosecondType>().iter().flatten().collect(),
        TimeUnit::Nanosecond => values.as_primitive::<TimestampNanosecondType>().iter().flatten().collect(),
        TimeUnit::Millisecond => return None,
    })
}

/// The place of the first of these columns with a time that does not fit, given in seconds, and the problem.
pub(super) fn too_far(columns: &[Vec<i64>], is_of_spark: bool) -> Option<(usize, &'static str)> {
    let (units, problem) = match is_of_spark {
        true => (1_000_000, "has a time that microseconds in 64 bits cannot hold"),
        false => (1_000_000_000, "has a time that nanoseconds in 64 bits cannot hold (years 1677 to 2262)"),
    };
    let is_too_far = |seconds: &i64| seconds.checked_add(1).and_then(|seconds| seconds.checked_mul(units)).is_none();
    columns.iter().position(|column| column.iter().any(is_too_far)).map(|place| (place, problem))
}

/// The place of the first of these columns with a time that is no whole microsecond, and the problem. Numbers of nanoseconds may have
/// wrapped around, and so do the differences.
pub(super) fn too_fine(nanoseconds: &[Vec<i64>], microseconds: &[Vec<i64>]) -> Option<(usize, &'static str)> {
    let is_finer = |(finer, read): (&i64, &i64)| finer.wrapping_sub(read.wrapping_mul(1000)) != 0;
    let place = nanoseconds.iter().zip(microseconds).position(|(finer, read)| finer.iter().zip(read).any(is_finer));
    place.map(|place| (place, "has a time that is no whole microsecond, as the times of Spark are"))
}

/// A part of a schema, in which times in INT96 are numbers.
pub(super) fn written(part: &TypePtr, is_of_spark: bool) -> Result<TypePtr, ParquetError> {
    let repetition = part.get_basic_info().repetition();
    match part.as_ref() {
        Type::GroupType { basic_info, fields } => {
            let written = fields.iter().map(|field| written(field, is_of_spark)).collect::<Result<Vec<_>, _>>()?;
            if written == *fields {
                return Ok(Arc::clone(part));
            }
            let group = Type::group_type_builder(part.name()).with_repetition(repetition).with_fields(written);
            let group = group.with_logical_type(basic_info.logical_type_ref().cloned());
            let id = basic_info.has_id().then(|| basic_info.id());
            Ok(Arc::new(group.with_converted_type(basic_info.converted_type()).with_id(id).build()?))
        }
        Type::PrimitiveType { basic_info, physical_type: PhysicalType::INT96, .. } => {
            let time = match is_of_spark {
                true => LogicalType::timestamp(true, ParquetUnit::MICROS),
                false => LogicalType::timestamp(false, ParquetUnit::NANOS),
            };
            let column = Type::primitive_type_builder(part.name(), PhysicalType::INT64).with_repetition(repetition);
            let id = basic_info.has_id().then(|| basic_info.id());
            Ok(Arc::new(column.with_logical_type(Some(time)).with_id(id).build()?))
        }
        Type::PrimitiveType { .. } => Ok(Arc::clone(part)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_that_do_not_fit_are_found() {
        let seconds = vec![vec![0, -1], vec![], vec![7, 10_000_000_000]];
        assert_eq!(too_far(&seconds, false).map(|(place, _)| place), Some(2), "the year 2286");
        assert_eq!(too_far(&seconds, true), None);
        assert_eq!(too_far(&[vec![i64::MAX / 1_000_000]], true).map(|(place, _)| place), Some(0));
        // The year 3000, whose nanoseconds wrap around.
        let far = 32_503_680_000_000_001_i64;
        let nanoseconds = |more| vec![vec![-1000], vec![far.wrapping_mul(1000).wrapping_add(more)]];
        let microseconds = [vec![-1], vec![far]];
        assert_eq!(too_fine(&nanoseconds(0), &microseconds), None);
        assert_eq!(too_fine(&nanoseconds(1), &microseconds).map(|(place, _)| place), Some(1));
    }
}
