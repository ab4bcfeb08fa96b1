//! How codings begin.

/// A Zstandard skippable frame that holds the dictionary for the frames after it.
pub(crate) const DICTIONARY_MAGIC: [u8; 4] = [0x5d, 0x2a, 0x4d, 0x18];

/// The beginnings of gzip and Zstandard.
pub(super) const GZIP: &[u8] = b"\x1f\x8b";
pub(crate) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Whether bytes, which may be few, begin with a mark.
pub(super) fn agrees(raw: &[u8], mark: &[u8]) -> bool {
    raw.iter().zip(mark).all(|(byte, expected)| byte == expected)
}

/// Whether a body begins as bzip2 does. A few bytes are, if they begin with the size of a block, and as much of pi, or of its square
/// root, as there is.
pub(crate) fn begins_bzip2(raw: &[u8]) -> bool {
    let [b'B', b'Z', b'h', b'1'..=b'9', first, rest @ ..] = raw else { return false };
    [b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"]
        .iter()
        .any(|digits| *first == digits[0] && agrees(rest, &digits[1..]))
}

pub(crate) fn begins_zstd(start: &[u8]) -> bool {
    matches!(start, [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..])
}

/// Whether a body may be in Zstandard, by as many bytes as there are: a skippable frame may come first.
pub(super) fn may_be_zstd(raw: &[u8]) -> bool {
    let is_skippable = raw.first().is_some_and(|first| first & 0xf0 == 0x50) && agrees(&raw[1..], b"\x2a\x4d\x18");
    agrees(raw, ZSTD) || is_skippable
}
