//! Lines of fields: TSV, CSV, and the like.
//!
//! Between commas and semicolons, a field may be quoted as in RFC 4180: inside quotes the delimiter is text, and a quote is
//! doubled. Everything here works on lines, so a record must fit on one line. A record that continues after a line feed leaves
//! a quote open on its first line, and that line is invalid; so is a line with a misplaced quote.

use csv_core::{ReadFieldResult, Reader, ReaderBuilder, Terminator};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::convert::Infallible;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::outcome::Reason;

const QUOTE: u8 = b'"';

/// The delimiters whose fields may be quoted.
const QUOTING: [u8; 2] = [b',', b';'];

thread_local! {
    /// One reader for each of these; building one takes longer than reading most lines.
    static READERS: RefCell<[Reader; 2]> = RefCell::new(
        QUOTING.map(|delimiter| ReaderBuilder::new().delimiter(delimiter).terminator(Terminator::Any(b'\n')).build())
    );
}

/// What separates fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Separator {
    /// This byte, each time it occurs.
    Byte(u8),
    /// Spaces and tabs, as many as there are together. Those at the ends of a line separate nothing.
    Blanks,
}

impl Separator {
    /// The field of a line that begins at `from` or after the blanks there; `None` if there is no field.
    #[inline]
    pub fn next(self, line: &[u8], from: usize) -> Option<Range<usize>> {
        match self {
            Separator::Byte(byte) => {
                let rest = line.get(from..)?;
                Some(from..memchr::memchr(byte, rest).map_or(line.len(), |length| from + length))
            }
            Separator::Blanks => {
                let rest = line.get(from..)?;
                // A CR at the end of a line is no field.
                let start = from + rest.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'\r'))?;
                Some(start..memchr::memchr2(b' ', b'\t', &line[start..]).map_or(line.len(), |length| start + length))
            }
        }
    }

    /// All fields of a line.
    pub fn fields(self, line: &[u8]) -> impl Iterator<Item = &[u8]> {
        let mut from = 0;
        std::iter::from_fn(move || {
            let field = self.next(line, from)?;
            from = field.end + 1;
            Some(&line[field])
        })
    }
}

/// Which field is the URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delimited {
    pub(crate) separator: Separator,
    /// The field, counted from 0.
    pub(crate) column: usize,
}

impl Delimited {
    /// The delimiter, if fields may be quoted: in CSV they may, in TSV a quote is text.
    fn quoting(&self) -> Option<u8> {
        match self.separator {
            Separator::Byte(byte) if QUOTING.contains(&byte) => Some(byte),
            _ => None,
        }
    }

    /// The URL of a line.
    #[inline]
    pub(super) fn url(&self, line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        if let Some(delimiter) = self.quoting()
            && let Some(quote) = memchr::memchr(QUOTE, line)
        {
            return self.quoted_url(delimiter, line, quote, decoded);
        }
        self.plain_url(line)
    }

    /// The URL of a line that has no quotes up to the end of the URL.
    fn plain_url(&self, line: &[u8]) -> Result<Found, Reason> {
        let mut from = 0;
        for _ in 0..self.column {
            from = self.separator.next(line, from).ok_or(Reason::Column)?.end + 1;
        }
        Ok(Found::Within(self.separator.next(line, from).ok_or(Reason::Column)?))
    }

    /// The URL of a line whose first quote is at `quote`. The fields before that one are plain; all others are read, because a
    /// quote may be left open after the URL.
    fn quoted_url(&self, delimiter: u8, line: &[u8], quote: usize, decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        let plain = memchr::memrchr(delimiter, &line[..quote]).map_or(0, |at| at + 1);
        let mut place = memchr::memchr_iter(delimiter, &line[..plain]).count();
        let (is_plain, mut found, start) = (self.column < place, None, decoded.len());
        fields(delimiter, &line[plain..], decoded, |field| {
            if place == self.column {
                found = Some(field);
            }
            place += 1;
        })?;
        if is_plain {
            decoded.truncate(start);
            return self.plain_url(line);
        }
        // Drop the other fields.
        let field = found.ok_or(Reason::Column)?;
        let end = start + field.len();
        decoded.copy_within(field, start);
        decoded.truncate(end);
        Ok(Found::Decoded(start..end))
    }

