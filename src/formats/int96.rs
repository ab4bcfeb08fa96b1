//! Times in INT96, the old format of Parquet, which become numbers in 64 bits.
//!
//! In a file of Spark they become what Spark itself writes if it does not write INT96: its times are whole microseconds, and it reads no
//! nanoseconds. Of other files nothing is known, so they become nanoseconds.

use arrow_schema::TimeUnit;
use parquet::basic::{LogicalType, TimeUnit as ParquetUnit, Type as PhysicalType};
use parquet::data_type::Int96;
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};
use std::sync::Arc;

/// The unit that times become numbers of.
pub(super) fn unit(is_of_spark: bool) -> TimeUnit {
    if is_of_spark { TimeUnit::Microsecond } else { TimeUnit::Nanosecond }
}

/// The problem with one of these times, if it cannot become a number.
pub(super) fn problem(times: &[Int96], is_of_spark: bool) -> Option<&'static str> {
    let (units, too_far) = match is_of_spark {
        true => (1_000_000, "has a time that microseconds in 64 bits cannot hold"),
        false => (1_000_000_000, "has a time that nanoseconds in 64 bits cannot hold (years 1677 to 2262)"),
    };
    let is_too_far = |seconds: i64| seconds.checked_add(1).and_then(|seconds| seconds.checked_mul(units)).is_none();
    if times.iter().any(|time| is_too_far(time.to_seconds())) {
        return Some(too_far);
    }
    // Days are whole microseconds, also where the number of nanoseconds wraps around.
    let is_too_fine =
        |time: &Int96| is_of_spark && time.to_nanos().wrapping_sub(time.to_micros().wrapping_mul(1000)) != 0;
    times.iter().any(is_too_fine).then_some("has a time that is no whole microsecond, as the times of Spark are")
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
        // A Julian day, and nanoseconds of it.
        let time = |day: u32, nanoseconds: u64| {
            let mut time = Int96::new();
            time.set_data(nanoseconds as u32, (nanoseconds >> 32) as u32, day);
            time
        };
        let found = |times: &[Int96], is_of_spark| problem(times, is_of_spark).unwrap_or_default();
        let (in_1970, in_2286, in_3000) = (time(2_440_588, 0), time(2_556_329, 0), time(2_816_788, 1000));
        assert_eq!(found(&[in_1970, time(2_440_587, 999)], false), "");
        assert!(found(&[in_1970, in_2286], false).contains("nanoseconds in 64 bits"));
        // The nanoseconds of the year 3000 wrap around.
        assert_eq!(found(&[in_1970, in_2286, in_3000], true), "");
        assert!(found(&[in_1970, time(2_816_788, 1001)], true).contains("no whole microsecond"));
        assert!(found(&[time(i32::MAX as u32, 1)], true).contains("microseconds in 64 bits"));
    }
}
