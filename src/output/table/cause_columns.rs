//! The values of the [columns](super::schema) that show what blocked a line. They are null if nothing did, if no rule decided,
//! or if it is not known.
//!
//! Rules are text here. Bytes that are not UTF-8 are percent-encoded, as in the column of URLs.

use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use std::rc::Rc;

use super::sorting::FileSlot;
use super::text::as_utf8;
use crate::formats::columnar::Malformed;
use crate::output::causes::{CauseText, ChunkCauses};

/// Writes the columns of causes of a file's rows.
pub(super) fn write(slot: &mut FileSlot<'_>, crawler: usize, causes: &mut ChunkCauses<'_>) -> Result<(), Malformed> {
    let mut of = |row| causes.of(crawler, row);
    column::<ByteArrayType>(slot, &mut of, |cause| {
        let (text, _) = cause.rule.as_ref()?;
        Some(ByteArray::from(as_utf8(text).into_bytes()))
    })?;
    column::<Int32Type>(slot, &mut of, |cause| {
        let (_, line) = cause.rule.as_ref()?;
        // Null if the line number does not fit the type, as in a robots.txt of 2 GiB.
        i32::try_from(*line).ok()
    })?;
    column::<ByteArrayType>(slot, &mut of, |cause| Some(ByteArray::from(cause.agent.as_deref()?)))?;
    // Null if the time in milliseconds overflows.
    column::<Int64Type>(slot, &mut of, |cause| cause.captured?.checked_mul(1000))
}

/// Writes the next column.
fn column<T: DataType>(
    slot: &mut FileSlot<'_>,
    mut cause: impl FnMut(usize) -> Option<Rc<CauseText>>,
    value: impl Fn(&CauseText) -> Option<T::T>,
) -> Result<(), Malformed> {
    slot.write::<T>(|row, _| value(&*cause(row)?))
}
