//! What a body says: the text of a robots.txt, or why it is none. Every body is read so before it is parsed, wherever it is from.
//!
//! A crawler keeps a body as it was sent, or decoded; as bytes, or in a text that has a character for each byte. So it is decoded by the
//! header that came with it, and then by the marks of codings that its own bytes show. A body that no server can have meant as a
//! robots.txt is none: it has rules for nobody, and must not be mistaken for one that forbids nothing.

use std::borrow::Cow;

use crate::dialect::Dialect;
use crate::formats::coding::{self, Body, Ending};
use crate::formats::marks::{FileMark, MARKED};

/// How many bytes of a body show whether it is text.
const CHECKED: usize = 4 << 10;

/// In text, at most one byte in so many is NUL, but for a single one, or one hole.
const NULS: usize = 10;

/// The length of a byte order mark, which not every dialect counts in its limit, plus one byte to show that the limit is
/// exceeded.
const BEYOND_LIMIT: usize = 4;

/// The most bytes of a robots.txt that matter to any of these dialects: they read no further.
pub fn body_limit<'d>(dialects: impl IntoIterator<Item = &'d Dialect>) -> usize {
    let longest = dialects.into_iter().map(|dialect| dialect.file_limit).max();
    longest.unwrap_or(0).saturating_add(BEYOND_LIMIT)
}

named! {
    /// Why a body that arrived with a 2xx is no robots.txt. Its origin is deferred, and keeps the last good rules.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
    #[repr(u8)]
    #[non_exhaustive]
    pub enum BodyFlaw {
        /// It did not arrive whole, or could not be decoded to its end. The lines that did arrive are no robots.txt.
        Incomplete = "incomplete",
        /// It is no text: a compressed file of a kind that is not read, or that this program was built without, an archive, an image, a document, or full of NULs.
        NotText = "not-text",
    }
}

/// Why a body is no robots.txt, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BodyProblem {
    /// Its codings did not end where they should; the first of them that did not.
    #[error("its {0} data is damaged")]
    Damaged(&'static str),
    /// A coding ended early.
    #[error("its {0} data is cut short")]
    Cut(&'static str),
    /// A coding asks for more memory than a body may take.
    #[error("its {0} data needs a window of more than 8 MiB")]
    Costly(&'static str),
    /// It is in a coding whose decoder this program was built without, so its content is not known.
    #[error("its {0} data is not decoded without the cargo feature `batch`")]
    #[cfg_attr(feature = "batch", allow(dead_code))]
    Missing(&'static str),
    /// It is no text, but this, with an article.
    #[error("it is {0}, not a text")]
    NotText(&'static str),
    /// It is in a coding that is not known, and no text.
    #[error("it is in an unknown coding")]
    UnknownCoding,
}

impl BodyProblem {
    /// The flaw that it is to an origin; `None` if nothing is known of the body, as if it had not been sent.
    pub fn flaw(self) -> Option<BodyFlaw> {
        match self {
            BodyProblem::Damaged(_) | BodyProblem::Cut(_) | BodyProblem::Costly(_) => Some(BodyFlaw::Incomplete),
            BodyProblem::NotText(_) | BodyProblem::Missing(_) => Some(BodyFlaw::NotText),
            BodyProblem::UnknownCoding => None,
        }
    }
}

/// The text of a whole body with these codings, in the order in which they were applied. No more than about `limit` bytes are decoded.
/// A plain text is not copied.
///
/// # Errors
///
/// [`BodyProblem`] if it is no robots.txt.
pub fn text<'b>(raw: Cow<'b, [u8]>, codings: &[&[u8]], limit: usize) -> Result<Cow<'b, [u8]>, BodyProblem> {
    text_of(Body::whole(raw), codings, limit)
}

/// The text of a body, of which some codings may have been undone.
///
/// # Errors
///
/// [`BodyProblem`] if it is no robots.txt.
pub(crate) fn text_of<'b>(body: Body<'b>, codings: &[&[u8]], limit: usize) -> Result<Cow<'b, [u8]>, BodyProblem> {
    let body = read(body, codings, limit)?;
    body.problem().map_or(Ok(body.bytes), Err)
}

impl Body<'_> {
    /// The problem of its codings.
    pub(crate) fn problem(&self) -> Option<BodyProblem> {
        let problem = match self.ending {
            Ending::Whole => return None,
            Ending::Cut => BodyProblem::Cut,
            Ending::Broken => BodyProblem::Damaged,
            Ending::Costly => BodyProblem::Costly,
            Ending::Missing => BodyProblem::Missing,
        };
        self.damaged.map(problem)
    }
}

