//! Lines of fields: TSV, CSV, and the like.
//!
//! Between commas and semicolons, a field may stand in quotes, as RFC 4180 has it: the delimiter is text there, and a
//! quote is doubled. Lines are the unit of everything here, so a record must be on one line. One that goes on behind a
//! line feed leaves a quote open on its first line, and that line is not believed; nor is one with a quote where none
//! may stand.

use std::ops::Range;

use super::{Found, Reason};

const QUOTE: u8 = b'"';

/// Where the URL stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::filter) struct Delimited {
    pub delimiter: u8,
    /// The field's place, counted from 0.
    pub column: usize,
}

impl Delimited {
    /// Whether fields may stand in quotes: in CSV, but not in TSV, where a quote is text.
    fn has_quotes(&self) -> bool {
        matches!(self.delimiter, b',' | b';')
    }

    /// The URL of a line.
    #[inline]
    pub fn url(&self, line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        if self.has_quotes() && memchr::memchr(QUOTE, line).is_some() {
            return self.url_among_quotes(line, decoded);
        }
        let mut start = 0;
        for _ in 0..self.column {
            start += memchr::memchr(self.delimiter, &line[start..]).ok_or(Reason::Column)? + 1;
        }
        let length = memchr::memchr(self.delimiter, &line[start..]);
        Ok(Found::Within(start..length.map_or(line.len(), |length| start + length)))
    }

    /// The same, where there are quotes; all fields are looked at, because one may be left open behind the URL.
    fn url_among_quotes(&self, line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        let mut found = None;
        for (place, field) in Fields::of(line, self.delimiter).enumerate() {
            let field = field?;
            if place == self.column {
                found = Some(field);
            }
        }
        let field = found.ok_or(Reason::Column)?;
        if !field.has_doubled_quotes {
            return Ok(Found::Within(field.text));
        }
        let start = decoded.len();
        unquote(&line[field.text], decoded);
        Ok(Found::Decoded(start..decoded.len()))
    }

    /// The fields of a line, as text.
    pub fn names(&self, line: &[u8]) -> Result<Vec<String>, Reason> {
        let plain = |text: &[u8]| String::from_utf8_lossy(crate::origin::trimmed(text)).into_owned();
        if !self.has_quotes() {
            return Ok(line.split(|&octet| octet == self.delimiter).map(plain).collect());
        }
        let fields = Fields::of(line, self.delimiter);
        let name = |field: Result<Field, Reason>| {
            let mut name = Vec::new();
            unquote(&line[field?.text], &mut name);
            Ok(plain(&name))
        };
        fields.map(name).collect()
    }
}

/// A field: where its text is, without the quotes around it.
struct Field {
    text: Range<usize>,
    has_doubled_quotes: bool,
}

/// The fields of a line of CSV.
struct Fields<'l> {
    line: &'l [u8],
    /// Where the next one begins; `None` behind the last.
    next: Option<usize>,
    delimiter: u8,
}

impl<'l> Fields<'l> {
    fn of(line: &'l [u8], delimiter: u8) -> Fields<'l> {
        Fields { line, next: Some(0), delimiter }
    }

    /// A field that begins with a quote, which stands at `start`.
    fn quoted(&mut self, start: usize) -> Result<Field, Reason> {
        let (mut at, mut has_doubled_quotes) = (start + 1, false);
        loop {
            at += memchr::memchr(QUOTE, &self.line[at..]).ok_or(Reason::Quote)? + 1;
            match self.line.get(at) {
                Some(&QUOTE) => (at, has_doubled_quotes) = (at + 1, true),
                Some(&octet) if octet == self.delimiter => break self.next = Some(at + 1),
                None => break self.next = None,
                Some(b'\r') if at + 1 == self.line.len() => break self.next = None,
                Some(_) => return Err(Reason::Quote),
            }
        }
        Ok(Field { text: start + 1..at - 1, has_doubled_quotes })
    }

    fn unquoted(&mut self, start: usize) -> Result<Field, Reason> {
        let length = memchr::memchr2(self.delimiter, QUOTE, &self.line[start..]);
        let end = length.map_or(self.line.len(), |length| start + length);
        if self.line.get(end) == Some(&QUOTE) {
            return Err(Reason::Quote);
        }
        self.next = (end < self.line.len()).then_some(end + 1);
        Ok(Field { text: start..end, has_doubled_quotes: false })
    }
}

impl Iterator for Fields<'_> {
    type Item = Result<Field, Reason>;

    fn next(&mut self) -> Option<Result<Field, Reason>> {
        let start = self.next?;
        self.next = None;
        Some(if self.line.get(start) == Some(&QUOTE) { self.quoted(start) } else { self.unquoted(start) })
    }
}

/// Appends a field with each doubled quote as one.
fn unquote(field: &[u8], text: &mut Vec<u8>) {
    let mut rest = field;
    while let Some(at) = memchr::memchr(QUOTE, rest) {
        text.extend_from_slice(&rest[..=at]);
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    text.extend_from_slice(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(delimiter: u8, column: usize, line: &str) -> Result<String, Reason> {
        let mut decoded = b"of an earlier line".to_vec();
        let found = Delimited { delimiter, column }.url(line.as_bytes(), &mut decoded)?;
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
    fn a_quoted_field_may_hold_the_delimiter_and_doubled_quotes() {
        for (delimiter, line) in [(b',', r#""a,""b",c,"d""e",f"#), (b';', r#""a;""b";c;"d""e";f"#)] {
            let found = |column| field(delimiter, column, line).unwrap();
            assert_eq!(found(0), format!("a{}\"b", delimiter as char));
            assert_eq!((found(1), found(2), found(3)), ("c".into(), "d\"e".into(), "f".into()));
            assert_eq!(field(delimiter, 4, line), Err(Reason::Column));
        }
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
        let names = |delimiter, line: &[u8]| Delimited { delimiter, column: 0 }.names(line);
        assert_eq!(names(b',', b"\"the \"\"url\"\"\", b,c\r").unwrap(), ["the \"url\"", "b", "c"]);
        assert_eq!(names(b'\t', b"\"a\"\tb ").unwrap(), ["\"a\"", "b"]);
        assert_eq!(names(b',', b"\"a"), Err(Reason::Quote));
    }
}
