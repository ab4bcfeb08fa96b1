//! The content codings of HTTP, undone: gzip, deflate, Zstandard and Brotli, as a header names them, and those of these and bzip2 that
//! bytes themselves show.
//!
//! Crawlers keep a body as it was sent, or decoded with the header that names its coding still in place. So each coding named is
//! tried: if the body is not in that coding but is text, it was decoded before. If it is in a coding that is not known, its content
//! is unknown, and must not be mistaken for an empty file.

use std::borrow::Cow;

use super::begins::{GZIP, ZSTD, begins_bzip2, begins_zstd};
#[cfg(feature = "batch")]
use super::decoders::{gunzipped, inflated, unbrotli, unbzip2, unzlib, unzstd};
use super::part::{Ending, FRAMING, Part, begins_as_ascii_text, looks_like_text, may_be_odd_text};
#[cfg(not(feature = "batch"))]
use super::without_decoders::{gunzipped, inflated, unbrotli, unbzip2, unzlib, unzstd};

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
const SURELY_TEXT: usize = 16;

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
        let mut part = (coding.decode)(&body.bytes, limit);
        // The next coding may take more bytes than its text.
        if part.bytes.len() >= limit && is_marked(&part.bytes) {
            part = (coding.decode)(&body.bytes, limit.saturating_add(FRAMING));
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
        let part = (coding.decode)(raw, limit);
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
    /// Decodes no more than about so many bytes.
    decode: fn(&[u8], usize) -> Part,
}

/// As headers name it, zlib or bare; zlib has a mark, as bytes.
static DEFLATE: Coding = Coding { name: "deflate", headers: &["deflate"], is_marked: |_| false, decode: inflated };
static BROTLI: Coding = Coding { name: "Brotli", headers: &["br"], is_marked: |_| false, decode: unbrotli };

