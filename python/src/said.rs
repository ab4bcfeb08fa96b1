//! Turns what sites say about uses of pages into a column.

use std::sync::Arc;

use arrow_array::types::Int8Type;
use arrow_array::{ArrayRef, DictionaryArray, Int8Array, StringArray};
use arrow_buffer::NullBuffer;
use arrow_schema::ArrowError;
use robosieve::Preference;

/// The column of what is said: `y`, `n`, or null, also where a row is null.
pub fn column(said: &[Preference], nulls: Option<&NullBuffer>, dictionary: bool) -> Result<ArrayRef, ArrowError> {
    let is_null = |row| nulls.is_some_and(|nulls| nulls.is_null(row));
    let answer = |(row, said): (usize, &Preference)| if is_null(row) { None } else { said.answer() };
    let answers = said.iter().enumerate().map(answer);
    if !dictionary {
        return Ok(Arc::new(answers.collect::<StringArray>()));
    }
    let names: Vec<&str> = Preference::all().filter_map(Preference::answer).collect();
    let key = |answer: Option<&str>| names.iter().position(|name| Some(*name) == answer).map(|at| at as i8);
    let keys: Int8Array = answers.map(key).collect();
    Ok(Arc::new(DictionaryArray::<Int8Type>::try_new(keys, Arc::new(StringArray::from(names)))?))
}
