//! Decoders of bodies, which are in memory: each decodes as much as is asked for, and says how the body ends.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bzip2::bufread::BzDecoder;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

/// What a decoder makes of a body.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub bytes: Vec<u8>,
    pub ending: Ending,
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

/// How many bytes of brotli output are decoded at a time.
const STEP: usize = 64 << 10;

/// How many bytes codings may take up in a body in addition to its text.
pub(crate) const FRAMING: usize = 32 << 20;

/// A Zstandard skippable frame that holds the dictionary for the frames after it.
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The beginnings of gzip and Zstandard.
pub(super) const GZIP: &[u8] = b"\x1f\x8b";
pub(super) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// How many bytes are enough to tell text from compressed data.
const TEXT_CHECKED: usize = 1024;

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
pub(super) fn read(decoder: impl Read, limit: usize) -> Part {
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
pub(super) fn agrees(raw: &[u8], mark: &[u8]) -> bool {
    raw.iter().zip(mark).all(|(byte, expected)| byte == expected)
}

/// Members, one after the other, as far as they begin as they should; anything else after the first is ignored, as browsers do.
fn members(mut raw: &[u8], limit: usize, one: fn(&mut &[u8], usize) -> Part, begins: fn(&[u8]) -> bool) -> Part {
    let mut all = one(&mut raw, limit);
    while all.ending == Ending::Whole && all.bytes.len() < limit && begins(raw) {
        let member = one(&mut raw, limit - all.bytes.len());
        all.bytes.extend_from_slice(&member.bytes);
        all.ending = member.ending;
    }
    all
}

pub(super) fn gunzipped(raw: &[u8], limit: usize) -> Part {
    if !agrees(raw, GZIP) {
        return MISMATCH;
    }
    let begins = |raw: &[u8]| !raw.is_empty() && agrees(raw, GZIP);
    members(raw, limit, |raw, limit| read(GzDecoder::new(raw), limit), begins)
}

/// The coding `deflate` is the zlib format; some servers send bare deflate.
pub(super) fn inflated(mut raw: &[u8], limit: usize) -> Part {
    let zlib = read(ZlibDecoder::new(raw), limit);
    if zlib.ending != Ending::Broken || !zlib.bytes.is_empty() {
        return zlib;
    }
    let bare = read(DeflateDecoder::new(&mut raw), limit);
    // Text can pass for a bare stream that ends early.
    let has_rest = bare.ending == Ending::Whole && bare.bytes.len() < limit && !raw.is_empty();
    Part { ending: if has_rest { Ending::Broken } else { bare.ending }, ..bare }
}

pub(super) fn unzstd(raw: &[u8], limit: usize) -> Part {
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

pub(super) fn unbzip2(raw: &[u8], limit: usize) -> Part {
    members(raw, limit, |raw, limit| read(BzDecoder::new(raw), limit), begins_bzip2)
}

pub(super) fn unbrotli(raw: &[u8], limit: usize) -> Part {
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

/// Whether a body begins as bzip2 does. A few bytes are, if they begin with the size of a block, and as much of pi, or of its square
/// root, as there is.
pub(super) fn begins_bzip2(raw: &[u8]) -> bool {
    let [b'B', b'Z', b'h', b'1'..=b'9', first, rest @ ..] = raw else { return false };
    [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"]
        .iter()
        .any(|digits| *first == digits[0] && agrees(rest, &digits[1..]))
}

/// A body that begins with the mark of zlib, which text may do, too.
pub(super) fn unzlib(raw: &[u8], limit: usize) -> Part {
    read(ZlibDecoder::new(raw), limit)
}

/// Whether a body begins as zlib does, and is in that format: its mark is none that text has not.
pub(super) fn is_zlib(raw: &[u8]) -> bool {
    let is_marked = matches!(raw, [b'x', 0x01 | 0x5e | 0x9c | 0xda, ..]);
    is_marked && (!looks_like_text(raw) || unzlib(raw, FRAMING).ending == Ending::Whole)
}
