//! The content codings of HTTP, undone: gzip, deflate, Zstandard and Brotli, as a header names them, and those of these and bzip2 that
//! bytes themselves show.
//!
//! Crawlers keep a body as it was sent, or decoded with the header that names its coding still in place. So each coding named is
//! tried: if the body is not in that coding but is text, it was decoded before. If it is in a coding that is not known, its content
//! is unknown, and must not be mistaken for an empty file.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bzip2::bufread::BzDecoder;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::compression::{Compression, DICTIONARY_MAGIC};

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

/// How a body ends, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Ending {
    /// Where it should, or at the limit of what was asked for.
    Whole,
    /// Early. All bytes before are as they were sent.
    Cut,
    /// At damage, or nothing is known about the rest.
    Broken,
    /// Where it asks for more memory than a body may take.
    Costly,
}

/// The largest Zstandard window in HTTP (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A limit on codings, above the number that servers apply.
pub(crate) const MAX_CODINGS: usize = 8;

/// How many bytes are enough to tell text from compressed data.
const TEXT_CHECKED: usize = 1024;

/// The length from which bytes that look like text are not the beginning of compressed data by chance.
const SURELY_TEXT: usize = 16;

/// How many bytes of brotli output are decoded at a time.
const STEP: usize = 64 << 10;

/// How many bytes codings may take up in a body in addition to its text.
pub(crate) const FRAMING: usize = 32 << 20;

/// The beginnings of gzip and Zstandard.
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

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
        let Some(coding) = Marked::of(&body.bytes) else { break };
        let mut part = coding.undone(&body.bytes, limit);
        // The next coding may take more bytes than its text.
        if part.bytes.len() >= limit && is_marked(&part.bytes) {
            part = coding.undone(&body.bytes, limit.saturating_add(FRAMING));
        }
        body = body.after(coding.name(), part);
        if body.ending > Ending::Cut {
            break;
        }
    }
    body.within(limit)
}

/// The text of a body in a coding without a mark, bare deflate or Brotli, to try on one that is no text: if all of it is in that coding,
/// and its content is text, that is no chance.
pub(crate) fn decode_by_trial(raw: &[u8], limit: usize) -> Option<Body<'static>> {
    [inflated, unbrotli].into_iter().find_map(|undone| {
        let part = undone(raw, limit);
        let is_text = part.ending == Ending::Whole && !part.bytes.is_empty() && looks_like_text(&part.bytes);
        is_text.then(|| Body::whole(Cow::Owned(part.bytes)))
    })
}

/// Whether bytes begin as a coding does that is known by its mark.
pub(crate) fn is_marked(bytes: &[u8]) -> bool {
    Marked::of(bytes).is_some()
}

/// A coding that bytes show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Marked {
    Gzip,
    Zstd,
    Bzip2,
    Zlib,
}

impl Marked {
    /// The coding of a body that begins so. A few bytes that are the beginning of a mark, and no text, are its beginning.
    fn of(bytes: &[u8]) -> Option<Marked> {
        match bytes {
            [0x1f] | [0x1f, 0x8b, ..] => Some(Marked::Gzip),
            [0x28, 0xb5] | [0x28, 0xb5, 0x2f] => Some(Marked::Zstd),
            // The size of a block, and as much of pi, or of its square root, as there is.
            [b'B', b'Z', b'h', b'1'..=b'9', _, rest @ ..] if bytes.len() < 10 => {
                let is_part = |digits: &[u8]| bytes[4] == digits[0] && agrees(rest, &digits[1..]);
                let is_stream = is_part(b"\x31\x41\x59\x26\x53\x59") || is_part(b"\x17\x72\x45\x38\x50\x90");
                is_stream.then_some(Marked::Bzip2)
            }
            [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..] => is_zlib(bytes).then_some(Marked::Zlib),
            _ => match Compression::of(bytes)? {
                Compression::Gzip => Some(Marked::Gzip),
                Compression::Zstd => Some(Marked::Zstd),
                Compression::Bzip2 => Some(Marked::Bzip2),
            },
        }
    }

