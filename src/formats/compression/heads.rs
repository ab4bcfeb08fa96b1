//! Finds where members, frames or streams may begin.

use memchr::memmem;

use super::kind::Compression;

/// Bytes needed to recognise a possible beginning.
pub(super) const HEAD: usize = 10;

/// The first place in `bytes` where a member, frame or stream may begin, of which [`HEAD`] bytes are there.
pub(super) fn first_head(compression: Compression, bytes: &[u8]) -> Option<usize> {
    // The bytes to search for, and how many bytes of a head precede them.
    let marks: &[(&[u8], usize)] = match compression {
        Compression::Gzip => &[(&[0x1f, 0x8b, 0x08], 0)],
        Compression::Zstd => &[(&[0xb5, 0x2f, 0xfd], 1), (&[0x2a, 0x4d, 0x18], 1)],
        Compression::Bzip2 => &[(b"BZh", 0)],
    };
    let first = |&(mark, before): &(&[u8], usize)| {
        let mut heads = memmem::find_iter(bytes, mark).filter_map(|at| at.checked_sub(before));
        heads.find(|&at| bytes.get(at..at + HEAD).is_some_and(|bytes| is_head(compression, bytes)))
    };
    marks.iter().filter_map(first).min()
}

/// Whether a member, frame or stream may begin with these bytes.
fn is_head(compression: Compression, bytes: &[u8]) -> bool {
    Compression::of(bytes) == Some(compression) && (compression != Compression::Gzip || bytes[3] & 0xe0 == 0)
}
