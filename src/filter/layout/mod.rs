//! Where the URL stands in the lines of a list.
//!
//! Most lists have one URL a line. Others have lines of fields (TSV, CSV), or are an index of web archives (CDX, CDXJ).
//! What is judged is the URL; what is counted, hashed and written is the whole line. An index is recognised by its first
//! line, anything else is what the operator says ([`UrlField`]).

mod cdxj;
mod delimited;
mod json;
mod located;
mod url_field;

use std::borrow::Cow;
use std::ops::Range;

use super::outcome::Reason;
use delimited::Delimited;
pub(super) use located::Located;
pub use url_field::{Column, Delimiter, DelimiterError, UrlField, UrlFieldError};
pub(super) use url_field::{LOOK, MARK};

/// How the URL is found in a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout(Kind);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Whole,
    Delimited(Delimited),
    Cdxj,
}

/// The URL of a line.
enum Found {
    /// A part of the line.
    Within(Range<usize>),
    /// A part of what was decoded.
    Decoded(Range<usize>),
}

impl Layout {
    /// The whole line is the URL.
    pub const WHOLE: Layout = Layout(Kind::Whole);

    /// Lines of CDXJ: a key, a time and a JSON object, whose `url` is the URL.
    pub const CDXJ: Layout = Layout(Kind::Cdxj);

    /// Lines of fields; the URL is the one with this number, counted from 0. Between commas and semicolons, fields may stand
    /// in quotes (RFC 4180).
    pub fn delimited(delimiter: u8, column: usize) -> Layout {
        Layout(Kind::Delimited(Delimited { delimiter, column }))
    }

    /// The URL of a line, which is given without its LF.
    ///
    /// # Errors
    ///
    /// Why there is none: [`Reason::Column`], [`Reason::Quote`], [`Reason::Json`], [`Reason::NoUrl`] or
    /// [`Reason::LineBreak`].
    pub fn url<'l>(&self, line: &'l [u8]) -> Result<Cow<'l, [u8]>, Reason> {
        let mut decoded = Vec::new();
        Ok(match self.find(line, &mut decoded)? {
            Found::Within(place) => Cow::Borrowed(&line[place]),
            Found::Decoded(_) => Cow::Owned(decoded),
        })
    }

    /// The URL of a line, decoded behind what stands in `decoded` if it has to be.
    #[inline]
    fn find(&self, line: &[u8], decoded: &mut Vec<u8>) -> Result<Found, Reason> {
        match &self.0 {
            Kind::Whole => Ok(Found::Within(0..line.len())),
            Kind::Delimited(delimited) => delimited.url(line, decoded),
            Kind::Cdxj => cdxj::url(line, decoded),
        }
    }

    /// Whether the whole line is the URL.
    pub(super) fn is_whole(&self) -> bool {
        self.0 == Kind::Whole
    }

    /// Its name, for receipts.
    pub(super) fn name(&self) -> &'static str {
        match &self.0 {
            Kind::Whole => "lines",
            Kind::Delimited(_) => "delimited",
            Kind::Cdxj => "cdxj",
        }
    }
}
