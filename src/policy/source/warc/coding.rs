//! Undoes the transfer and content codings of a body.
//!
//! An archive may keep a body as it was sent, or decoded with the fields that name its coding still in place. So each
//! coding named is tried: if the body is not in that coding but is text, it was decoded before. If it is neither, its
//! content is unknown, and must not be mistaken for an empty robots.txt, which allows everything.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use httparse::{Status, parse_chunk_size};
use std::io::Read;
use zstd::stream::read::Decoder as ZstdDecoder;

/// A decoded body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub bytes: Vec<u8>,
    /// Whether it is complete, or as long as was asked for.
    pub whole: bool,
}

/// The largest Zstandard window in HTTP (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// A limit on codings, above the number that servers apply.
const MAX_CODINGS: usize = 8;

/// How many bytes are enough to tell text from compressed data.
const TEXT_CHECKED: usize = 1024;

/// How many bytes of brotli output are decoded at a time.
const STEP: usize = 64 << 10;

/// Undoes `codings`, which were applied in this order, decoding no more than about `limit` bytes. `None` if the body is
/// neither encoded that way nor text.
pub(super) fn decode<'c>(raw: Vec<u8>, codings: impl Iterator<Item = &'c [u8]>, limit: usize) -> Option<Body> {
    let codings: Vec<&[u8]> = codings.filter(|coding| !coding.eq_ignore_ascii_case(b"identity")).collect();
    let mut body = Body { bytes: raw, whole: true };
    if codings.len() > MAX_CODINGS {
        return None;
    }
    for coding in codings.iter().rev() {
        let undone = undo(coding, body.bytes, limit)?;
        body = Body { whole: undone.whole && body.whole, ..undone };
    }
    Some(body)
}

fn undo(coding: &[u8], raw: Vec<u8>, limit: usize) -> Option<Body> {
    let undone = match coding.to_ascii_lowercase().as_slice() {
        // Chunked text looks like text itself; a body that does not begin with a chunk is not chunked.
        b"chunked" => return Some(dechunked(&raw, limit).unwrap_or(Body { bytes: raw, whole: true })),
        b"gzip" | b"x-gzip" => gunzipped(&raw, limit),
        b"deflate" => inflated(&raw, limit),
        b"zstd" => unzstd(&raw, limit),
        b"br" => unbrotli(&raw, limit),
        // A meaningless name, as some servers send, or an unknown coding.
        _ => Body { bytes: Vec::new(), whole: false },
    };
    if undone.whole {
        Some(undone)
    } else if looks_like_text(&raw) {
        Some(Body { bytes: raw, whole: true })
    } else {
        Some(undone).filter(|undone| !undone.bytes.is_empty())
    }
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
    let whole = decoder.take(limit as u64).read_to_end(&mut bytes).is_ok();
    Body { bytes, whole }
}

fn gunzipped(mut raw: &[u8], limit: usize) -> Body {
    let mut all = read(GzDecoder::new(&mut raw), limit);
    // Further members belong to the body; anything else after them is ignored, as browsers do.
    while all.whole && all.bytes.len() < limit && raw.starts_with(b"\x1f\x8b") {
        let member = read(GzDecoder::new(&mut raw), limit - all.bytes.len());
        all.bytes.extend_from_slice(&member.bytes);
        all.whole = member.whole;
    }
    all
}

/// The coding `deflate` is the zlib format; some servers send bare deflate.
fn inflated(mut raw: &[u8], limit: usize) -> Body {
    let zlib = read(ZlibDecoder::new(raw), limit);
    if zlib.whole || !zlib.bytes.is_empty() {
        return zlib;
    }
    let bare = read(DeflateDecoder::new(&mut raw), limit);
    // Text can pass for a bare stream that ends early.
    Body { whole: bare.whole && (raw.is_empty() || bare.bytes.len() == limit), ..bare }
}

fn unzstd(raw: &[u8], limit: usize) -> Body {
    let decoder = ZstdDecoder::with_buffer(raw).and_then(|mut decoder| {
        decoder.window_log_max(ZSTD_WINDOW_LOG)?;
        Ok(decoder)
    });
    decoder.map_or(Body { bytes: Vec::new(), whole: false }, |decoder| read(decoder, limit))
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
        let whole = match result {
            BrotliResult::NeedsMoreOutput if bytes.len() < limit => continue,
            BrotliResult::NeedsMoreOutput => true,
            // Text can pass for a stream that ends early.
            BrotliResult::ResultSuccess => left == 0,
            BrotliResult::NeedsMoreInput | BrotliResult::ResultFailure => false,
        };
        return Body { bytes, whole };
    }
}

