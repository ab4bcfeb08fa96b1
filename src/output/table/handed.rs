//! Computes the tally of a file's lines from the values passed to the column writers.
//!
//! A line made of one column is hashed at once. One made of several is put together when all its values are there; until then,
//! the values refer to pages, and take little memory.

use parquet::data_type::ByteArray;

use crate::formats::columnar::Malformed;
use crate::input::list::line_columns::{LineColumns, Texts, as_line, port};
use crate::judge::tally::{Tally, line_hash};

/// The values handed over for the rows of one file.
pub(super) enum Handed {
    /// The tally of lines of one column. Keeping the values until the end took 4 % of the time of Parquet to Parquet.
    Lines(Tally),
    /// The columns of lines made of several.
    Columns(Vec<Texts>),
}

/// A value of a column.
pub(super) enum Value<'v> {
    Text(Option<&'v ByteArray>),
    Number(Option<i64>),
    /// Of a type that no line is made of.
    Other,
}

impl Handed {
    /// No values yet, for lines of these columns.
    pub fn nothing(line_columns: LineColumns) -> Handed {
        match line_columns {
            LineColumns::Url(_) => Handed::Lines(Tally::default()),
            LineColumns::Parts(_) | LineColumns::Text(_) => {
                Handed::Columns(vec![Texts::new(); line_columns.columns().len()])
            }
        }
    }

    /// Adds the value of the next row in a column; `place` is its index in [`LineColumns::columns`].
    #[inline]
    pub fn push(&mut self, place: usize, value: Value<'_>) {
        match (self, value) {
            (Handed::Lines(tally), Value::Text(Some(url))) => add(tally, &as_line(url.data())),
            // Columns of other types were refused when the lines were read.
            (Handed::Lines(tally), _) => add(tally, b""),
            (Handed::Columns(columns), value) => columns[place].push(match value {
                Value::Text(text) => text.cloned(),
                Value::Number(number) => number.and_then(port),
                Value::Other => None,
            }),
        }
    }

    /// The tally of these lines; `rows` is how many were written.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if another number of values was handed over.
    pub fn tally(self, line_columns: LineColumns, rows: u64) -> Result<Tally, Malformed> {
        let tally = match self {
            Handed::Lines(tally) => tally,
            Handed::Columns(columns) => {
                let (mut tally, mut line) = (Tally::default(), Vec::new());
                for row in 0..columns.first().map_or(0, Vec::len) {
                    line.clear();
                    line_columns.append_line(&columns, row, &mut line);
                    add(&mut tally, &line);
                }
                tally
            }
        };
        match tally.lines == rows {
            true => Ok(tally),
            false => Err(Malformed("the number of rows differs from the number to be written".to_owned())),
        }
    }
}

fn add(tally: &mut Tally, line: &[u8]) {
    tally.add_hashed(line_hash(line), line.len() + 1);
}
