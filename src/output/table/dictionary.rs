//! Which columns of a row group get a dictionary.
//!
//! A dictionary saves space, and the time to compress, where values repeat; where they do not, making one is wasted. Some values
//! of each column, spread over the group, show how many distinct ones there are: among *n* values drawn from *d* equally
//! frequent ones, about *n*²/2*d* repeat an earlier one.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::DataType;
use std::collections::HashSet;
use xxhash_rust::xxh3::xxh3_64;

use crate::formats::columnar::leaves;

/// The most bytes of a dictionary.
pub(super) const DICTIONARY_BYTES: usize = 4 << 20;

/// How many values of a column are looked at.
const SAMPLE: usize = 2048;

/// How often a value must occur, on average.
const REPEATS: usize = 2;

/// The numbers of the columns of a file in which these rows get a dictionary.
pub(super) fn dictionaries(rows: &RecordBatch) -> Vec<usize> {
    let (mut chosen, mut number) = (Vec::new(), 0);
    for column in rows.columns() {
        leaves(column, &mut |values| {
            if saves(values) {
                chosen.push(number);
            }
            number += 1;
        });
    }
    chosen
}

/// Whether a dictionary of these values saves space.
fn saves(values: &ArrayRef) -> bool {
    if let DataType::Dictionary(..) = values.data_type() {
        return true;
    }
    let Some(value) = value_of(values) else { return false };
    let all = values.len() - values.null_count();
    let step = values.len().div_ceil(SAMPLE).max(1);
    let (mut distinct, mut seen, mut bytes) = (HashSet::new(), 0, 0);
    // Not all at the same distance, since values may repeat in a rhythm.
    let place = |start: usize| start + (xxh3_64(&start.to_le_bytes()) % step as u64) as usize;
    let sample = (0..values.len()).step_by(step).map(place);
    for row in sample.filter(|&row| row < values.len() && values.is_valid(row)) {
        let (hash, length) = value(row);
        distinct.insert(hash);
        (seen, bytes) = (seen + 1, bytes + length);
    }
    let repeated = seen - distinct.len();
    let estimated = match repeated {
        0 => all,
        _ if step == 1 || distinct.len() * REPEATS <= seen => distinct.len(),
        _ => distinct.len().max(seen * seen / (2 * repeated)),
    };
    seen > 0 && estimated * REPEATS <= all && estimated.saturating_mul(bytes / seen) <= DICTIONARY_BYTES
}

/// Gives a hash of a row's value, and its length.
type ValueOf<'v> = Box<dyn Fn(usize) -> (u64, usize) + 'v>;

/// Gives a hash of a row's value, and its length; `None` for types that have no dictionary.
fn value_of(values: &ArrayRef) -> Option<ValueOf<'_>> {
    let of = |bytes: &[u8]| (xxh3_64(bytes), bytes.len());
    Some(match values.data_type() {
        DataType::BinaryView => {
            let values = values.as_binary_view();
            Box::new(move |row| of(values.value(row)))
        }
        DataType::FixedSizeBinary(_) => {
            let values = values.as_fixed_size_binary();
            Box::new(move |row| of(values.value(row)))
        }
        kind => {
            let (width, data) = (kind.primitive_width()?, values.to_data());
            Box::new(move |row| of(&data.buffers()[0][(data.offset() + row) * width..][..width]))
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arrow_array::{BinaryViewArray, BooleanArray, Int64Array};
    use arrow_schema::{Field, Schema};
    use std::sync::Arc;

    #[test]
    fn columns_whose_values_repeat_get_a_dictionary() {
        let rows = 0..50_000_i64;
        let text = |of: &dyn Fn(i64) -> i64| {
            let texts = rows.clone().map(|row| format!("http://site.example/{}", of(row)).into_bytes());
            Arc::new(BinaryViewArray::from_iter_values(texts)) as ArrayRef
        };
        let scattered = |row: i64| row.wrapping_mul(2_654_435_761) % 7919;
        let columns: Vec<(ArrayRef, bool)> = vec![
            (text(&|row| row), false),
            (text(&|row| row % 7), true),
            (text(&scattered), true),
            (text(&|row| row / 2), false),
            (Arc::new(Int64Array::from_iter_values(rows.clone())), false),
            (Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row / 1000))), true),
            (Arc::new(Int64Array::new_null(50_000)), false),
            (Arc::new(BooleanArray::from(vec![true; 50_000])), false),
        ];
        let fields: Vec<Field> = columns
            .iter()
            .enumerate()
            .map(|(at, (column, _))| Field::new(at.to_string(), column.data_type().clone(), true))
            .collect();
        let arrays = columns.iter().map(|(column, _)| ArrayRef::clone(column)).collect();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays).unwrap();
        let expected: Vec<usize> = (0..columns.len()).filter(|&at| columns[at].1).collect();
        assert_eq!(dictionaries(&batch), expected);
    }
}
