//! The body of an answer, how it ends, and its transfer and content codings, which are undone.
//!
//! An archive may keep a body as it was sent, or decoded with the fields that name its coding still in place. So each
//! coding named is tried: if the body is not in that coding but is text, it was decoded before. If it is in a coding that is
//! not known, its content is unknown, and must not be mistaken for an empty robots.txt, which allows everything.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use httparse::{Status, parse_chunk_size};
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub body: Body,
    /// The length of what was sent, in bytes: without transfer codings, with content codings. `None` if that is not what is
    /// stored.
    pub sent: Option<u64>,
}

/// The largest Zstandard window in HTTP (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A limit on codings, above the number that servers apply.
const MAX_CODINGS: usize = 8;

/// How many bytes are enough to tell text from compressed data.
const TEXT_CHECKED: usize = 1024;

/// The length from which bytes that look like text are not the beginning of compressed data by chance.
const SURELY_TEXT: usize = 16;

/// How many bytes of brotli output are decoded at a time.
const STEP: usize = 64 << 10;

/// How many bytes codings may take up in a body in addition to its text.
pub(super) const FRAMING: usize = 32 << 20;

/// The beginnings of gzip and Zstandard; the other codings have none.
const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Undoes transfer codings and then content codings, each applied in the given order, decoding no more than about `limit`
/// bytes. `None` if the body is in a coding that is not known.
pub(super) fn decode(raw: Vec<u8>, transfer: &[&[u8]], content: &[&[u8]], limit: usize) -> Option<Decoded> {
    if transfer.len() + content.len() > MAX_CODINGS {
        return None;
    }
    let between = limit.saturating_add(FRAMING);
    let mut body = Body { bytes: raw, ending: Ending::Whole };
    for coding in transfer.iter().rev() {
        body = without(coding, body, between)?.0;
    }
    let mut sent = Some(body.bytes.len() as u64);
    for (number, coding) in content.iter().enumerate().rev() {
        let (decoded, was_text) = without(coding, body, if number == 0 { limit } else { between })?;
        if was_text && is_known(coding) {
            sent = None;
        }
        body = decoded;
    }
    // Bytes after the limit do not matter, and neither does how they end.
    if body.bytes.len() >= limit {
        body.ending = Ending::Whole;
    }
    Some(Decoded { body, sent })
}

/// A body without a coding, and whether it was text already; `None` if it is in one that is not known.
fn without(coding: &[u8], body: Body, limit: usize) -> Option<(Body, bool)> {
    let Body { bytes, ending } = body;
    match undo(coding, bytes, limit) {
        Undone::Decoded(undone) => Some((Body { ending: undone.ending.max(ending), ..undone }, false)),
        Undone::Text(bytes) => Some((Body { bytes, ending }, true)),
        Undone::Unknown => None,
    }
}

/// Whether this is a coding, rather than a meaningless name, as some servers send.
pub(super) fn is_known(coding: &[u8]) -> bool {
    [&b"chunked"[..], b"gzip", b"x-gzip", b"deflate", b"zstd", b"br"]
        .iter()
        .any(|name| coding.eq_ignore_ascii_case(name))
}

fn undo(coding: &[u8], raw: Vec<u8>, limit: usize) -> Undone {
    let undone = match coding.to_ascii_lowercase().as_slice() {
        b"chunked" => return unchunked(raw, limit),
        b"gzip" | b"x-gzip" => gunzipped(&raw, limit),
        b"deflate" => inflated(&raw, limit),
        b"zstd" => unzstd(&raw, limit),
        b"br" => unbrotli(&raw, limit),
        _ if looks_like_text(&raw) => return Undone::Text(raw),
        _ => return Undone::Unknown,
    };
    // A few bytes of text may be the beginning of a compressed body; then that is what they are.
    let may_be_text = undone.ending == Ending::Broken || raw.len() >= SURELY_TEXT;
    if undone.ending == Ending::Whole {
        Undone::Decoded(undone)
    } else if may_be_text && looks_like_text(&raw) {
        Undone::Text(raw)
    } else if undone.bytes.is_empty() && is_in_another(coding, &raw) {
        Undone::Unknown
    } else {
        Undone::Decoded(undone)
    }
}

