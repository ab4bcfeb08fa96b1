//! The content codings of HTTP, undone: gzip, deflate, Zstandard and Brotli, as a header names them, and those of these and bzip2 that
//! bytes themselves show.
//!
//! Crawlers keep a body as it was sent, or decoded with the header that names its coding still in place. So each coding named is
//! tried: if the body is not in that coding but is text, it was decoded before. If it is in a coding that is not known, its content
//! is unknown, and must not be mistaken for an empty file.

use std::borrow::Cow;

use super::begins::{GZIP, ZSTD, agrees, begins_bzip2, begins_zstd, may_be_zstd};
#[cfg(feature = "batch")]
use super::decoders::{gunzipped, inflated, unbrotli, unbzip2, unzlib, unzstd};
use super::part::{Ending, FRAMING, MISMATCH, Part, begins_as_ascii_text, looks_like_text, may_be_odd_text};
#[cfg(not(feature = "batch"))]
use super::part::{
    missing as gunzipped, missing as inflated, missing as unbrotli, missing as unbzip2, missing as unzlib,
    missing as unzstd,
};

/// A body, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Body<'b> {
    pub bytes: Cow<'b, [u8]>,
    pub ending: Ending,
    /// The first of its codings that did not end where it should.
    pub damaged: Option<&'static str>,
    /// Whether it was decoded before, so that what is stored is not what was sent.
    pub was_decoded: bool,
}

impl<'b> Body<'b> {
    /// A body of which nothing is known but its bytes.
    pub fn whole(bytes: Cow<'b, [u8]>) -> Body<'b> {
        Body { bytes, ending: Ending::Whole, damaged: None, was_decoded: false }
    }

    /// The same after a coding with this name was undone.
    fn after(self, name: &'static str, Part { bytes, ending }: Part) -> Body<'b> {
        let damaged = self.damaged.or((ending != Ending::Whole).then_some(name));
        Body { bytes: Cow::Owned(bytes), ending: ending.max(self.ending), damaged, was_decoded: self.was_decoded }
    }

    /// Forgets how it ends if it is longer than `limit`: what follows does not matter.
    fn within(mut self, limit: usize) -> Body<'b> {
        if self.bytes.len() >= limit {
            (self.ending, self.damaged) = (Ending::Whole, None);
        }
        self
    }
}

/// A limit on codings, above the number that servers apply.
pub(crate) const MAX_CODINGS: usize = 8;

/// The length from which bytes that look like text are not the beginning of compressed data by chance.
pub(super) const SURELY_TEXT: usize = 16;

/// The codings that values of a header name, in the order in which they were applied.
pub(crate) fn names<'v>(values: impl Iterator<Item = &'v [u8]>) -> Vec<&'v [u8]> {
    let names = values.flat_map(|value| value.split(|&byte| byte == b',')).map(<[u8]>::trim_ascii);
    names.filter(|name| !name.is_empty() && !name.eq_ignore_ascii_case(b"identity")).collect()
}

/// Undoes codings that were applied in the given order, decoding no more than about `limit` bytes. `None` if the body is in a coding
/// that is not known.
pub(crate) fn decode<'b>(body: Body<'b>, codings: &[&[u8]], limit: usize) -> Option<Body<'b>> {
    if codings.len() > MAX_CODINGS {
        return None;
    }
    let mut body = body;
    for (number, coding) in codings.iter().enumerate().rev() {
        let most = if number == 0 { limit } else { limit.saturating_add(FRAMING) };
        body = match undo(coding, &body.bytes, most) {
            Undone::Decoded(name, part) => body.after(name, part),
            Undone::Text => Body { was_decoded: body.was_decoded || is_known(coding), ..body },
            Undone::Unknown => return None,
        };
    }
    Some(body.within(limit))
}

/// Undoes the codings that the bytes themselves show, decoding no more than about `limit` bytes. If there are too many, the last ones
/// are left.
pub(crate) fn decode_by_marks(mut body: Body<'_>, limit: usize) -> Body<'_> {
    for _ in 0..MAX_CODINGS {
        let Some(coding) = marked(&body.bytes) else { break };
        let mut part = coding.decode(&body.bytes, limit);
        // The next coding may take more bytes than its text.
        if part.bytes.len() >= limit && is_marked(&part.bytes) {
            part = coding.decode(&body.bytes, limit.saturating_add(FRAMING));
        }
        body = body.after(coding.name, part);
        if body.ending > Ending::Cut {
            break;
        }
    }
    body.within(limit)
}

/// The text of a body in a coding without a mark, bare deflate or Brotli, to try on one that is no text: if all of it is in that coding,
/// and its content is text, that is no chance. Without decoders, one that cannot be text in any encoding is taken for such a body.
pub(crate) fn decode_by_trial(raw: &[u8], limit: usize) -> Option<Body<'static>> {
    [&DEFLATE, &BROTLI].into_iter().find_map(|coding| {
        let part = coding.decode(raw, limit);
        let is_in_it = match part.ending {
            Ending::Whole => !part.bytes.is_empty() && looks_like_text(&part.bytes),
            Ending::Missing => !may_be_odd_text(raw),
            _ => false,
        };
        is_in_it.then(|| Body::whole(Cow::Borrowed(b"")).after(coding.name, part))
    })
}

