//! Prefixes of patterns, as fingerprints, behind a Bloom filter of their beginnings.
//!
//! A front has prefixes of up to four lengths; any other prefix is cut to the next shorter one, which only lets more paths
//! through. A path is probed for all lengths at once: it is cut to each, hashed, and the hash's fingerprint compared with the
//! eight of a bucket.
//!
//! One path in six may begin like a prefix; thanks to the filter, the others are not probed. For the filter, prefixes
//! are cut once more, to one of two lengths of at most eight bytes, so that cutting, hashing and testing a path takes a
//! dozen instructions for each length.

use super::item::{BUCKET, LENGTHS, LONGEST};

/// Factors of the hash, one for each two bytes: numbers with a sign, as their bits.
pub(super) const FACTORS: [u16; LONGEST / 2] = [
    0x71c9, 0xac7d, 0x7ba9, 0x43f9, 0x9315, 0x5d41, 0xb4f9, 0x6607, 0x7de9, 0x8ac5, 0x4945, 0xa0c5, 0x6e75, 0xbdf9,
    0x501b, 0x9d2b,
];
/// The factor that mixes the sum.
pub(super) const MIX: i32 = 0x9e37_79b1_u32 as i32;

/// The hash of a prefix: the lower half is the fingerprint; the upper half, which is mixed better, selects the bucket.
#[inline]
pub(super) fn hash(prefix: &[u8]) -> u32 {
    let mut pairs = prefix.chunks_exact(2);
    let mut factors = FACTORS.into_iter().map(|bits| i32::from(bits as i16));
    let mut sum = 0i32;
    for (pair, factor) in pairs.by_ref().zip(factors.by_ref()) {
        sum = sum.wrapping_add(i32::from(i16::from_le_bytes([pair[0], pair[1]])) * factor);
    }
    if let ([last], Some(factor)) = (pairs.remainder(), factors.next()) {
        sum = sum.wrapping_add(i32::from(*last) * factor);
    }
    sum.wrapping_mul(MIX) as u32
}

/// The fingerprint of a hash.
#[inline]
pub(super) fn fingerprint(hash: u32) -> u16 {
    hash as u16
}

/// Offset of a hash's bucket from the first, if all buckets have this many bytes.
#[inline]
pub(super) fn place(hash: u32, bytes: u16) -> usize {
    (((hash >> 16) * u32::from(bytes)) >> 16) as usize & !(BUCKET - 1)
}

/// How likely a path begins with a prefix cut to a given length, in some unit: four fifths for each further byte.
pub(super) const LET_THROUGH: [u64; LONGEST + 1] = {
    let mut likely = [1 << 20; LONGEST + 1];
    let mut length = 1;
    while length <= LONGEST {
        likely[length] = likely[length - 1] * 4 / 5;
        length += 1;
    }
    likely
};

/// The lengths to cut prefixes to, ascending, given how many prefixes there are of each length; the longest length includes all
/// longer prefixes. `None` if there is no prefix.
///
/// The first is that of the shortest prefix; the others are those that let the fewest paths through.
#[inline]
pub(super) fn lengths(counts: &[u32; LONGEST + 1]) -> Option<[usize; LENGTHS]> {
    let mut present = [0; LONGEST];
    let mut before = [0; LONGEST + 1];
    let mut count = 0;
    for length in (1..=LONGEST).filter(|&length| counts[length] > 0) {
        present[count] = length;
        before[count + 1] = before[count] + u64::from(counts[length]);
        count += 1;
    }
    if count == 0 {
        return None;
    }
    // What gets through if the prefixes from one length up to another are cut to the first.
    let cost = |from: usize, to: usize| (before[to] - before[from + 1]) * LET_THROUGH[present[from]];
    // The least that gets through from each length on, with as many lengths as rounds so far, and the next length chosen. There is
    // nothing after the last length.
    let mut least: [u64; LONGEST] = std::array::from_fn(|from| cost(from, count));
    let mut next = [[0; LONGEST]; LENGTHS - 1];
    for next in &mut next {
        for from in 0..count {
            // Entries after `from` are still those of the previous round.
            next[from] = from;
            for to in from + 1..count {
                let all = cost(from, to) + least[to];
                if all < least[from] {
                    (least[from], next[from]) = (all, to);
                }
            }
        }
    }
    let mut lengths = [present[0]; LENGTHS];
    let mut at = 0;
    for (length, next) in lengths[1..].iter_mut().zip(next.iter().rev()) {
        at = next[at];
        *length = present[at];
    }
    Some(lengths)
}