/// Whether a body is in another coding than the one named.
fn is_in_another(coding: &[u8], raw: &[u8]) -> bool {
    raw.starts_with(GZIP) && !coding.to_ascii_lowercase().ends_with(b"gzip")
        || raw.starts_with(ZSTD) && !coding.eq_ignore_ascii_case(b"zstd")
}

/// Whether bytes are text. Compressed data has bytes of all kinds, and soon ceases to be UTF-8.
fn looks_like_text(bytes: &[u8]) -> bool {
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
fn read(decoder: impl Read, limit: usize) -> Body {
    let mut bytes = Vec::new();
    let ending = match decoder.take(limit as u64).read_to_end(&mut bytes) {
        Ok(_) => Ending::Whole,
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ending::Cut,
        Err(_) => Ending::Broken,
    };
    Body { bytes, ending }
}

/// A body that does not begin as its coding does.
const MISMATCH: Body = Body { bytes: Vec::new(), ending: Ending::Broken };

/// Whether bytes, which may be few, begin with a mark.
fn agrees(raw: &[u8], mark: &[u8]) -> bool {
    raw.iter().zip(mark).all(|(byte, expected)| byte == expected)
}

fn gunzipped(mut raw: &[u8], limit: usize) -> Body {
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
fn inflated(mut raw: &[u8], limit: usize) -> Body {
    let zlib = read(ZlibDecoder::new(raw), limit);
    if zlib.ending != Ending::Broken || !zlib.bytes.is_empty() {
        return zlib;
    }
    let bare = read(DeflateDecoder::new(&mut raw), limit);
    // Text can pass for a bare stream that ends early.
    let has_rest = bare.ending == Ending::Whole && bare.bytes.len() < limit && !raw.is_empty();
    Body { ending: if has_rest { Ending::Broken } else { bare.ending }, ..bare }
}

fn unzstd(raw: &[u8], limit: usize) -> Body {
    // A skippable frame may come first.
    let is_skippable = raw.first().is_some_and(|first| first & 0xf0 == 0x50) && agrees(&raw[1..], b"\x2a\x4d\x18");
    if !agrees(raw, ZSTD) && !is_skippable {
        return MISMATCH;
    }
    let decoder = ZstdDecoder::with_buffer(raw).and_then(|mut decoder| {
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        Ok(decoder)
    });
    decoder.map_or(MISMATCH, |decoder| read(decoder, limit))
}

fn unbrotli(raw: &[u8], limit: usize) -> Body {
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
        return Body { bytes, ending };
    }
}

/// Removes the last line if it is not terminated: a truncated rule may be a different rule.
pub(super) fn keep_whole_lines(body: &mut Vec<u8>) {
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

/// A body, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub bytes: Vec<u8>,
    pub ending: Ending,
}

/// How a body ends, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// Where it should, or at the limit of what was asked for.
    Whole,
    /// Early. All bytes before are as they were sent.
    Cut,
    /// At damage, or nothing is known about the rest.
    Broken,
}

/// A body after one coding is undone.
#[derive(Debug, PartialEq, Eq)]
enum Undone {
    /// It was in that coding.
    Decoded(Body),
    /// It was not: it is text.
    Text(Vec<u8>),
    /// It is in a coding that is not known.
    Unknown,
}

/// How a chunked body ends, if nothing is missing and there are no trailers.
const LAST: &[u8] = b"0\r\n\r\n";

/// The content of the chunks (RFC 9112, section 7.1), up to about `limit` bytes. It is whole once the last chunk has begun (section 8).
fn unchunked(raw: Vec<u8>, limit: usize) -> Undone {
    // Text looks like text whether or not it is chunked.
    if !is_chunked(&raw) {
        return Undone::Text(raw);
    }
    let (mut rest, mut bytes) = (&raw[..], Vec::new());
    let ending = loop {
        if bytes.len() >= limit {
            break Ending::Whole;
        }
        // The parser takes an empty line for the last chunk.
        let (start, size) = match (rest.first().map(u8::is_ascii_hexdigit), parse_chunk_size(rest)) {
            (None, _) | (Some(true), Ok(Status::Partial)) => break Ending::Cut,
            (Some(true), Ok(Status::Complete(line))) => line,
            _ => break Ending::Broken,
        };
        if size == 0 {
            break Ending::Whole;
        }
        let data = &rest[start..];
        let (data, after) = data.split_at(usize::try_from(size).map_or(data.len(), |size| size.min(data.len())));
        bytes.extend_from_slice(data);
        rest = match after {
            [b'\r', b'\n', after @ ..] => after,
            [] | [b'\r'] => break Ending::Cut,
            _ => break Ending::Broken,
        };
    };
    Undone::Decoded(Body { bytes, ending })
}

