//! The memory of rows that wait.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, RecordBatch, StructArray};
use arrow_schema::{ArrowError, DataType};
use std::sync::Arc;

use crate::formats::columnar::leaves;

/// The bytes of rows, however they are in memory.
pub(super) fn bytes_of(batch: &RecordBatch) -> u64 {
    let mut bytes = 0;
    let mut add = |values: &ArrayRef| {
        let of_row = match values.data_type() {
            DataType::BinaryView => {
                bytes += values.as_binary_view().total_bytes_len() as u64;
                size_of::<u128>()
            }
            DataType::FixedSizeBinary(width) => usize::try_from(*width).unwrap_or(0),
            kind => kind.primitive_width().unwrap_or(1),
        };
        bytes += (of_row * values.len()) as u64;
    };
    batch.columns().iter().for_each(|column| leaves(column, &mut add));
    bytes
}

/// The bytes that rows hold in memory, with those of others that were read with them.
pub(super) fn memory_of(batch: &RecordBatch) -> u64 {
    batch.columns().iter().map(|column| column.get_buffer_memory_size() as u64).sum()
}

/// The same rows, without the memory of others that were read with them.
pub(super) fn compacted(batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
    let columns = batch.columns().iter().map(compacted_array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(batch.schema(), columns)
}

fn compacted_array(array: &ArrayRef) -> Result<ArrayRef, ArrowError> {
    Ok(match array.data_type() {
        DataType::BinaryView => Arc::new(array.as_binary_view().gc()),
        DataType::Struct(fields) => {
            let group = array.as_struct();
            let columns = group.columns().iter().map(compacted_array).collect::<Result<_, _>>()?;
            Arc::new(StructArray::try_new(fields.clone(), columns, group.nulls().cloned())?)
        }
        DataType::List(field) => {
            let (lists, field) = (array.as_list::<i32>(), Arc::clone(field));
            let values = compacted_array(lists.values())?;
            Arc::new(ListArray::try_new(field, lists.offsets().clone(), values, lists.nulls().cloned())?)
        }
        _ => ArrayRef::clone(array),
    })
}
