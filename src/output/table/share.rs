//! The part of a column that goes to one file.

use parquet::data_type::DataType;
use parquet::file::writer::SerializedColumnWriter;

use crate::formats::columnar::Malformed;

/// The part of a column that goes to one file, for a few rows.
pub(super) struct Share<T: DataType> {
    pub(super) values: Vec<T::T>,
    /// Definition and repetition levels, as in the format; none for columns with exactly one value per row.
    pub(super) definitions: Vec<i16>,
    pub(super) repetitions: Vec<i16>,
    pub(super) rows: usize,
}

impl<T: DataType> Default for Share<T> {
    fn default() -> Share<T> {
        Share { values: Vec::new(), definitions: Vec::new(), repetitions: Vec::new(), rows: 0 }
    }
}

impl<T: DataType> Share<T> {
    /// Adds a row of a top-level column: a value, or none.
    pub fn push(&mut self, value: Option<T::T>) {
        self.definitions.push(i16::from(value.is_some()));
        self.values.extend(value);
        self.rows += 1;
    }

    /// Writes the share and empties it.
    pub fn write(&mut self, column: &mut SerializedColumnWriter<'_>) -> Result<(), Malformed> {
        if self.rows > 0 {
            let levels =
                [&self.definitions, &self.repetitions].map(|levels| (!levels.is_empty()).then_some(&levels[..]));
            column.typed::<T>().write_batch(&self.values, levels[0], levels[1])?;
        }
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.rows = 0;
        Ok(())
    }
}
