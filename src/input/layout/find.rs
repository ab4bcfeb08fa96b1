//! Finds the URL in a line.

use std::borrow::Cow;

use super::cdxj;
use super::delimited::{Delimited, Found};
use super::json::Member;
use crate::outcome::Reason;

/// How the URL is found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// The whole line is the URL.
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
        Layout::Delimited(Delimited { delimiter, column })
    }

    /// The URL of a line, given without its LF.
    ///
    /// # Errors
    ///
    /// Why the line has no URL: [`Reason::Column`], [`Reason::Quote`], [`Reason::Json`], [`Reason::NoUrl`] or
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
            Layout::Whole => Ok(Found::Within(0..line.len())),
            Layout::Delimited(delimited) => delimited.url(line, decoded),
            Layout::Cdxj => cdxj::url(line, decoded),
            Layout::JsonLines(member) => member.url(line, 0, decoded),
        }
    }

    /// The key that an index has for the URL of a line, its first field; `None` for `-`, and if nothing is there.
    pub(crate) fn key<'l>(&self, line: &'l [u8]) -> Option<&'l [u8]> {
        let delimiter = match self {
            Layout::Whole | Layout::JsonLines(_) => return None,
            Layout::Delimited(delimited) => delimited.delimiter,
            Layout::Cdxj => b' ',
        };
        let key = &line[..memchr::memchr(delimiter, line)?];
        (!matches!(key, b"" | b"-")).then_some(key)
    }

    /// Whether the whole line is the URL.
    pub(crate) fn is_whole(&self) -> bool {
        *self == Layout::Whole
    }

    /// Its name in receipts.
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Layout::Whole => "lines",
            Layout::Delimited(_) => "delimited",
            Layout::Cdxj => "cdxj",
            Layout::JsonLines(_) => "json-lines",
        }
    }
}