/// A coding of bodies.
struct Coding {
    /// Its name in messages.
    name: &'static str,
    /// Its names in headers.
    headers: &'static [&'static str],
    /// Whether a body is in this coding, by its first bytes. A few bytes that are the beginning of a mark, and no text, are.
    is_marked: fn(&[u8]) -> bool,
    /// Whether a body may be in it, by as many bytes as there are; if not, it is not decoded.
    may_be: fn(&[u8]) -> bool,
    decode: fn(&[u8], usize) -> Part,
}

impl Coding {
    /// Decodes no more than about so many bytes.
    fn decode(&self, raw: &[u8], limit: usize) -> Part {
        if (self.may_be)(raw) { (self.decode)(raw, limit) } else { MISMATCH }
    }
}

/// As headers name it, zlib or bare; zlib has a mark, as bytes.
static DEFLATE: Coding =
    Coding { name: "deflate", headers: &["deflate"], is_marked: |_| false, may_be: |_| true, decode: inflated };
static BROTLI: Coding =
    Coding { name: "Brotli", headers: &["br"], is_marked: |_| false, may_be: |_| true, decode: unbrotli };

/// The codings that have a mark.
static MARKED: [Coding; 4] = [
    Coding {
        name: "gzip",
        headers: &["gzip", "x-gzip"],
        is_marked: |start| matches!(start, [0x1f] | [0x1f, 0x8b, ..]),
        may_be: |start| agrees(start, GZIP),
        decode: gunzipped,
    },
    Coding {
        name: "Zstandard",
        headers: &["zstd"],
        is_marked: |start| matches!(start, [0x28, 0xb5] | [0x28, 0xb5, 0x2f]) || begins_zstd(start),
        may_be: may_be_zstd,
        decode: unzstd,
    },
    Coding { name: "bzip2", headers: &[], is_marked: begins_bzip2, may_be: |_| true, decode: unbzip2 },
    Coding { name: "deflate", headers: &[], is_marked: is_zlib, may_be: |_| true, decode: unzlib },
];

/// Whether a body begins as zlib does, and is in that format, as far as that can be known: its mark is none that text has not.
fn is_zlib(raw: &[u8]) -> bool {
    let is_marked = matches!(raw, [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..]);
    is_marked && (!looks_like_text(raw) || matches!(unzlib(raw, FRAMING).ending, Ending::Whole | Ending::Missing))
}

/// The coding that bytes show.
fn marked(bytes: &[u8]) -> Option<&'static Coding> {
    MARKED.iter().find(|coding| (coding.is_marked)(bytes))
}

/// The coding that a header names.
fn named(name: &[u8]) -> Option<&'static Coding> {
    let codings = MARKED.iter().chain([&DEFLATE, &BROTLI]);
    codings.into_iter().find(|coding| coding.headers.iter().any(|header| name.eq_ignore_ascii_case(header.as_bytes())))
}

/// Whether bytes begin as a coding does that is known by its mark.
pub(crate) fn is_marked(bytes: &[u8]) -> bool {
    marked(bytes).is_some()
}

/// A body after one coding is undone.
#[derive(Debug, PartialEq, Eq)]
enum Undone {
    /// It was in the coding with this name.
    Decoded(&'static str, Part),
    /// It was not: it is text.
    Text,
    /// It is in a coding that is not known.
    Unknown,
}

/// Whether this is a coding, rather than a meaningless name, as some servers send.
pub(crate) fn is_known(coding: &[u8]) -> bool {
    named(coding).is_some()
}

fn undo(coding: &[u8], raw: &[u8], limit: usize) -> Undone {
    let Some(known) = named(coding) else {
        return if looks_like_text(raw) { Undone::Text } else { Undone::Unknown };
    };
    let (name, part) = (known.name, known.decode(raw, limit));
    // A few bytes of text may be the beginning of a compressed body; then that is what they are.
    let may_be_text = part.ending == Ending::Broken || raw.len() >= SURELY_TEXT;
    // What nobody can decode is a text only if it certainly is one.
    let is_missing = part.ending == Ending::Missing && !(raw.len() >= SURELY_TEXT && begins_as_ascii_text(raw));
    if part.ending == Ending::Whole || is_missing {
        Undone::Decoded(name, part)
    } else if may_be_text && looks_like_text(raw) {
        Undone::Text
    } else if part.bytes.is_empty() && is_in_another(coding, raw) {
        Undone::Unknown
    } else {
        Undone::Decoded(name, part)
    }
}

/// Whether a body is in another coding than the one named.
fn is_in_another(coding: &[u8], raw: &[u8]) -> bool {
    raw.starts_with(GZIP) && !coding.to_ascii_lowercase().ends_with(b"gzip")
        || raw.starts_with(ZSTD) && !coding.eq_ignore_ascii_case(b"zstd")
}