/// The content of the chunks (RFC 9112 7.1); `None` if there are none.
fn dechunked(raw: &[u8], limit: usize) -> Option<Body> {
    let (mut rest, mut bytes) = (raw, Vec::new());
    while bytes.len() < limit {
        // The parser takes an empty line for the last chunk, but a text may begin with one.
        let size = parse_chunk_size(rest).ok().filter(|_| rest.first().is_some_and(u8::is_ascii_hexdigit));
        let Some(Status::Complete((start, size))) = size else { return cut(bytes) };
        if size == 0 {
            break;
        }
        let data = &rest[start..];
        let (data, after) = data.split_at(usize::try_from(size).map_or(data.len(), |size| size.min(data.len())));
        match after {
            [b'\r', b'\n', after @ ..] => rest = after,
            [] | [b'\r'] => rest = b"",
            _ => return cut(bytes),
        }
        bytes.extend_from_slice(data);
    }
    Some(Body { bytes, whole: true })
}

/// What there is of chunks that end early; `None` if that is nothing.
fn cut(bytes: Vec<u8>) -> Option<Body> {
    (!bytes.is_empty()).then_some(Body { bytes, whole: false })
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /private/too\n";
    const LIMIT: usize = 1 << 20;

    /// [`TEXT`] in brotli.
    const BROTLI: &[u8] = b"\x1b\x37\x00\xe0\x2d\x0e\xcc\x73\xb9\x4e\x22\x8a\xee\x5c\x28\x9d\x2c\xfa\x35\x51\xd5\x1c\x9d\x52\x79\x69\x85\x97\x37\x39\x09\x52\x96\x56\x2d\x3a\xb0\x01\x27\x44\x81\x14\x0e\x78\xae\x4e\xa0\xac\x51\x6e\xe0\x74\xe8\xf0\x55\x2f\x00";

    fn gzip(text: &[u8]) -> Vec<u8> {
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
        decode(raw.to_vec(), codings.split_whitespace().map(str::as_bytes), LIMIT)
    }

    fn whole(bytes: &[u8]) -> Option<Body> {
        Some(Body { bytes: bytes.to_vec(), whole: true })
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
            ("gzip identity chunked", chunks(&gzip(TEXT), 9)),
            ("br gzip", gzip(BROTLI)),
        ]
    }

    #[test]
    fn every_coding_is_undone_and_a_decoded_body_is_left_as_it_is() {
        for (codings, raw) in encoded() {
            assert_eq!(decoded(&raw, codings), whole(TEXT), "{codings}");
            for text in [TEXT, b"", b"# comment\n", b"Note: f\n", b"\xef\xbb\xbfUser-agent: *\n", b"\xff\xfea\0"] {
                assert_eq!(decoded(text, codings), whole(text), "{codings}");
            }
        }
        assert_eq!(decoded(TEXT, "UTF-8"), whole(TEXT), "no coding at all");
    }

    #[test]
    fn a_text_of_any_first_byte_is_no_stream() {
        for first in b' '..=0xff {
            for codings in ["gzip", "deflate", "zstd", "br"] {
                for tail in [TEXT, b"\n", b"a"].iter().take(if first < 0x7f { 3 } else { 1 }) {
                    let text = [&[first], *tail].concat();
                    let expected = if first == 0x7f { None } else { whole(&text) };
                    assert_eq!(decoded(&text, codings), expected, "{codings}: {}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn what_is_cut_short_keeps_what_is_there() {
        for (codings, raw) in encoded().into_iter().filter(|(codings, _)| *codings != "br gzip") {
            let body = decoded(&raw[..raw.len() - 20], codings);
            // So little of the body may be left that nothing comes out.
            if let Some(body) = body {
                assert!(!body.whole && TEXT.starts_with(&body.bytes), "{codings}: {body:?}");
            }
        }
        assert_eq!(decoded(&chunks(TEXT, 7)[..14], "chunked").unwrap().bytes, &TEXT[..7]);
        let long: Vec<u8> =
            (0..60_000u32).flat_map(|n| format!("Disallow: /{}\n", n * 7919 % 1_000_003).into_bytes()).collect();
        for (codings, raw) in [("gzip", gzip(&long)), ("zstd", zstd::encode_all(&long[..], 3).unwrap())] {
            let body = decoded(&raw[..raw.len() / 2], codings).unwrap();
            assert!(!body.whole && body.bytes.len() > 1000 && long.starts_with(&body.bytes), "{codings}");
        }
    }

    #[test]
    fn what_is_neither_encoded_nor_text_is_nothing() {
        for (codings, raw) in [
            ("br", gzip(TEXT)),
            ("compress", b"\x1f\x9d\x90U\xe6\x94\x01".to_vec()),
            ("gzip", b"\x1f\x8b\x08\0\0".to_vec()),
            ("zstd", vec![0; 100]),
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
            let body = decode(raw, std::iter::once(codings.as_bytes()), 1000).unwrap();
            assert!(body.whole && (1000..=1500).contains(&body.bytes.len()), "{codings}: {}", body.bytes.len());
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
}
