//! Finds the URL in a line.

use std::borrow::Cow;

use super::cdxj;
use super::delimited::Delimited;
use super::found::Found;
use crate::outcome::Reason;

/// How the URL is found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Kind {
    Whole,
    Delimited(Delimited),
    Cdxj,
}

impl Layout {
    /// The whole line is the URL.
    pub const WHOLE: Layout = Layout(Kind::Whole);

    /// Lines of CDXJ: a key, a time and a JSON object, whose `url` is the URL.
    pub const CDXJ: Layout = Layout(Kind::Cdxj);

    /// Lines of fields; the URL is the field with this number, counted from 0. Between commas and semicolons, fields may be
    /// quoted (RFC 4180).
    pub fn delimited(delimiter: u8, column: usize) -> Layout {
        Layout(Kind::Delimited(Delimited { delimiter, column }))
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
        match &self.0 {
            Kind::Whole => Ok(Found::Within(0..line.len())),
            Kind::Delimited(delimited) => delimited.url(line, decoded),
            Kind::Cdxj => cdxj::url(line, decoded),
        }
    }

    /// Whether the whole line is the URL.
    pub(crate) fn is_whole(&self) -> bool {
        self.0 == Kind::Whole
    }

    /// Its name in receipts.
    pub(crate) fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Whole => "lines",
            Kind::Delimited(_) => "delimited",
            Kind::Cdxj => "cdxj",
        }
    }
}
