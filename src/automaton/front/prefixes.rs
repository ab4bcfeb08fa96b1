//! Prefixes of patterns, as fingerprints.
//!
//! A front has prefixes of up to four lengths; any other prefix is cut to the next shorter one, which only lets more paths
//! through. A path is probed for all lengths at once: it is cut to each, hashed, and the hash's fingerprint compared with the
//! eight of a bucket.

use super::item::{BUCKET, LENGTHS, LONGEST};

/// Factors of the hash, one for each two bytes.
pub(super) const FACTORS: [i16; LONGEST / 2] = [
    29_129, -21_379, 31_657, 17_401, -27_883, 23_873, -19_207, 26_119, 32_233, -30_011, 18_757, -24_379, 28_277,
    -16_903, 20_507, -25_301,
];
/// The factor that mixes the sum.
pub(super) const MIX: i32 = 0x9e37_79b1_u32 as i32;

/// The hash of a prefix: the lower half is the fingerprint; the upper half, which is mixed better, selects the bucket.
#[inline]
pub(super) fn hash(prefix: &[u8]) -> u32 {
    let mut pairs = prefix.chunks_exact(2);
    let mut factors = FACTORS.into_iter().map(i32::from);
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
    // The least that gets through from each length on, with as many lengths as rounds so far, and the next length chosen.
    let mut least: [u64; LONGEST] = std::array::from_fn(|from| if from < count { cost(from, count) } else { 0 });
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
        assert_eq!(chosen(&[(3, 1), (4, 90), (5, 1), (6, 90), (20, 90)]), [3, 4, 6, 20]);
    }
}
