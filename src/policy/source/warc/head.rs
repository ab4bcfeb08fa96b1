//! The head of a message: a first line, fields (`Name: value`), and an empty line. WARC records and HTTP answers both begin
//! this way; the fields of answers are parsed by [httparse](super::http).

use std::io::{self, BufRead, Read};
use std::ops::Range;

use crate::policy::source::error::HEAD_LIMIT as LIMIT;

/// A head, as read.
#[derive(Debug, Default)]
pub(super) struct Head {
    text: Vec<u8>,
    fields: Vec<(Range<usize>, Range<usize>)>,
    first_line: Range<usize>,
    /// The first line after the first that is not a field.
    stray: Option<Range<usize>>,
    /// How it ended.
    pub end: End,
}

/// How a head ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum End {
    /// With an empty line.
    Whole,
    /// The input ended before that.
    #[default]
    CutShort,
    /// [`LIMIT`] bytes were read before that.
    TooLong,
}

impl Head {
    /// Reads a head and the empty line after it.
    pub fn read(reader: &mut impl BufRead) -> io::Result<Head> {
        let mut head = Head::default();
        head.fill(reader)?;
        Ok(head)
    }

    /// Reads the lines of a head that is empty. If that fails, it has those before; a field that is cut is none.
    pub fn fill(&mut self, reader: &mut impl BufRead) -> io::Result<()> {
        loop {
            let start = self.text.len();
            reader.by_ref().take((LIMIT - start) as u64).read_until(b'\n', &mut self.text)?;
            let line = &self.text[start..];
            if line.last() != Some(&b'\n') {
                if start == 0 {
                    self.add_line(start);
                }
                self.end = if self.text.len() == LIMIT { End::TooLong } else { End::CutShort };
                return Ok(());
            }
            if start > 0 && matches!(line, b"\r\n" | b"\n") {
                self.end = End::Whole;
                return Ok(());
            }
            self.add_line(start);
        }
    }

    fn add_line(&mut self, start: usize) {
        let line = start..self.text.len();
        let text = &self.text[line.clone()];
        if text.is_empty() {
            // The input ended between lines.
        } else if start == 0 {
            self.first_line = line;
        } else if let (b' ' | b'\t', Some((_, value))) = (text[0], self.fields.last_mut()) {
            // The value of the previous field continues.
            value.end = line.end;
        } else if let Some(colon) = memchr::memchr(b':', text) {
            self.fields.push((start..start + colon, start + colon + 1..line.end));
        } else {
            self.stray.get_or_insert(line);
        }
    }

    pub fn first_line(&self) -> &[u8] {
        self.text[self.first_line.clone()].trim_ascii()
    }

    /// Everything after the first line, including the empty line.
    pub fn after_first_line(&self) -> &[u8] {
        &self.text[self.first_line.end..]
    }

    /// The first line after it that is not a field.
    pub fn stray_line(&self) -> Option<&[u8]> {
        self.stray.clone().map(|line| self.text[line].trim_ascii())
    }

    /// The values of all fields with this name, ignoring case.
    pub fn all<'h>(&'h self, name: &'h str) -> impl Iterator<Item = &'h [u8]> {
        let is_named =
            |field: &Range<usize>| self.text[field.clone()].trim_ascii().eq_ignore_ascii_case(name.as_bytes());
        self.fields
            .iter()
            .filter(move |(field, _)| is_named(field))
            .map(|(_, value)| self.text[value.clone()].trim_ascii())
    }

    /// The value of the first field with this name.
    pub fn get<'h>(&'h self, name: &'h str) -> Option<&'h [u8]> {
        self.all(name).next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_whatever_their_case_and_form() {
        let text =
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nset-cookie:a\nX\r\nSET-COOKIE : b: c \r\n\td\r\n\r\nbody";
        let mut rest = &text[..];
        let head = Head::read(&mut rest).unwrap();
        assert_eq!((head.first_line(), head.end, rest), (&b"HTTP/1.1 200 OK"[..], End::Whole, &b"body"[..]));
        assert_eq!(head.get("content-type"), Some(&b"text/plain"[..]));
        assert_eq!(head.all("Set-Cookie").collect::<Vec<_>>(), [&b"a"[..], b"b: c \r\n\td"]);
        assert_eq!(head.get("body"), None);
        assert_eq!(head.stray_line(), Some(&b"X"[..]));
    }

    #[test]
    fn a_head_that_does_not_end_is_told() {
        for text in [&b""[..], b"HTTP/1.1 200 OK", b"HTTP/1.1 200 OK\r\nA: b\r\n", b"\r\n"] {
            assert_eq!(Head::read(&mut &text[..]).unwrap().end, End::CutShort);
        }
        let endless = [b"HTTP/1.1 200 OK\r\nA: ".to_vec(), vec![b'a'; LIMIT]].concat();
        let mut rest = &endless[..];
        assert_eq!(Head::read(&mut rest).unwrap().end, End::TooLong);
        assert_eq!(endless.len() - rest.len(), LIMIT);
    }
}