    /// The fields of a line, as text.
    pub(super) fn names(&self, line: &[u8]) -> Result<Vec<String>, Reason> {
        let plain = |text: &[u8]| String::from_utf8_lossy(crate::origin::trimmed(text)).into_owned();
        let Some(delimiter) = self.quoting().filter(|_| !line.is_empty()) else {
            return Ok(self.separator.fields(line).map(plain).collect());
        };
        let (mut decoded, mut found) = (Vec::new(), Vec::new());
        fields(delimiter, line, &mut decoded, |field| found.push(field))?;
        Ok(found.into_iter().map(|field| plain(&decoded[field])).collect())
    }
}

/// Appends the fields of a line to `decoded`, and calls `each` with the range of every field.
fn fields(delimiter: u8, line: &[u8], decoded: &mut Vec<u8>, each: impl FnMut(Range<usize>)) -> Result<(), Reason> {
    READERS.with_borrow_mut(|readers| {
        let place = QUOTING.iter().position(|&other| other == delimiter).ok_or(Reason::Quote)?;
        readers[place].reset();
        decode(&mut readers[place], line, decoded, each)
    })
}

fn decode(
    reader: &mut Reader,
    line: &[u8],
    decoded: &mut Vec<u8>,
    mut each: impl FnMut(Range<usize>),
) -> Result<(), Reason> {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let (mut at, mut end) = (0, decoded.len());
    // The reader writes no more bytes than it reads, but wants room to end the last field.
    decoded.resize(end + line.len() + 1, 0);
    loop {
        let (start, raw_start) = (end, at);
        let (mut result, read, written) = match &line[at..] {
            [] => (ReadFieldResult::InputEmpty, 0, 0),
            rest => reader.read_field(rest, &mut decoded[end..]),
        };
        (at, end) = (at + read, end + written);
        let ends = result == ReadFieldResult::InputEmpty;
        if ends {
            // If a quote is still open, the reader takes this LF as text.
            (result, ..) = reader.read_field(b"\n", &mut decoded[end..]);
        }
        let raw = &line[raw_start..if ends { at } else { at - 1 }];
        if result != (ReadFieldResult::Field { record_end: ends }) || !is_sound(raw, &decoded[start..end]) {
            return Err(Reason::Quote);
        }
        each(start..end);
        if ends {
            return Ok(());
        }
    }
}

/// Whether a field is quoted with its inner quotes doubled, or has no quotes. The reader takes other quotes as text.
fn is_sound(raw: &[u8], decoded: &[u8]) -> bool {
    match raw {
        [QUOTE, .., QUOTE] => raw.len() == decoded.len() + 2 + memchr::memchr_iter(QUOTE, decoded).count(),
        _ => memchr::memchr(QUOTE, raw).is_none(),
    }
}

/// The URL of a line.
pub(crate) enum Found {
    /// A range of the line.
    Within(Range<usize>),
    /// A range of the decoded bytes.
    Decoded(Range<usize>),
}

/// A field of a line, or a column of a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Column {
    /// Its number, counted from 1.
    Number(usize),
    /// Its name in the head line.
    Name(String),
}

impl FromStr for Column {
    type Err = Infallible;

