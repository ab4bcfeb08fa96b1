//! The body of an answer, how it ends, and the transfer coding `chunked` (RFC 9112, section 7.1).

use httparse::{Status, parse_chunk_size};

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
pub(super) enum Undone {
    /// It was in that coding.
    Decoded(Body),
    /// It was not: it is text.
    Text(Vec<u8>),
    /// It is in a coding that is not known.
    Unknown,
}

/// How a chunked body ends, if nothing is missing and there are no trailers.
const LAST: &[u8] = b"0\r\n\r\n";

/// The content of the chunks, up to about `limit` bytes. It is whole once the last chunk has begun (section 8).
pub(super) fn unchunked(raw: Vec<u8>, limit: usize) -> Undone {
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
mod tests {
    use super::*;

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