    fn name(self) -> &'static str {
        match self {
            Marked::Gzip => "gzip",
            Marked::Zstd => "Zstandard",
            Marked::Bzip2 => "bzip2",
            Marked::Zlib => "deflate",
        }
    }

    fn undone(self, raw: &[u8], limit: usize) -> Part {
        match self {
            Marked::Gzip => gunzipped(raw, limit),
            Marked::Zstd => unzstd(raw, limit),
            Marked::Bzip2 => unbzip2(raw, limit),
            Marked::Zlib => read(ZlibDecoder::new(raw), limit),
        }
    }
}

/// Whether bytes that begin as zlib does are in that format: it has no mark, and text may begin so.
fn is_zlib(raw: &[u8]) -> bool {
    !looks_like_text(raw) || read(ZlibDecoder::new(raw), FRAMING).ending == Ending::Whole
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

/// What a decoder makes of a body.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    bytes: Vec<u8>,
    ending: Ending,
}

/// Decodes no more than about so many bytes.
type Decoder = fn(&[u8], usize) -> Part;

/// The codings that are known, each with the name in messages.
const CODINGS: [(&[u8], &str, Decoder); 5] = [
    (b"gzip", "gzip", gunzipped),
    (b"x-gzip", "gzip", gunzipped),
    (b"deflate", "deflate", inflated),
    (b"zstd", "Zstandard", unzstd),
    (b"br", "Brotli", unbrotli),
];

/// Whether this is a coding, rather than a meaningless name, as some servers send.
pub(crate) fn is_known(coding: &[u8]) -> bool {
    CODINGS.iter().any(|(name, ..)| coding.eq_ignore_ascii_case(name))
}

fn undo(coding: &[u8], raw: &[u8], limit: usize) -> Undone {
    let Some((_, name, decoder)) = CODINGS.iter().find(|(name, ..)| coding.eq_ignore_ascii_case(name)) else {
        return if looks_like_text(raw) { Undone::Text } else { Undone::Unknown };
    };
    let part = decoder(raw, limit);
    // A few bytes of text may be the beginning of a compressed body; then that is what they are.
    let may_be_text = part.ending == Ending::Broken || raw.len() >= SURELY_TEXT;
    if part.ending == Ending::Whole {
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

/// Whether bytes are text. Compressed data has bytes of all kinds, and soon ceases to be UTF-8.
pub(crate) fn looks_like_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(TEXT_CHECKED)];
    let is_control = |byte: &u8| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127);
    // The last character may be cut.
    let is_utf8 = std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true);
    // Comments may be in an older encoding.
    let is_mostly_ascii = start.iter().filter(|byte| !byte.is_ascii()).count() * 8 <= start.len();
    start.starts_with(b"\xff\xfe")
        || start.starts_with(b"\xfe\xff")
        || !start.iter().any(is_control) && (is_utf8 || is_mostly_ascii)
}

/// The output of a decoder, up to the limit.
fn read(decoder: impl Read, limit: usize) -> Part {
    let mut bytes = Vec::new();
    let ending = match decoder.take(limit as u64).read_to_end(&mut bytes) {
        Ok(_) => Ending::Whole,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ending::Cut,
        // The library reports this in no other way.
        Err(error) if error.to_string().contains("requires too much memory") => Ending::Costly,
        Err(_) => Ending::Broken,
    };
    Part { bytes, ending }
}

/// A body that does not begin as its coding does.
const MISMATCH: Part = Part { bytes: Vec::new(), ending: Ending::Broken };

/// Whether bytes, which may be few, begin with a mark.
fn agrees(raw: &[u8], mark: &[u8]) -> bool {
    raw.iter().zip(mark).all(|(byte, expected)| byte == expected)
}

fn gunzipped(mut raw: &[u8], limit: usize) -> Part {
    if !agrees(raw, GZIP) {
        return MISMATCH;
    }
    let mut all = read(GzDecoder::new(&mut raw), limit);
    // Further members belong to the body; anything else after them is ignored, as browsers do.
    while all.ending == Ending::Whole && all.bytes.len() < limit && !raw.is_empty() && agrees(raw, GZIP) {
        let member = read(GzDecoder::new(&mut raw), limit - all.bytes.len());
        all.bytes.extend_from_slice(&member.bytes);
        all.ending = member.ending;
    }
    all
}

