//! The lines of a robots.txt, cut as the dialect demands.

use crate::dialect::{Dialect, LineLimit, NulByte};

/// One line, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLine<'a> {
    /// The line number, counted from 1.
    pub number: u32,
    /// The bytes that the dialect reads.
    pub text: &'a [u8],
    /// Whether bytes were cut, at the dialect's limit or at a NUL that ends the line.
    pub cut: bool,
}

/// Splits a text into lines at LF, CR or CR LF.
#[inline]
pub(crate) fn lines<'a>(text: &'a [u8], dialect: &Dialect) -> impl Iterator<Item = TextLine<'a>> + use<'a> {
    let (limit, nul) = (dialect.line_limit, dialect.nul);
    let (mut rest, mut number) = (text, 0u32);
    std::iter::from_fn(move || {
        let line = match memchr::memchr2(b'\n', b'\r', rest) {
            Some(end) => {
                let line = &rest[..end];
                let crlf = rest[end..].starts_with(b"\r\n");
                rest = &rest[end + 1 + usize::from(crlf)..];
                line
            }
            None if rest.is_empty() => return None,
            None => std::mem::take(&mut rest),
        };
        number = number.saturating_add(1);
        let read = limited(line, limit, nul);
        Some(TextLine { number, text: read, cut: read.len() < line.len() })
    })
}

/// The part of a line that the dialect reads.
fn limited(line: &[u8], limit: LineLimit, nul: NulByte) -> &[u8] {
    let mut end = line.len();
    if let LineLimit::Bytes(limit) = limit {
        end = end.min(limit);
    }
    if nul == NulByte::EndsLine {
        end = memchr::memchr(0, &line[..end]).unwrap_or(end);
    }
    &line[..end]
}
