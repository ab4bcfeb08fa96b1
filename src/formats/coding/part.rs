//! What a decoder makes of a body.

/// Bytes that were decoded, and how they end.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Part {
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
    /// There: it is in a coding whose decoder this program was built without.
    #[cfg_attr(feature = "batch", allow(dead_code))]
    Missing,
}

/// A body that does not begin as its coding does.
pub(super) const MISMATCH: Part = Part { bytes: Vec::new(), ending: Ending::Broken };

/// Decodes nothing: the program was built without decoders.
#[cfg(not(feature = "batch"))]
pub(super) fn missing(_raw: &[u8], _limit: usize) -> Part {
    Part { bytes: Vec::new(), ending: Ending::Missing }
}

/// How many bytes codings may take up in a body in addition to its text.
pub(crate) const FRAMING: usize = 32 << 20;

/// How many bytes are enough to tell text from compressed data.
const TEXT_CHECKED: usize = 1024;

/// How many bytes show whether a body may be compressed: of data that looks like ASCII for so long, there is none.
const START: usize = 64;

/// Whether bytes begin as ASCII text does, as no compressed data of some length.
pub(crate) fn begins_as_ascii_text(bytes: &[u8]) -> bool {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | 0x0c | b'\r' | 0x20..=0x7e);
    bytes[..bytes.len().min(START)].iter().all(is_text)
}

/// Whether bytes are text. Compressed data has bytes of all kinds, and soon ceases to be UTF-8.
pub(crate) fn looks_like_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(TEXT_CHECKED)];
    is_utf16(start) || !has_controls(start) && (is_utf8(start) || is_mostly_ascii(start))
}

/// Whether bytes that do not look like text may be one: in an older encoding, or with a stray byte. Compressed data, of which half is
/// not ASCII and a tenth no text has, is neither.
pub(super) fn may_be_odd_text(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(TEXT_CHECKED)];
    !has_controls(start) || is_utf8(start) || is_mostly_ascii(start)
}

fn is_utf16(start: &[u8]) -> bool {
    start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff")
}

fn has_controls(start: &[u8]) -> bool {
    start.iter().any(|byte| matches!(byte, 0..=8 | 11 | 14..=26 | 28..=31 | 127))
}

fn is_utf8(start: &[u8]) -> bool {
    // The last character may be cut.
    std::str::from_utf8(start).map_or_else(|error| error.error_len().is_none(), |_| true)
}

/// Comments may be in an older encoding.
fn is_mostly_ascii(start: &[u8]) -> bool {
    start.iter().filter(|byte| !byte.is_ascii()).count() * 8 <= start.len()
}