/// Decodes a body, or the part of it that arrived. Its text is a robots.txt only if it is whole.
///
/// # Errors
///
/// [`BodyProblem`] if it is in an unknown coding, or no text.
pub(crate) fn read<'b>(body: Body<'b>, codings: &[&[u8]], limit: usize) -> Result<Body<'b>, BodyProblem> {
    let is_odd = !coding::begins_as_ascii_text(&body.bytes);
    let is_coded = codings.iter().any(|coding| coding::is_known(coding));
    let body = match of_characters(&body.bytes, is_odd, is_coded) {
        Some(bytes) => Body { bytes: Cow::Owned(bytes), ..body },
        None => match replaced(&body.bytes) {
            Some(what) => return Err(BodyProblem::NotText(what)),
            None => body,
        },
    };
    let body = coding::decode(body, codings, limit).ok_or(BodyProblem::UnknownCoding)?;
    let mut body = coding::decode_by_marks(body, limit);
    if is_odd && body.ending == Ending::Whole && !coding::looks_like_text(&body.bytes) {
        let of_bytes = coding::decode_by_trial(&body.bytes, limit);
        let of_characters = || {
            let text = std::str::from_utf8(&body.bytes).ok().filter(|text| !text.is_ascii())?;
            coding::decode_by_trial(&bytes_of(text)?, limit)
        };
        body = of_bytes.or_else(of_characters).unwrap_or(body);
    }
    match other_than_text(&body.bytes) {
        Some(what) if body.ending <= Ending::Cut => Err(BodyProblem::NotText(what)),
        _ => Ok(body),
    }
}

/// The bytes that the characters of a text stand for, if each stands for one.
fn bytes_of(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.chars().count());
    for character in text.chars() {
        bytes.push(u8::try_from(u32::from(character)).ok()?);
    }
    Some(bytes)
}

/// The bytes of a text that has a character for each byte, as programs make it that take bytes for Latin-1: if it begins with a mark
/// then, or, of a body with a coding, if it is no text as it is.
fn of_characters(text: &[u8], is_odd: bool, is_coded: bool) -> Option<Vec<u8>> {
    if !is_odd || text.is_ascii() {
        return None;
    }
    let characters = std::str::from_utf8(text).ok()?;
    let start = bytes_of(characters.get(..characters.char_indices().nth(MARKED).map_or(text.len(), |(at, _)| at))?)?;
    let is_meant =
        is_coded && !coding::looks_like_text(text) || coding::is_marked(&start) || FileMark::of(&start).is_some();
    if is_meant { bytes_of(characters) } else { None }
}

/// How compressed files and images begin whose bytes were taken for UTF-8 or Windows-1252, or only in part for Latin-1, which cannot be
/// undone.
const REPLACED: [(&str, &str); 10] = [
    ("\u{1f}\u{8b}", "a gzip file with bytes that were replaced"),
    ("(\u{b5}/", "a Zstandard file with bytes that were replaced"),
    ("\u{1f}\u{fffd}", "a gzip file with bytes that were replaced"),
    ("\u{1f}\u{2039}", "a gzip file with bytes that were replaced"),
    ("(\u{fffd}/\u{fffd}", "a Zstandard file with bytes that were replaced"),
    ("x\u{fffd}", "a deflated file with bytes that were replaced"),
    ("x\u{153}", "a deflated file with bytes that were replaced"),
    ("\u{fffd}7zXZ", "an xz file with bytes that were replaced"),
    ("\u{fffd}PNG", "a PNG image with bytes that were replaced"),
    ("\u{fffd}\u{fffd}\u{fffd}", "a file with bytes that were replaced"),
];

/// What a file is some of whose bytes were replaced.
fn replaced(bytes: &[u8]) -> Option<&'static str> {
    REPLACED.iter().find(|(start, _)| bytes.starts_with(start.as_bytes())).map(|(_, what)| *what)
}

/// What a decoded body is, if it is no text.
fn other_than_text(bytes: &[u8]) -> Option<&'static str> {
    if let Some(mark) = FileMark::of(bytes) {
        return Some(mark.name);
    }
    let start = &bytes[..bytes.len().min(CHECKED)];
    let is_utf16 = start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff");
    let nuls = memchr::memchr_iter(0, start).count();
    let has_many = nuls > 1 && nuls * NULS > start.len() && !is_utf16;
    (has_many && !has_hole(bytes)).then(|| what_has_nuls(start))
}

/// Whether all NULs of a body are one hole in its text, with more text after it: a block that a disk lost. The text around it counts.
fn has_hole(bytes: &[u8]) -> bool {
    let (Some(first), Some(last)) = (memchr::memchr(0, bytes), memchr::memrchr(0, bytes)) else { return false };
    let length = last + 1 - first;
    first > 0 && length < bytes.len() - last && bytes[first..last].iter().all(|&byte| byte == 0)
}

