//! Finds the URL in a line.

use std::borrow::Cow;

use super::cdxj;
use super::delimited::{Delimited, Found, Separator};
use super::json::Member;
use crate::origin;
use crate::outcome::Reason;

/// How the URL is found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// The whole line is the URL, and its only field, as in a plain text: a line with a tab inside has several, and no URL.
    OneField,
    /// The whole line is the URL, tabs included.
    Whole,
    /// Lines of fields, one of which is the URL.
    Delimited(Delimited),
    /// Lines of CDXJ: a key, a time and a JSON object, whose `url` is the URL.
    Cdxj,
    /// JSON Lines: objects, of which one member is the URL.
    JsonLines(Box<Member>),
}

impl Layout {
    /// Lines of fields; the URL is the field with this number, counted from 0. Between commas and semicolons, fields may be
    /// quoted (RFC 4180).
    pub fn delimited(delimiter: u8, column: usize) -> Layout {
        Layout::Delimited(Delimited { separator: Separator::Byte(delimiter), column })
    }

    /// Lines of fields with runs of spaces and tabs between them; the URL is the field with this number, counted from 0. Blanks
    /// before the first field do not count.
    pub fn columns(column: usize) -> Layout {
        Layout::Delimited(Delimited { separator: Separator::Blanks, column })
    }

    /// The URL of a line, given without its LF.
    ///
    /// # Errors
    ///
    /// Why the line has no URL: [`Reason::Tab`], [`Reason::Column`], [`Reason::Quote`], [`Reason::Json`], [`Reason::NoUrl`] or
    /// [`Reason::LineBreak`].
    pub fn url<'l>(&self, line: &'l [u8]) -> Result<Cow<'l, [u8]>, Reason> {
        let mut decoded = Vec::new();
        Ok(match self.find(line, &mut decoded)? {
            Found::Within(place) => Cow::Borrowed(&line[place]),
            Found::Decoded(_) => Cow::Owned(decoded),
        })
    }

    /// The URL of a line. If it has to be decoded, it is appended to `decoded`.
    #[inline]
    pub(crate) fn find(&self, line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        match self {
            Layout::OneField if has_tab_inside(line) => Err(Reason::Tab),
            Layout::OneField | Layout::Whole => Ok(Found::Within(0..line.len())),
            Layout::Delimited(delimited) => delimited.url(line, decoded),
            Layout::Cdxj => cdxj::url(line, decoded),
            Layout::JsonLines(member) => member.url(line, 0, decoded),
        }
    }

    /// The key that an index has for the URL of a line, its first field; `None` for `-`, and if nothing is there.
    pub(crate) fn key<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let delimiter = match self {
            Layout::OneField | Layout::Whole | Layout::JsonLines(_) => return None,
            Layout::Delimited(delimited) => delimited.separator,
            Layout::Cdxj => Separator::Byte(b' '),
        };
        let field = delimiter.next(line, 0).filter(|field| field.end < line.len())?;
        let key = &line[field];
        (!matches!(key, b"" | b"-")).then_some(key)
    }

    /// Whether the whole line is the URL.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Layout::OneField | Layout::Whole)
    }

    /// Whether a line with a tab inside has no URL for that.
    pub(crate) fn refuses_tabs(&self) -> bool {
        *self == Layout::OneField
    }

    /// Its name in receipts.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Layout::OneField | Layout::Whole => "lines",
            Layout::Delimited(_) => "delimited",
            Layout::Cdxj => "cdxj",
            Layout::JsonLines(_) => "json-lines",
        }
    }
}

/// Whether a line has a tab inside, not only at its ends.
#[inline]
pub(crate) fn has_tab_inside(line: &[u8]) -> bool {
    memchr::memchr(b'\t', origin::trimmed(line)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_url_and_a_key_by_its_layout() {
        let cdx = Layout::delimited(b' ', 1);
        for (layout, line, url, key) in [
            (&Layout::OneField, "http://a/", Ok("http://a/"), None),
            (&Layout::OneField, "\thttp://a/ \t", Ok("\thttp://a/ \t"), None),
            (&Layout::OneField, "http://a/\tb", Err(Reason::Tab), None),
            (&Layout::Whole, "http://a/\tb", Ok("http://a/\tb"), None),
            (&cdx, "a)/ http://a/", Ok("http://a/"), Some("a)/")),
            (&cdx, "- http://a/", Ok("http://a/"), None),
            (&cdx, " http://a/", Ok("http://a/"), None),
            (&cdx, "a)/", Err(Reason::Column), None),
            (&Layout::columns(0), "a)/ http://a/", Ok("a)/"), Some("a)/")),
            (&Layout::columns(0), "a)/", Ok("a)/"), None),
            (&Layout::Cdxj, "a)/ 2024 {\"url\":\"http://a/\"}", Ok("http://a/"), Some("a)/")),
        ] {
            let found = layout.url(line.as_bytes()).map(|url| String::from_utf8(url.into_owned()).unwrap());
            assert_eq!(found, url.map(str::to_owned), "{line:?}");
            assert_eq!(layout.key(line.as_bytes()), key.map(str::as_bytes), "{line:?}");
        }
    }
}