/// The codings that have a mark.
static MARKED: [Coding; 4] = [
    Coding {
        name: "gzip",
        headers: &["gzip", "x-gzip"],
        is_marked: |start| matches!(start, [0x1f] | [0x1f, 0x8b, ..]),
        decode: gunzipped,
    },
    Coding {
        name: "Zstandard",
        headers: &["zstd"],
        is_marked: |start| matches!(start, [0x28, 0xb5] | [0x28, 0xb5, 0x2f]) || begins_zstd(start),
        decode: unzstd,
    },
    Coding { name: "bzip2", headers: &[], is_marked: begins_bzip2, decode: unbzip2 },
    Coding { name: "deflate", headers: &[], is_marked: is_zlib, decode: unzlib },
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
    let Some(&Coding { name, decode, .. }) = named(coding) else {
        return if looks_like_text(raw) { Undone::Text } else { Undone::Unknown };
    };
    let part = decode(raw, limit);
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

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /private/too\n";
    const LIMIT: usize = 1 << 20;

    /// [`TEXT`] in brotli.
    pub(crate) const BROTLI: &[u8] = b"\x1b\x37\x00\xe0\x2d\x0e\xcc\x73\xb9\x4e\x22\x8a\xee\x5c\x28\x9d\x2c\xfa\x35\x51\xd5\x1c\x9d\x52\x79\x69\x85\x97\x37\x39\x09\x52\x96\x56\x2d\x3a\xb0\x01\x27\x44\x81\x14\x0e\x78\xae\x4e\xa0\xac\x51\x6e\xe0\x74\xe8\xf0\x55\x2f\x00";

    pub(crate) fn gzip(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn zlib(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    pub(crate) fn deflate(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    /// The bytes of a body and how it ends.
    type Found = Option<(Vec<u8>, Ending)>;

    fn decoded_within(raw: &[u8], codings: &str, limit: usize) -> Found {
        let codings: Vec<&[u8]> = codings.split_whitespace().map(str::as_bytes).collect();
        let body = decode(Body::whole(raw.into()), &codings, limit)?;
        Some((body.bytes.into_owned(), body.ending))
    }

    fn decoded(raw: &[u8], codings: &str) -> Found {
        decoded_within(raw, codings, LIMIT)
    }

    fn whole(bytes: &[u8]) -> Found {
        Some((bytes.to_vec(), Ending::Whole))
    }

    /// Each coding, with [`TEXT`] encoded in it.
    fn encoded() -> Vec<(&'static str, Vec<u8>)> {
        vec![
            ("gzip", gzip(TEXT)),
            ("X-GZip", [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat()),
            ("deflate", zlib(TEXT)),
            ("deflate", deflate(TEXT)),
            ("zstd", zstd::encode_all(TEXT, 3).unwrap()),
            ("br", BROTLI.to_vec()),
            ("br gzip", gzip(BROTLI)),
            ("zstd deflate", zlib(&zstd::encode_all(TEXT, 3).unwrap())),
        ]
    }

    #[test]
    fn every_coding_is_undone_and_a_decoded_body_is_left_as_it_is() {
        for (codings, raw) in encoded() {
            assert_eq!(decoded(&raw, codings), whole(TEXT), "{codings}");
            for text in [TEXT, b"# a longer comment\n", b"\xef\xbb\xbfUser-agent: *\n", b"\xff\xfea\0"] {
                assert_eq!(decoded(text, codings), whole(text), "{codings}");
            }
        }
        for text in [TEXT, b""] {
            assert_eq!(decoded(text, "UTF-8"), whole(text), "no coding at all");
        }
    }

    /// A few bytes may be the beginning of a stream of brotli or deflate; they are never its end.
    #[test]
    fn a_text_of_any_first_byte_is_no_stream() {
        for first in b' '..=0xff {
            for codings in ["gzip", "deflate", "zstd", "br"] {
                for tail in [TEXT, b"\n", b"a"].iter().take(if first < 0x7f { 3 } else { 1 }) {
                    let text = [&[first], *tail].concat();
                    let found = decoded(&text, codings).unwrap();
                    let name = format!("{codings}: {}", text.escape_ascii());
                    if text.len() > SURELY_TEXT && first != 0x7f {
                        assert_eq!(Some(found), whole(&text), "{name}");
                    } else if found.1 == Ending::Whole {
                        assert_eq!(found.0, text, "{name}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_cut_short_anywhere_is_not_whole() {
        for (codings, raw) in encoded() {
            for end in 0..raw.len() {
                let body = decoded(&raw[..end], codings).unwrap_or_else(|| panic!("{codings} {end}"));
                // The second of two files does not matter.
                let is_first = codings == "X-GZip" && end == gzip(&TEXT[..20]).len();
                if !is_first {
                    assert_eq!(body.1, Ending::Cut, "{codings}, {end}: {body:?}");
                }
                assert!(TEXT.starts_with(&body.0) || codings.contains(' '), "{codings}, {end}: {body:?}");
            }
        }
        let long: Vec<u8> =
            (0..60_000u32).flat_map(|n| format!("Disallow: /{}\n", n * 7919 % 1_000_003).into_bytes()).collect();
        for (codings, raw) in [("gzip", gzip(&long)), ("zstd", zstd::encode_all(&long[..], 3).unwrap())] {
            let body = decoded(&raw[..raw.len() / 2], codings).unwrap();
            assert!(body.1 == Ending::Cut && body.0.len() > 1000, "{codings}");
            assert!(long.starts_with(&body.0), "{codings}");
        }
    }

    #[test]
    fn what_is_damaged_anywhere_is_not_whole() {
        let checked = |text: &[u8]| {
            let mut encoder = zstd::stream::write::Encoder::new(Vec::new(), 3).unwrap();
            encoder.include_checksum(true).unwrap();
            encoder.write_all(text).unwrap();
            encoder.finish().unwrap()
        };
        for (codings, raw) in [
            ("gzip", gzip(TEXT)),
            ("gzip", [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat()),
            ("deflate", zlib(TEXT)),
            ("zstd", checked(TEXT)),
            ("gzip zstd", checked(&gzip(TEXT))),
        ] {
            for at in 0..raw.len() {
                for bit in [0x01, 0x10, 0x80] {
                    let mut damaged = raw.clone();
                    damaged[at] ^= bit;
                    let body = decoded(&damaged, codings);
                    // Some bytes do not matter, such as the time in a gzip file; and what follows a file may be anything.
                    let good = |bytes: &[u8]| bytes == TEXT || codings == "gzip" && bytes == &TEXT[..20];
                    let is_fine = body.as_ref().is_none_or(|body| body.1 != Ending::Whole || good(&body.0));
                    assert!(is_fine, "{codings}, {at}, {bit:x}: {body:?}");
                }
            }
        }
        let second = [gzip(&TEXT[..20]), {
            let mut member = gzip(&TEXT[20..]);
            member[14] ^= 0x55;
            member
        }]
        .concat();
        assert_eq!(decoded(&second, "gzip").unwrap().1, Ending::Broken);
        let more = [&gzip(TEXT)[..], b"garbage"].concat();
        assert_eq!(decoded(&more, "gzip"), whole(TEXT), "what follows is ignored");
        let more = [BROTLI, b"garbage"].concat();
        assert_eq!(decoded(&more, "br").unwrap().1, Ending::Broken, "nothing proves that brotli ended");
    }

    #[test]
    fn what_is_neither_encoded_nor_text_is_nothing() {
        for (codings, raw) in [
            ("br", gzip(TEXT)),
            ("gzip", zstd::encode_all(TEXT, 3).unwrap()),
            ("compress", b"\x1f\x9d\x90U\xe6\x94\x01".to_vec()),
            ("gzip gzip gzip gzip gzip gzip gzip gzip gzip", TEXT.to_vec()),
        ] {
            assert_eq!(decoded(&raw, codings), None, "{codings}");
        }
    }

    #[test]
    fn no_more_is_decoded_than_the_limit() {
        let zeros = vec![b'a'; 1 << 20];
        for (codings, raw) in [
            ("gzip", gzip(&zeros)),
            ("gzip", [gzip(b"a"), gzip(&zeros)].concat()),
            ("deflate", zlib(&zeros)),
            ("deflate", deflate(&zeros)),
            ("zstd", zstd::encode_all(&zeros[..], 3).unwrap()),
        ] {
            let (bytes, ending) = decoded_within(&raw, codings, 1000).unwrap();
            let is_whole = ending == Ending::Whole;
            assert!(is_whole && (1000..=1500).contains(&bytes.len()), "{codings}: {}", bytes.len());
        }
    }

    fn by_marks(raw: &[u8]) -> (Vec<u8>, Ending, Option<&'static str>) {
        let body = decode_by_marks(Body::whole(raw.into()), LIMIT);
        (body.bytes.into_owned(), body.ending, body.damaged)
    }

    pub(crate) fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut encoder = ::bzip2::write::BzEncoder::new(Vec::new(), ::bzip2::Compression::fast());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn codings_are_known_by_their_marks() {
        let zstd = |text: &[u8]| zstd::encode_all(text, 3).unwrap();
        for raw in [
            gzip(TEXT),
            [gzip(&TEXT[..20]), gzip(&TEXT[20..])].concat(),
            gzip(&gzip(TEXT)),
            zstd(TEXT),
            [b"\x50\x2a\x4d\x18\x01\0\0\0x", &zstd(TEXT)[..]].concat(),
            bzip2(TEXT),
            [bzip2(&TEXT[..20]), bzip2(&TEXT[20..])].concat(),
            zlib(TEXT),
            zlib(&bzip2(&zstd(&gzip(TEXT)))),
            TEXT.to_vec(),
        ] {
            assert_eq!(by_marks(&raw), (TEXT.to_vec(), Ending::Whole, None), "{}", raw.escape_ascii());
        }
        for text in [&b"x^2\n"[..], b"x\x01", b"(", b"BZh9 is how bzip2 begins", b"BZh", b"P*M", b""] {
            let is_text = by_marks(text) == (text.to_vec(), Ending::Whole, None);
            assert_eq!(is_text, text != b"x\x01", "{}", text.escape_ascii());
        }
    }

    #[test]
    fn what_is_cut_or_damaged_behind_its_mark_is_not_whole() {
        for (raw, name, least) in [
            (gzip(TEXT), "gzip", 1),
            (zstd::encode_all(TEXT, 3).unwrap(), "Zstandard", 2),
            (bzip2(TEXT), "bzip2", 5),
            (zlib(TEXT), "deflate", 3),
        ] {
            for end in least..raw.len() {
                let (_, ending, damaged) = by_marks(&raw[..end]);
                assert_eq!((ending, damaged), (Ending::Cut, Some(name)), "{name} {end}");
            }
        }
        // A frame of nothing that claims a window of 256 MiB.
        let frame = b"\x28\xb5\x2f\xfd\x00\x90\x01\x00\x00";
        assert_eq!(by_marks(frame), (Vec::new(), Ending::Costly, Some("Zstandard")));
    }

    #[test]
    fn layers_are_bounded() {
        let layered = |layers: usize| (0..layers).fold(TEXT.to_vec(), |text, _| gzip(&text));
        assert_eq!(by_marks(&layered(MAX_CODINGS)).0, TEXT);
        assert!(is_marked(&by_marks(&layered(MAX_CODINGS + 1)).0));
    }
}