/// The coding `deflate` is the zlib format; some servers send bare deflate.
fn inflated(mut raw: &[u8], limit: usize) -> Part {
    let zlib = read(ZlibDecoder::new(raw), limit);
    if zlib.ending != Ending::Broken || !zlib.bytes.is_empty() {
        return zlib;
    }
    let bare = read(DeflateDecoder::new(&mut raw), limit);
    // Text can pass for a bare stream that ends early.
    let has_rest = bare.ending == Ending::Whole && bare.bytes.len() < limit && !raw.is_empty();
    Part { ending: if has_rest { Ending::Broken } else { bare.ending }, ..bare }
}

fn unzstd(raw: &[u8], limit: usize) -> Part {
    // A skippable frame may come first.
    let is_skippable = raw.first().is_some_and(|first| first & 0xf0 == 0x50) && agrees(&raw[1..], b"\x2a\x4d\x18");
    if !agrees(raw, ZSTD) && !is_skippable {
        return MISMATCH;
    }
    let Some((dictionary, frames)) = dictionary(raw) else { return Part { bytes: Vec::new(), ending: Ending::Cut } };
    let decoder = ZstdDecoder::with_dictionary(frames, &dictionary).and_then(|mut decoder| {
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        Ok(decoder)
    });
    decoder.map_or(MISMATCH, |decoder| read(decoder, limit))
}

/// The dictionary that frames begin with, which may itself be compressed, and the frames; `None` if it is cut short.
fn dictionary(raw: &[u8]) -> Option<(Cow<'_, [u8]>, &[u8])> {
    let Some(rest) = raw.strip_prefix(&DICTIONARY_MAGIC) else { return Some((Cow::Borrowed(b""), raw)) };
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let (dictionary, frames) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    match dictionary.starts_with(ZSTD) {
        false => Some((Cow::Borrowed(dictionary), frames)),
        true => Some((Cow::Owned(unzstd(dictionary, FRAMING).bytes), frames)),
    }
}

/// Streams of bzip2, one after the other; anything else after them is ignored, as after gzip.
fn unbzip2(mut raw: &[u8], limit: usize) -> Part {
    let mut all = read(BzDecoder::new(&mut raw), limit);
    while all.ending == Ending::Whole
        && all.bytes.len() < limit
        && !raw.is_empty()
        && Marked::of(raw) == Some(Marked::Bzip2)
    {
        let stream = read(BzDecoder::new(&mut raw), limit - all.bytes.len());
        all.bytes.extend_from_slice(&stream.bytes);
        all.ending = stream.ending;
    }
    all
}

fn unbrotli(raw: &[u8], limit: usize) -> Part {
    let alloc = StandardAlloc::default;
    let mut state = BrotliState::new(alloc(), alloc(), alloc());
    let (mut left, mut at, mut total) = (raw.len(), 0, 0);
    let mut bytes = Vec::new();
    loop {
        let start = bytes.len();
        bytes.resize(start + STEP, 0);
        let (mut room, mut written) = (STEP, 0);
        let place = &mut bytes[start..];
        let result =
            BrotliDecompressStream(&mut left, &mut at, raw, &mut room, &mut written, place, &mut total, &mut state);
        bytes.truncate(start + written);
        let ending = match result {
            BrotliResult::NeedsMoreOutput if bytes.len() < limit => continue,
            BrotliResult::NeedsMoreOutput => Ending::Whole,
            // Text can pass for a stream that ends early.
            BrotliResult::ResultSuccess if left == 0 => Ending::Whole,
            BrotliResult::NeedsMoreInput => Ending::Cut,
            BrotliResult::ResultSuccess | BrotliResult::ResultFailure => Ending::Broken,
        };
        return Part { bytes, ending };
    }
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

    fn bzip2(text: &[u8]) -> Vec<u8> {
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