/// What bytes are that have many NULs.
fn what_has_nuls(start: &[u8]) -> &'static str {
    let is_utf16 = |at: usize| start.chunks_exact(2).take(16).all(|pair| pair[at] == 0 && pair[1 - at] != 0);
    match start.len() >= 4 && (is_utf16(0) || is_utf16(1)) {
        true => "UTF-16 without its byte order mark",
        false => "a file full of NULs",
    }
}

/// Removes the last line if it is not terminated: a truncated rule may be a different rule.
#[cfg(feature = "warc")]
pub(crate) fn keep_whole_lines(body: &mut Vec<u8>) {
    let is_end = |unit: u16| unit == u16::from(b'\n') || unit == u16::from(b'\r');
    let last_unit = |unit: fn([u8; 2]) -> u16| {
        body.chunks_exact(2).rposition(|pair| is_end(unit([pair[0], pair[1]]))).map_or(0, |at| 2 * at + 2)
    };
    let end = match body.as_slice() {
        [0xff, 0xfe, ..] => last_unit(u16::from_le_bytes),
        [0xfe, 0xff, ..] => last_unit(u16::from_be_bytes),
        _ => memchr::memrchr2(b'\n', b'\r', body).map_or(0, |at| at + 1),
    };
    body.truncate(end);
}

#[cfg(test)]
#[cfg(feature = "batch")]
mod tests {
    use super::*;
    use crate::formats::coding::tests::{BROTLI, bzip2, deflate, gzip};

    const ROBOTS: &[u8] = b"User-agent: *\nDisallow: /private\n";
    const LIMIT: usize = 1 << 20;

    fn found(raw: &[u8], codings: &[&[u8]]) -> Result<Vec<u8>, BodyProblem> {
        text(raw.into(), codings, LIMIT).map(Cow::into_owned)
    }

    /// Bytes as the text that has a character for each.
    fn characters(bytes: &[u8]) -> Vec<u8> {
        bytes.iter().map(|&byte| char::from(byte)).collect::<String>().into_bytes()
    }

    #[test]
    fn a_text_is_what_it_is_and_is_not_copied() {
        for plain in [
            ROBOTS,
            b"",
            b"\n",
            b"User-agent: *\nDisallow: /\0\n",
            b"\xef\xbb\xbfUser-agent: *\n",
            b"\xff\xfeU\0s\0e\0r\0",
            b"\xfe\xff\0U\0s",
            b"<!doctype html>",
            "\u{e9}t\u{e9}: \u{fffd}".as_bytes(),
            b"# \xe9t\xe9 in Latin-1\n",
            b"\x1b[0m",
            b"\0",
            // By chance, all of it is bare deflate, and the content is text.
            "s\u{24d}OpO3A#H PH@".as_bytes(),
        ] {
            let text = text(plain.into(), &[], LIMIT).unwrap();
            assert!(matches!(text, Cow::Borrowed(_)) && *text == *plain, "{}", plain.escape_ascii());
        }
    }

    #[test]
    fn bytes_that_became_characters_are_bytes_again() {
        let zipped = gzip(ROBOTS);
        for (raw, codings) in [
            (characters(&zipped), &[][..]),
            (characters(&zipped), &[&b"gzip"[..]][..]),
            (characters(&gzip(&zipped)), &[]),
            (characters(&zstd::encode_all(ROBOTS, 3).unwrap()), &[]),
            (zipped, &[b"gzip"]),
            (characters(&deflate(ROBOTS)), &[]),
            (characters(&deflate(ROBOTS)), &[b"deflate"]),
            (characters(&bzip2(ROBOTS)), &[]),
        ] {
            assert_eq!(found(&raw, codings).as_deref(), Ok(ROBOTS), "{}", raw.escape_ascii());
        }
        let text = "# \u{e9}t\u{e9}\nUser-agent: *\nDisallow: /\u{e9}\n".as_bytes();
        assert_eq!(found(text, &[b"gzip"]).as_deref(), Ok(text), "it was decoded before");
        let lossy = String::from_utf8_lossy(&gzip(ROBOTS)).into_owned().into_bytes();
        assert_eq!(found(&lossy, &[b"gzip"]).unwrap_err().flaw(), Some(BodyFlaw::NotText));
        let beyond = [characters(&gzip(ROBOTS)), "\u{2039}".into()].concat();
        assert_eq!(found(&beyond, &[]).unwrap_err().flaw(), Some(BodyFlaw::NotText));
    }

