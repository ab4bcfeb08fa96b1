//! What is handed over for writing of the columns that make up the lines of a file, and the tally of those lines.
//!
//! A line of one column is hashed as it comes. A line of several is put together once all of them have come: their values
//! refer to pages, and take little.

use parquet::data_type::ByteArray;

use crate::formats::columnar::Malformed;
use crate::input::list::line_columns::{LineColumns, Values, as_line};
use crate::judge::tally::{Tally, line_hash};

/// What was handed over of one file's rows.
pub(super) enum Handed {
    /// The tally of lines of one column. To keep their values until the end took 4 % of what Parquet to Parquet takes.
    Lines(Tally),
    /// The columns of lines that are made of several.
    Columns(Vec<Values>),
}

/// A value of a column.
pub(super) enum Value<'v> {
    Text(Option<&'v ByteArray>),
    Number(Option<i64>),
    /// Of a type that no line is made of.
    Other,
}

impl Handed {
    /// Nothing yet of lines of these columns.
    pub fn nothing(line_columns: LineColumns) -> Handed {
        match line_columns {
            LineColumns::Url(_) => Handed::Lines(Tally::default()),
            LineColumns::Parts(_) | LineColumns::Text(_) => {
                Handed::Columns((0..line_columns.columns().len()).map(|place| line_columns.no_values(place)).collect())
            }
        }
    }

    /// Adds the value of the next row in the column at this place of [`LineColumns::columns`].
    #[inline]
    pub fn push(&mut self, place: usize, value: Value<'_>) {
        match (self, value) {
            (Handed::Lines(tally), Value::Text(Some(url))) => add(tally, &as_line(url.data())),
            // Columns of other types were refused when the lines were read.
            (Handed::Lines(tally), _) => add(tally, b""),
            (Handed::Columns(columns), value) => match (&mut columns[place], value) {
                (Values::Texts(texts), Value::Text(text)) => texts.push(text.cloned()),
                (Values::Texts(texts), _) => texts.push(None),
                (Values::Numbers(numbers), Value::Number(number)) => numbers.push(number),
                (Values::Numbers(numbers), _) => numbers.push(None),
            },
        }
    }

    /// The tally of these lines, of which so many rows were written.
    ///
    /// # Errors
    ///
    /// [`Malformed`] if there were more or fewer.
    pub fn tally(self, line_columns: LineColumns, rows: u64) -> Result<Tally, Malformed> {
        let tally = match self {
            Handed::Lines(tally) => tally,
            Handed::Columns(columns) => {
                let (mut tally, mut line) = (Tally::default(), Vec::new());
                for row in 0..columns.first().map_or(0, Values::len) {
                    line.clear();
                    line_columns.append_line(&columns, row, &mut line);
                    add(&mut tally, &line);
                }
                tally
            }
        };
        match tally.lines == rows {
            true => Ok(tally),
            false => Err(Malformed("it got another number of rows than were to be written".to_owned())),
        }
    }
}

fn add(tally: &mut Tally, line: &[u8]) {
    tally.add_hashed(line_hash(line), line.len() + 1);
}