/// How many lengths beginnings are cut to.
const CUT_TO: usize = 2;
/// The longest beginning: the bytes of a word.
const LONGEST_BEGINNING: usize = 8;
/// Mixes the bytes of a beginning.
const MIX_BEGINNING: u64 = 0x9e37_79b9_7f4a_7c15;
/// The minimum number of bits for each beginning.
const BITS_EACH: usize = 16;

/// The number of a beginning's bit, in a filter of this many bytes. The first byte of `word` is its lowest; its upper `cut`
/// bits are not part of the beginning.
#[inline(always)]
pub(super) fn filter_bit(word: u64, cut: u8, bytes: u16) -> usize {
    let hash = (word << (cut & 63)).wrapping_mul(MIX_BEGINNING) >> 32;
    ((hash * u64::from(bytes)) >> 29) as usize
}

/// The first bytes of a path as a word.
#[inline]
pub(super) fn beginning(path: &[u8]) -> u64 {
    let mut bytes = [0; LONGEST_BEGINNING];
    let length = path.len().min(LONGEST_BEGINNING);
    bytes[..length].copy_from_slice(&path[..length]);
    u64::from_le_bytes(bytes)
}

/// Bits to cut away for a beginning of this length.
pub(super) fn beginning_cut(length: usize) -> u8 {
    (64 - 8 * length) as u8
}

/// Bytes of a filter for this many beginnings.
pub(super) fn filter_bytes(beginnings: usize) -> u16 {
    let bytes = (beginnings * BITS_EACH / 8).saturating_sub(12).next_multiple_of(16) + 12;
    bytes.min(usize::from(u16::MAX) - 3) as u16
}

/// The lengths to cut prefixes to, ascending, given how many prefixes there are of each length: that of the shortest prefix,
/// and the length that lets the fewest paths through.
pub(super) fn beginning_lengths(counts: &[u32]) -> [usize; CUT_TO] {
    let shortest = counts.iter().position(|&count| count > 0).unwrap_or(LONGEST_BEGINNING).clamp(1, LONGEST_BEGINNING);
    let let_through = |longer: &usize| -> u64 {
        let cut_to = |length: usize| if length < *longer { shortest } else { *longer };
        counts.iter().enumerate().map(|(length, &count)| u64::from(count) * LET_THROUGH[cut_to(length)]).sum()
    };
    [shortest, (shortest..=LONGEST_BEGINNING).rev().min_by_key(let_through).unwrap_or(shortest)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_that_cut_least() {
        let chosen = |present: &[(usize, u32)]| {
            let mut counts = [0; LONGEST + 1];
            present.iter().for_each(|&(length, count)| counts[length] = count);
            lengths(&counts).expect("a prefix")
        };
        assert_eq!(chosen(&[(5, 1)]), [5; 4]);
        assert_eq!(chosen(&[(2, 9), (5, 1), (7, 1), (32, 1)]), [2, 5, 7, 32]);
        assert_eq!(chosen(&[(3, 1), (4, 9), (5, 9), (6, 1), (20, 9)])[0], 3);
        let every: Vec<(usize, u32)> = (1..=LONGEST).map(|length| (length, 1)).collect();
        assert_eq!(chosen(&every), [1, 3, 7, 14]);
        assert_eq!(chosen(&[(3, 1), (4, 90), (5, 1), (6, 90), (20, 90)]), [3, 4, 6, 20]);
    }

    #[test]
    fn lengths_are_those_that_let_least_through() {
        let chosen = |present: &[(usize, u32)]| {
            let mut counts = [0; 33];
            present.iter().for_each(|&(length, count)| counts[length] = count);
            beginning_lengths(&counts)
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
            let bytes = filter_bytes(beginnings);
            assert!(bytes % 16 == 12 && (beginnings > 30_000 || usize::from(bytes) * 8 >= beginnings * BITS_EACH));
        }
    }
}