/// Whether a body is chunked: its first line is a size, or would be if there were more of it, or its end is that of one.
fn is_chunked(raw: &[u8]) -> bool {
    let line = raw.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let size = line.split(|&byte| byte == b';').next().unwrap_or_default().trim_ascii();
    raw.is_empty()
        || !size.is_empty() && size.iter().all(u8::is_ascii_hexdigit)
        || raw == LAST
        || raw.strip_suffix(LAST).is_some_and(|before| before.ends_with(b"\r\n"))
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /private/too\n";
    const LIMIT: usize = 1 << 20;

    /// [`TEXT`] in brotli.
    const BROTLI: &[u8] = b"\x1b\x37\x00\xe0\x2d\x0e\xcc\x73\xb9\x4e\x22\x8a\xee\x5c\x28\x9d\x2c\xfa\x35\x51\xd5\x1c\x9d\x52\x79\x69\x85\x97\x37\x39\x09\x52\x96\x56\x2d\x3a\xb0\x01\x27\x44\x81\x14\x0e\x78\xae\x4e\xa0\xac\x51\x6e\xe0\x74\xe8\xf0\x55\x2f\x00";

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

    fn deflate(text: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
        encoder.write_all(text).unwrap();
        encoder.finish().unwrap()
    }

    fn chunks(text: &[u8], size: usize) -> Vec<u8> {
        let chunk = |chunk: &[u8]| [format!("{:X};x=y\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
        let mut all: Vec<u8> = text.chunks(size).flat_map(chunk).collect();
        all.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        all
    }

    fn decoded(raw: &[u8], codings: &str) -> Option<Body> {
        let codings: Vec<&[u8]> = codings.split_whitespace().map(str::as_bytes).collect();
        let (transfer, content): (Vec<_>, Vec<_>) = codings.into_iter().partition(|coding| *coding == b"chunked");
        decode(raw.to_vec(), &transfer, &content, LIMIT).map(|decoded| decoded.body)
    }

    fn whole(bytes: &[u8]) -> Option<Body> {
        Some(Body { bytes: bytes.to_vec(), ending: Ending::Whole })
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
            ("chunked", chunks(TEXT, 7)),
            ("chunked", chunks(TEXT, 1000)),
            ("gzip chunked", chunks(&gzip(TEXT), 9)),
            ("br gzip", gzip(BROTLI)),
            ("zstd deflate chunked", chunks(&zlib(&zstd::encode_all(TEXT, 3).unwrap()), 40)),
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
                    } else if found.ending == Ending::Whole {
                        assert_eq!(found.bytes, text, "{name}");
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
                // Trailers after the last chunk do not matter, and neither does the second of two files.
                let has_last_chunk = codings.ends_with("chunked") && raw[..end].windows(5).any(|w| w == b"\r\n0\r\n");
                let is_first = codings == "X-GZip" && end == gzip(&TEXT[..20]).len();
                if !has_last_chunk && !is_first {
                    assert_eq!(body.ending, Ending::Cut, "{codings}, {end}: {body:?}");
                }
                assert!(TEXT.starts_with(&body.bytes) || codings.contains(' '), "{codings}, {end}: {body:?}");
            }
        }
        let long: Vec<u8> =
            (0..60_000u32).flat_map(|n| format!("Disallow: /{}\n", n * 7919 % 1_000_003).into_bytes()).collect();
        for (codings, raw) in [("gzip", gzip(&long)), ("zstd", zstd::encode_all(&long[..], 3).unwrap())] {
            let body = decoded(&raw[..raw.len() / 2], codings).unwrap();
            assert!(body.ending == Ending::Cut && body.bytes.len() > 1000, "{codings}");
            assert!(long.starts_with(&body.bytes), "{codings}");
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
            ("gzip chunked", chunks(&gzip(TEXT), 9)),
        ] {
            for at in 0..raw.len() {
                for bit in [0x01, 0x10, 0x80] {
                    let mut damaged = raw.clone();
                    damaged[at] ^= bit;
                    let body = decoded(&damaged, codings);
                    // Some bytes do not matter, such as the time in a gzip file; and what follows a file may be anything.
                    let good = |bytes: &[u8]| bytes == TEXT || codings == "gzip" && bytes == &TEXT[..20];
                    let is_fine = body.as_ref().is_none_or(|body| body.ending != Ending::Whole || good(&body.bytes));
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
        assert_eq!(decoded(&second, "gzip").unwrap().ending, Ending::Broken);
        let more = [&gzip(TEXT)[..], b"garbage"].concat();
        assert_eq!(decoded(&more, "gzip"), whole(TEXT), "what follows is ignored");
        let more = [BROTLI, b"garbage"].concat();
        assert_eq!(decoded(&more, "br").unwrap().ending, Ending::Broken, "nothing proves that brotli ended");
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
            ("chunked", chunks(&zeros, 500)),
        ] {
            let body = decode(raw, &[], &[codings.as_bytes()], 1000).unwrap().body;
            let is_whole = body.ending == Ending::Whole;
            assert!(is_whole && (1000..=1500).contains(&body.bytes.len()), "{codings}: {}", body.bytes.len());
        }
    }

    #[test]
    fn lines_are_kept_whole() {
        let kept = |body: &[u8]| {
            let mut body = body.to_vec();
            keep_whole_lines(&mut body);
            body
        };
        assert_eq!(kept(b"Disallow: /a\r\nAllow: /"), b"Disallow: /a\r\n");
        assert_eq!(kept(b"Disallow: /a\n"), b"Disallow: /a\n");
        assert_eq!(kept(b"Disallow: /"), b"");
        assert_eq!(kept(b"\xff\xfea\0\n\0b"), b"\xff\xfea\0\n\0");
        assert_eq!(kept(b"\xfe\xff\0a\0\n\0b\n"), b"\xfe\xff\0a\0\n");
    }

    fn undone(raw: &[u8]) -> Undone {
        unchunked(raw.to_vec(), 100)
    }

    #[test]
    fn chunks_end_with_the_last_one() {
        for (raw, text, ending) in [
            (&b"3\r\nabc\r\n0\r\n\r\n"[..], &b"abc"[..], Ending::Whole),
            (b"3;x=y \r\nabc\r\n00\r\nTrailer: x\r\n\r\n", b"abc", Ending::Whole),
            (b"3\r\nabc\r\n0\r\n", b"abc", Ending::Whole),
            (b"0\r\n\r\n", b"", Ending::Whole),
            (b"3\r\nabc\r\n0\r", b"abc", Ending::Cut),
            (b"3\r\nabc\r\n", b"abc", Ending::Cut),
            (b"3\r\nabc\r", b"abc", Ending::Cut),
            (b"3\r\nabc", b"abc", Ending::Cut),
            (b"3\r\nab", b"ab", Ending::Cut),
            (b"3\r\n", b"", Ending::Cut),
            (b"3", b"", Ending::Cut),
            (b"", b"", Ending::Cut),
            (b"3\r\nabcd\r\n0\r\n\r\n", b"abc", Ending::Broken),
            (b"3\r\nabc\r\n\r\n0\r\n\r\n", b"abc", Ending::Broken),
            (b"3\r\nabc\r\nx\r\nabc\r\n0\r\n\r\n", b"abc", Ending::Broken),
            (b"-3\r\nabc\r\n0\r\n\r\n", b"", Ending::Broken),
            (b"0x3\r\nabc\r\n0\r\n\r\n", b"", Ending::Broken),
            (b"fffffffffffffffffffff\r\nabc\r\n", b"", Ending::Broken),
        ] {
            assert_eq!(undone(raw), Undone::Decoded(Body { bytes: text.to_vec(), ending }), "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn a_text_that_is_not_chunked_is_left_as_it_is() {
        for text in [&b"User-agent: *\n"[..], b"Disallow: /", b"\n", b"\r\n0\r\n", b"# 0\n", b"\xff\xfea\0", b"<html>"]
        {
            assert_eq!(undone(text), Undone::Text(text.to_vec()), "{}", text.escape_ascii());
        }
    }
}
