//! Decoders of bodies, which are in memory: each decodes as much as is asked for, and says how the body ends.

use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};
use bzip2::bufread::BzDecoder;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use std::borrow::Cow;
use std::io::{self, Read};
use zstd::stream::read::Decoder as ZstdDecoder;

use super::begins::{DICTIONARY_MAGIC, GZIP, ZSTD, agrees, begins_bzip2};
use super::part::{Ending, FRAMING, MISMATCH, Part};

/// The largest Zstandard window in HTTP (RFC 9659): 8 MiB.
const ZSTD_WINDOW_LOG: u32 = 23;

/// How many bytes of brotli output are decoded at a time.
const STEP: usize = 64 << 10;

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

/// A body that begins with the mark of zlib, which text may do, too.
pub(super) fn unzlib(raw: &[u8], limit: usize) -> Part {
    read(ZlibDecoder::new(raw), limit)
}
