//! A Bloom filter of the beginnings of prefixes. One path in six may begin like a prefix; the others are not probed for any.
//!
//! Prefixes are cut once more, to one of two lengths of at most eight bytes, so that a path is cut, hashed and tested in a
//! dozen instructions for each.

use super::prefixes::LET_THROUGH;

/// How many lengths beginnings are cut to.
const CUT_TO: usize = 2;
/// The longest beginning: the bytes of a word.
pub(super) const LONGEST: usize = 8;
/// Mixes the bytes of a beginning.
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
/// The minimum number of bits for each beginning. One path in six begins like a prefix; with 64 bits that saves 3
/// instructions a line, with 8 it costs 3.
const BITS: usize = 16;

/// The number of a beginning's bit, in a filter of this many bytes. The first byte of `word` is its lowest; its upper `cut`
/// bits are not part of the beginning.
#[inline(always)]
pub(super) fn bit(word: u64, cut: u8, bytes: u16) -> usize {
    let hash = (word << (cut & 63)).wrapping_mul(MIX) >> 32;
    ((hash * u64::from(bytes)) >> 29) as usize
}

/// The first bytes of a path as a word.
#[inline]
pub(super) fn word(path: &[u8]) -> u64 {
    let mut bytes = [0; LONGEST];
    let length = path.len().min(LONGEST);
    bytes[..length].copy_from_slice(&path[..length]);
    u64::from_le_bytes(bytes)
}

/// Bits to cut away for a beginning of this length.
pub(super) fn cut(length: usize) -> u8 {
    (64 - 8 * length) as u8
}

/// Bytes of a filter for this many beginnings.
pub(super) fn bytes(beginnings: usize) -> u16 {
    let bytes = (beginnings * BITS / 8).saturating_sub(12).next_multiple_of(16) + 12;
    bytes.min(usize::from(u16::MAX) - 3) as u16
}

/// The lengths to cut prefixes to, ascending, given how many prefixes there are of each length: that of the shortest prefix,
/// and the length that lets the fewest paths through.
pub(super) fn lengths(counts: &[u32]) -> [usize; CUT_TO] {
    let shortest = counts.iter().position(|&count| count > 0).unwrap_or(LONGEST).clamp(1, LONGEST);
    let let_through = |longer: &usize| -> u64 {
        let cut_to = |length: usize| if length < *longer { shortest } else { *longer };
        counts.iter().enumerate().map(|(length, &count)| u64::from(count) * LET_THROUGH[cut_to(length)]).sum()
    };
    [shortest, (shortest..=LONGEST).rev().min_by_key(let_through).unwrap_or(shortest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_that_let_least_through() {
        let chosen = |present: &[(usize, u32)]| {
            let mut counts = [0; 33];
            present.iter().for_each(|&(length, count)| counts[length] = count);
            lengths(&counts)
        };
        assert_eq!(chosen(&[]), [8, 8]);
        assert_eq!(chosen(&[(5, 1)]), [5, 8]);
        assert_eq!(chosen(&[(2, 1), (6, 3), (20, 9)]), [2, 6]);
        assert_eq!(chosen(&[(2, 1), (3, 1), (20, 90)]), [2, 8]);
        assert_eq!(chosen(&[(9, 1), (20, 1)]), [8, 8]);
    }

    #[test]
    fn filters_end_where_buckets_begin() {
        for beginnings in [0, 1, 6, 7, 22, 23, 1000, 1 << 20] {
            let bytes = bytes(beginnings);
            assert!(bytes % 16 == 12 && (beginnings > 30_000 || usize::from(bytes) * 8 >= beginnings * BITS));
        }
    }
}
