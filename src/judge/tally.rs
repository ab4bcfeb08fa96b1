//! Counts and checksums of a sequence of lines, to prove that no line was lost.
//!
//! Each line, without its LF, is hashed by XXH3 (128 bits, seed 0). `sum` adds the hashes modulo 2^128: it does not depend on
//! the order of lines, so that parts can be compared with the whole. `order` adds the sums of all beginnings of the sequence,
//! as Fletcher's checksum does, and so also notices two lines that changed places.
//!
//! Both are computed over the lines as read. The buffers handed to the operating system are [compared](super::place::prove) with
//! those lines; if they hold more than lines, both are computed again from the buffers.
//!
//! This proves the absence of faults, not of forgers: XXH3 is fast and spreads well, but lines whose hashes collide can be
//! made on purpose.

use super::lines;
use xxhash_rust::xxh3::xxh3_128;

/// The name of the hash in receipts.
pub(crate) const LINE_HASH: &str = "XXH3-128, seed 0, of each line without its LF";

/// The hash of a line, given without its LF. It shows faults; it is not cryptographic, so lines that collide can be made on
/// purpose.
#[inline]
pub fn line_hash(line: &[u8]) -> u128 {
    xxh3_128(line)
}

/// Counts and checksums of a sequence of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Tally {
    /// The number of lines.
    pub lines: u64,
    /// The number of bytes, including line ends.
    pub bytes: u64,
    /// The sum of the hashes of all lines, modulo 2^128.
    pub sum: u128,
    /// The sum of that sum after each line, modulo 2^128.
    pub order: u128,
}

impl Tally {
    /// Adds a line with this [`line_hash`], which has `bytes` bytes with its LF.
    #[inline]
    pub fn add_hashed(&mut self, hash: u128, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes as u64;
        self.add_hash(hash);
    }

    /// Adds a line's hash without counting the line.
    #[inline(always)]
    pub(super) fn add_hash(&mut self, hash: u128) {
        self.sum = self.sum.wrapping_add(hash);
        self.order = self.order.wrapping_add(self.sum);
    }

    /// The tally of all lines of a text, or of the `part` of each; the last line need not end in an LF.
    pub fn of_text<'t>(text: &'t [u8], part: impl Fn(&'t [u8]) -> &'t [u8]) -> Tally {
        let mut tally = Tally::default();
        let mut start = 0;
        lines::for_each_end(text, |end| {
            let line = part(&text[start..end]);
            tally.add_hashed(line_hash(line), line.len() + 1);
            start = end + 1;
        });
        if start < text.len() {
            let line = part(&text[start..]);
            tally.add_hashed(line_hash(line), line.len());
        }
        tally
    }

    /// Appends the sequence of lines whose tally is `next`.
    pub fn append(&mut self, next: &Tally) {
        let before = self.sum.wrapping_mul(u128::from(next.lines));
        self.order = self.order.wrapping_add(before).wrapping_add(next.order);
        self.sum = self.sum.wrapping_add(next.sum);
        self.lines += next.lines;
        self.bytes += next.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(text: &str) -> Tally {
        Tally::of_text(text.as_bytes(), |line| line)
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = tally("a\nbb\n\nccc\r\na\nlast");
        assert_eq!((whole.lines, whole.bytes), (6, 17));
        for boundary in [0, 2, 5, 6, 11, 13] {
            let text = "a\nbb\n\nccc\r\na\nlast";
            let mut parts = tally(&text[..boundary]);
            parts.append(&tally(&text[boundary..]));
            assert_eq!(parts, whole, "{boundary}");
        }
    }

    #[test]
    fn a_lost_doubled_changed_or_swapped_line_is_noticed() {
        let whole = tally("a\nb\nc\n");
        for other in ["a\nb\n", "a\nb\nb\nc\n", "a\nb\nx\n", "a\nb\nc\n\n", "a\nb\nc\r\n"] {
            assert_ne!(tally(other).sum, whole.sum, "{other:?}");
        }
        let swapped = tally("a\nc\nb\n");
        assert_eq!(swapped.sum, whole.sum);
        assert_ne!(swapped.order, whole.order);
        assert_eq!(tally("a\nb\nc").sum, whole.sum, "a missing last LF shows in the bytes");
        assert_ne!(tally("a\nb\nc").bytes, whole.bytes);
    }
}
