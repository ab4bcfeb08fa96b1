//! Transfer codings of HTTP/1.1, undone: chunks, and those that are content codings, too. An archive may keep a body as it was sent, or
//! without them.

use httparse::{Status, parse_chunk_size};
use std::borrow::Cow;

use crate::formats::coding::{self, Body, Ending, FRAMING, MAX_CODINGS};

/// Undoes transfer codings that were applied in the given order, decoding no more than about `limit` bytes and what content codings take.
/// `None` if the body is in a coding that is not known.
pub(super) fn decode(raw: Vec<u8>, codings: &[&[u8]], limit: usize) -> Option<Body<'static>> {
    if codings.len() > MAX_CODINGS {
        return None;
    }
    let between = limit.saturating_add(FRAMING);
    let mut body = Body::whole(Cow::Owned(raw));
    for coding in codings.iter().rev() {
        if !is_chunks(coding) {
            body = coding::decode(body, &[coding], between)?;
        } else if let Some((bytes, ending)) = unchunked(&body.bytes, between) {
            let damaged = body.damaged.or((ending != Ending::Whole).then_some("chunked"));
            body = Body { bytes: Cow::Owned(bytes), ending: ending.max(body.ending), damaged, ..body };
        }
    }
    Some(body)
}

/// Whether a coding is that of chunks.
pub(super) fn is_chunks(coding: &[u8]) -> bool {
    coding.eq_ignore_ascii_case(b"chunked")
}

/// Whether a body with this coding is not stored as it was sent, or may not be.
pub(super) fn is_known(coding: &[u8]) -> bool {
    is_chunks(coding) || coding::is_known(coding)
}

/// How a chunked body ends, if nothing is missing and there are no trailers.
const LAST: &[u8] = b"0\r\n\r\n";

/// The content of the chunks (RFC 9112, section 7.1), up to about `limit` bytes. It is whole once the last chunk has begun (section 8).
/// `None` if the body is not in chunks.
fn unchunked(raw: &[u8], limit: usize) -> Option<(Vec<u8>, Ending)> {
    // Text looks like text whether or not it is chunked.
    if !is_chunked(raw) {
        return None;
    }
    let (mut rest, mut bytes) = (raw, Vec::new());
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
    Some((bytes, ending))
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
mod tests {
    use super::*;
    use crate::formats::coding::tests::gzip;

    const TEXT: &[u8] = b"User-agent: *\nDisallow: /private\nDisallow: /private/too\n";

    fn chunks(text: &[u8], size: usize) -> Vec<u8> {
        let chunk = |chunk: &[u8]| [format!("{:X};x=y\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat();
        let mut all: Vec<u8> = text.chunks(size).flat_map(chunk).collect();
        all.extend_from_slice(b"0\r\nTrailer: x\r\n\r\n");
        all
    }

    fn decoded(raw: &[u8], codings: &[&[u8]], limit: usize) -> (Vec<u8>, Ending) {
        let body = decode(raw.to_vec(), codings, limit).unwrap();
        (body.bytes.into_owned(), body.ending)
    }

    #[test]
    fn codings_are_undone_and_a_decoded_body_is_left_as_it_is() {
        for (raw, codings) in [
            (chunks(TEXT, 7), &[&b"chunked"[..]][..]),
            (chunks(TEXT, 1000), &[b"Chunked"]),
            (chunks(&gzip(TEXT), 9), &[b"gzip", b"chunked"]),
        ] {
            assert_eq!(decoded(&raw, codings, 1 << 20), (TEXT.to_vec(), Ending::Whole));
            assert_eq!(decoded(TEXT, codings, 1 << 20), (TEXT.to_vec(), Ending::Whole));
            for end in 0..raw.len() {
                // Trailers after the last chunk do not matter.
                let has_last_chunk = raw[..end].windows(5).any(|bytes| bytes == b"\r\n0\r\n");
                let (_, ending) = decoded(&raw[..end], codings, 1 << 20);
                assert_eq!(ending == Ending::Cut, !has_last_chunk, "{end}");
            }
        }
    }

    #[test]
    fn not_many_more_chunks_are_read_than_the_limit() {
        let (bytes, ending) = unchunked(&chunks(&vec![b'a'; 1 << 20], 500), 1000).unwrap();
        assert!(ending == Ending::Whole && (1000..=1500).contains(&bytes.len()), "{}", bytes.len());
    }

    fn undone(raw: &[u8]) -> Option<(Vec<u8>, Ending)> {
        unchunked(raw, 100)
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
            assert_eq!(undone(raw), Some((text.to_vec(), ending)), "{}", raw.escape_ascii());
        }
    }

    #[test]
    fn a_text_that_is_not_chunked_is_left_as_it_is() {
        for text in [&b"User-agent: *\n"[..], b"Disallow: /", b"\n", b"\r\n0\r\n", b"# 0\n", b"\xff\xfea\0", b"<html>"]
        {
            assert_eq!(undone(text), None, "{}", text.escape_ascii());
        }
    }
}
