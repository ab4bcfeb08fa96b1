//! The proof that no line was lost: counts and checksums of a sequence of lines.
//!
//! Each line, without its LF, is hashed by XXH3 (128 bits, seed 0). `sum` adds the hashes modulo 2^128: it is the same
//! in whatever order the lines stand, so that anybody can compare parts with a whole. `order` adds the sums of all
//! beginnings of the sequence, as Fletcher's checksum does, and so also notices two lines that changed places.
//!
//! A run computes both twice, over the lines as they were read and over the octets as they were handed to the system
//! for writing, and compares.

use super::lines;
use xxhash_rust::xxh3::xxh3_128;

/// The name of the hash, for receipts.
pub(super) const LINE_HASH: &str = "XXH3-128, seed 0, of each line without its LF";

/// The hash of a line, given without its LF.
#[inline]
pub fn line_hash(line: &[u8]) -> u128 {
    xxh3_128(line)
}

/// Counts and checksums of a sequence of lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Lines.
    pub lines: u64,
    /// Octets, line ends included.
    pub bytes: u64,
    /// The sum of the hashes of all lines, modulo 2^128.
    pub sum: u128,
    /// The sum of that sum after each line, modulo 2^128.
    pub order: u128,
}

impl Tally {
    /// Adds a line, given without its LF, that takes `bytes` octets with it.
    #[inline]
    pub fn add(&mut self, line: &[u8], bytes: usize) {
        self.add_hashed(line_hash(line), bytes);
    }

    /// Adds a line of this [`line_hash`] that takes `bytes` octets with its LF.
    #[inline]
    pub fn add_hashed(&mut self, hash: u128, bytes: usize) {
        self.lines += 1;
        self.bytes += bytes as u64;
        self.sum = self.sum.wrapping_add(hash);
        self.order = self.order.wrapping_add(self.sum);
    }

    /// Adds all lines of a text; the last one need not end in LF.
    pub fn add_text(&mut self, text: &[u8]) {
        let mut start = 0;
        lines::for_each_end(text, |end| {
            self.add(&text[start..end], end + 1 - start);
            start = end + 1;
        });
        if start < text.len() {
            self.add(&text[start..], text.len() - start);
        }
    }

    /// Appends the sequence that `next` is the tally of.
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
        let mut tally = Tally::default();
        tally.add_text(text.as_bytes());
        tally
    }

    #[test]
    fn parts_add_up_to_the_whole() {
        let whole = tally("a\nbb\n\nccc\r\na\nlast");
        assert_eq!((whole.lines, whole.bytes), (6, 17));
        for border in [0, 2, 5, 6, 11, 13] {
            let text = "a\nbb\n\nccc\r\na\nlast";
            let mut parts = tally(&text[..border]);
            parts.append(&tally(&text[border..]));
            assert_eq!(parts, whole, "{border}");
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
        assert_eq!(tally("a\nb\nc").sum, whole.sum, "a missing last LF shows in the octets");
        assert_ne!(tally("a\nb\nc").bytes, whole.bytes);
    }
}
