//! The values of the [columns](super::schema) that show what blocked a line. They are null if nothing did, if no rule decided, or if
//! it is not known.
//!
//! Rules are text here. Bytes that are not UTF-8 are percent-encoded, as in the column of URLs.

use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};

use super::sorting::Slot;
use super::text::as_utf8;
use crate::formats::columnar::Malformed;
use crate::output::causes::{CauseText, Causes, LineCause};

/// Writes them for the rows of a file; `again` finds the causes that were not kept.
pub(super) fn write(
    slot: &mut Slot<'_>,
    causes: &Causes,
    explain_again: &mut dyn FnMut(usize) -> CauseText,
) -> Result<(), Malformed> {
    column::<ByteArrayType>(slot, (causes, explain_again), |cause| {
        let (text, _) = cause.rule.as_ref()?;
        Some(ByteArray::from(as_utf8(text).into_bytes()))
    })?;
    column::<Int32Type>(slot, (causes, explain_again), |cause| {
        let (_, line) = cause.rule.as_ref()?;
        // Null if the line number does not fit the type, as in a robots.txt of 2 GiB.
        i32::try_from(*line).ok()
    })?;
    column::<ByteArrayType>(slot, (causes, explain_again), |cause| Some(ByteArray::from(cause.agent.as_deref()?)))?;
    // Null if the time in milliseconds overflows.
    column::<Int64Type>(slot, (causes, explain_again), |cause| cause.captured?.checked_mul(1000))
}

/// Writes the next column.
fn column<T: DataType>(
    slot: &mut Slot<'_>,
    (causes, explain_again): (&Causes, &mut dyn FnMut(usize) -> CauseText),
    value: impl Fn(&CauseText) -> Option<T::T>,
) -> Result<(), Malformed> {
    slot.write::<T>(|row, _| match causes.of(row) {
        LineCause::None => None,
        LineCause::Text(text) => value(text),
        LineCause::Again => value(&explain_again(row)),
    })
}