    #[test]
    fn codings_without_a_mark_are_tried_on_no_text_alone() {
        for raw in [deflate(ROBOTS), BROTLI.to_vec()] {
            assert!(
                String::from_utf8(found(&raw, &[]).unwrap())
                    .unwrap()
                    .starts_with("User-agent: *\nDisallow: /private\n")
            );
            let cut = &raw[..raw.len() - 3];
            assert_eq!(found(cut, &[]), Ok(cut.to_vec()), "half of it may be anything");
        }
        let begins_like_text =
            b"K3LwusN+-\xb7R0\xe4\n-N-\xd2MLO\xcd+\xb1R\xd0\xe2r\xc9,N\xcc\xc9\xc9\x07\xca\xe8\x17\x14e\x96%\x96\xa4r\x01\0";
        let text = b"f1gEFCfuw: 1\nUser-agent: *\nDisallow: /private\n";
        for (raw, codings) in [
            (begins_like_text.to_vec(), &[][..]),
            (characters(begins_like_text), &[]),
            (characters(begins_like_text), &[&b"deflate"[..]][..]),
        ] {
            assert_eq!(found(&raw, codings).as_deref(), Ok(&text[..]), "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn no_text_is_told_by_what_it_is() {
        let nuls = |of: usize| [vec![0; of], vec![b'a'; 100 - of]].concat();
        for (raw, what) in [
            (b"\x89PNG\r\n\x1a\n".to_vec(), Some("a PNG image")),
            (characters(b"\x89PNG\r\n\x1a\n"), Some("a PNG image")),
            (gzip(b"%PDF-1.7"), Some("a PDF document")),
            (b"\xfd7zXZ\0".to_vec(), Some("an xz file")),
            (nuls(11), Some("a file full of NULs")),
            (nuls(10), None),
            ([&b"a"[..], &[0; 50], &[b'a'; 50]].concat(), None),
            ([&b"a"[..], &[0; 50], &[b'a'; 49]].concat(), Some("a file full of NULs")),
            ([&b"a"[..], &[0; 25], b"b", &[0; 25], &[b'a'; 99]].concat(), Some("a file full of NULs")),
            ([&[b'a'; 50][..], &[0; 50]].concat(), Some("a file full of NULs")),
            (b"U\0s\0e\0r\0".to_vec(), Some("UTF-16 without its byte order mark")),
            (b"\0U\0s\0e\0r".to_vec(), Some("UTF-16 without its byte order mark")),
        ] {
            let expected = what.map(BodyProblem::NotText);
            assert_eq!(found(&raw, &[]).err(), expected, "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn a_coding_that_fails_says_how() {
        let zipped = gzip(ROBOTS);
        let mut wrong = zipped.clone();
        wrong[zipped.len() - 6] ^= 1;
        let document = gzip(b"%PDF-1.7");
        let mut wrong_document = document.clone();
        wrong_document[document.len() - 6] ^= 1;
        for (raw, codings, problem) in [
            (&zipped[..20], &[][..], BodyProblem::Cut("gzip")),
            (&zipped[..20], &[&b"gzip"[..]][..], BodyProblem::Cut("gzip")),
            (&wrong, &[], BodyProblem::Damaged("gzip")),
            (&wrong_document, &[], BodyProblem::Damaged("gzip")),
            (&document[..document.len() - 6], &[], BodyProblem::NotText("a PDF document")),
            (b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00", &[], BodyProblem::Costly("Zstandard")),
            (b"", &[b"br"], BodyProblem::Cut("Brotli")),
            (b"\x1f\x9d\x90\x01\x02", &[b"compress"], BodyProblem::UnknownCoding),
            (&zipped, &[b"br"], BodyProblem::UnknownCoding),
        ] {
            assert_eq!(found(raw, codings), Err(problem), "{}", raw.escape_ascii());
        }
    }

    #[test]
    #[cfg(feature = "warc")]
    fn lines_are_kept_whole() {
        let kept = |body: &[u8]| {
            let mut body = body.to_vec();
            keep_whole_lines(&mut body);
            body
        };
        assert_eq!(kept(b"Disallow: /a\r\nAllow: /"), b"Disallow: /a\r\n");
        assert_eq!(kept(b"Disallow: /a\n"), b"Disallow: /a\n");
        assert_eq!(kept(b"Disallow: /"), b"");
        assert_eq!(kept(b"\xff\xfea\0b\0\n\0c"), b"\xff\xfea\0b\0\n\0");
        assert_eq!(kept(b"\xfe\xff\0a\0\n\0b\n"), b"\xfe\xff\0a\0\n");
    }
}