    /// A number above 0, or else a name.
    fn from_str(text: &str) -> Result<Column, Infallible> {
        let number = text.parse().ok().filter(|&number| number > 0);
        Ok(number.map_or_else(|| Column::Name(text.to_owned()), Column::Number))
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Number(number) => write!(f, "{number}"),
            Column::Name(name) => write!(f, "{name:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(delimiter: u8, column: usize, line: &str) -> Result<String, Reason> {
        let mut decoded = b"of an earlier line".to_vec();
        let found = Delimited { separator: Separator::Byte(delimiter), column }.url(line.as_bytes(), &mut decoded)?;
        let text = match found {
            Found::Within(place) => &line.as_bytes()[place],
            Found::Decoded(place) => &decoded[place],
        };
        Ok(String::from_utf8(text.to_vec()).unwrap())
    }

    #[test]
    fn fields_are_found_by_their_place() {
        let found = |column, line| field(b'\t', column, line);
        assert_eq!(found(0, "a\tb\tc").unwrap(), "a");
        assert_eq!(found(1, "a\tb\tc").unwrap(), "b");
        assert_eq!(found(2, "a\tb\tc").unwrap(), "c");
        assert_eq!(found(1, "a\t").unwrap(), "");
        assert_eq!(found(0, "").unwrap(), "");
        assert_eq!(found(1, "\"a\t\"b\"").unwrap(), "\"b\"", "a quote is text in TSV");
        assert_eq!(found(3, "a\tb\tc"), Err(Reason::Column));
        assert_eq!(found(1, ""), Err(Reason::Column));
    }

    #[test]
    fn between_blanks_fields_are_words() {
        let found = |column, line: &str| {
            let found = Delimited { separator: Separator::Blanks, column }.url(line.as_bytes(), &mut Vec::new())?;
            let Found::Within(place) = found else { panic!("nothing is decoded") };
            Ok(line[place].to_owned())
        };
        for line in ["a b c", "  a\t b  \t c  \r", "\ta b c\r", " a  b\tc\t"] {
            let words = [0, 1, 2].map(|column| found(column, line).unwrap().trim_end().to_owned());
            assert_eq!(words, ["a", "b", "c"], "{line:?}");
            assert_eq!(found(3, line), Err(Reason::Column), "{line:?}");
        }
        for line in ["", " ", "\t\r", "\r"] {
            assert_eq!(found(0, line), Err(Reason::Column), "{line:?}");
        }
        let names = Delimited { separator: Separator::Blanks, column: 0 }.names(b"  time  url\tx \r");
        assert_eq!(names.unwrap(), ["time", "url", "x"]);
    }

    #[test]
    fn a_quoted_field_may_hold_the_delimiter_and_doubled_quotes() {
        assert_eq!(field(b',', 0, "abc,\"d\"").unwrap(), "abc");
        for (delimiter, line) in [(b',', r#""a,""b",c,"d""e",f"#), (b';', r#""a;""b";c;"d""e";f"#)] {
            let found = |column| field(delimiter, column, line).unwrap();
            assert_eq!(found(0), format!("a{}\"b", delimiter as char));
            assert_eq!((found(1), found(2), found(3)), ("c".into(), "d\"e".into(), "f".into()));
            assert_eq!(field(delimiter, 4, line), Err(Reason::Column));
        }
        let found = |column| field(b',', column, r#"a,b,"c,d",e"#).unwrap();
        assert_eq!([0, 1, 2, 3].map(found), ["a", "b", "c,d", "e"]);
        assert_eq!(field(b',', 1, r#"a,"""""#).unwrap(), "\"");
        assert_eq!(field(b',', 1, r#"a,"""#).unwrap(), "");
        assert_eq!(field(b',', 1, "a,\"b\"\r").unwrap(), "b", "a CR before the line feed");
    }

    #[test]
    fn a_quote_that_is_open_or_out_of_place_is_not_believed() {
        for line in [r#"a,"b"#, r#"a,"b""#.trim_end_matches('"'), r#"a,"b"x"#, r#"a,b"c"#, r#"a",b"#, r#"a,b,"c"#] {
            assert_eq!(field(b',', 1, line), Err(Reason::Quote), "{line}");
        }
        assert_eq!(field(b',', 1, "a,\"b\r"), Err(Reason::Quote));
        assert_eq!(field(b',', 1, "a,\"b\"\rc"), Err(Reason::Quote));
    }

    #[test]
    fn names_are_fields_without_quotes_and_blanks() {
        assert_eq!(
            [Column::Number(2), Column::Name("u,r".to_owned())].map(|column| column.to_string()),
            ["2", "\"u,r\""]
        );
        let names = |delimiter, line: &[u8]| Delimited { separator: Separator::Byte(delimiter), column: 0 }.names(line);
        assert_eq!(names(b',', b"\"the \"\"url\"\"\", b,c\r").unwrap(), ["the \"url\"", "b", "c"]);
        assert_eq!(names(b'\t', b"\"a\"\tb ").unwrap(), ["\"a\"", "b"]);
        assert_eq!(names(b',', b"\"a"), Err(Reason::Quote));
    }
}
