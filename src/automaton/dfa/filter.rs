//! Skips bytes that cannot begin a segment.
//!
//! In the root of a context nothing is in progress; with most bytes of a path, the walk stays there, or leaves it for a
//! step or two and comes back. Only the first two bytes of a waiting segment can lead further, and they are rare in
//! paths. A [`Filter`] finds the next such place, 32 bytes at a time: each pair of first bytes belongs to one of eight
//! buckets, and four tables, indexed by the nibbles of both bytes, hold the buckets that a nibble can belong to. A
//! place is a candidate if some bucket is in all four tables (the Teddy algorithm of the crate aho-corasick, for two
//! bytes). Candidates may be false, but none is missed.

/// The tables of a filter: for the first and second byte, and for the low and high nibble of each, a byte of buckets.
pub(super) type Filter = [u8; FILTER_BYTES];

/// Bytes of a filter.
pub(super) const FILTER_BYTES: usize = 64;
/// Words of a filter.
pub(crate) const FILTER_WORDS: usize = FILTER_BYTES / 4;

const FIRST_LOW: usize = 0;
const FIRST_HIGH: usize = 16;
const SECOND_LOW: usize = 32;
const SECOND_HIGH: usize = 48;
const BUCKETS: usize = 8;
/// Bytes examined together.
const WINDOW: usize = 32;

/// The filter for segments that begin with these bytes; the second is `None` for segments of one byte.
pub(super) fn new(mut pairs: Vec<(u8, Option<u8>)>) -> Filter {
    // Neighbours share a bucket: they often have a nibble in common, so the bucket stays narrow.
    pairs.sort_unstable();
    pairs.dedup();
    let mut filter = [0; FILTER_BYTES];
    for (place, &(first, second)) in pairs.iter().enumerate() {
        let bucket = 1 << (place * BUCKETS / pairs.len());
        let mut add = |table: usize, half: u8| filter[table + usize::from(half)] |= bucket;
        add(FIRST_LOW, first & 15);
        add(FIRST_HIGH, first >> 4);
        match second {
            Some(second) => {
                add(SECOND_LOW, second & 15);
                add(SECOND_HIGH, second >> 4);
            }
            None => (0..16).for_each(|half| {
                add(SECOND_LOW, half);
                add(SECOND_HIGH, half);
            }),
        }
    }
    filter
}

/// A way to find candidates.
pub(crate) trait Search {
    /// The first candidate at or after `from`, or the length of `text`.
    fn candidate(filter: &Filter, text: &[u8], from: usize) -> usize;
}

/// For any processor.
pub(crate) struct Portable;

impl Search for Portable {
    #[inline]
    fn candidate(filter: &Filter, text: &[u8], from: usize) -> usize {
        let half = |table: usize, half: u8| filter[table + usize::from(half)];
        (from..text.len())
            .find(|&at| {
                let first = text[at];
                let buckets = half(FIRST_LOW, first & 15) & half(FIRST_HIGH, first >> 4);
                let second = text.get(at + 1).copied().unwrap_or(0);
                buckets != 0 && buckets & half(SECOND_LOW, second & 15) & half(SECOND_HIGH, second >> 4) != 0
            })
            .unwrap_or(text.len())
    }
}

/// For x86_64 with AVX2. Only functions that are compiled for AVX2, and entered where it was detected, may name this type.
#[cfg(target_arch = "x86_64")]
pub(crate) struct Avx2;

#[cfg(target_arch = "x86_64")]
impl Search for Avx2 {
    #[inline(always)]
    fn candidate(filter: &Filter, text: &[u8], from: usize) -> usize {
        if text.len() < WINDOW {
            return Portable::candidate(filter, text, from);
        }
        // SAFETY: the text is long enough, and AVX2 was detected, see [`Avx2`].
        unsafe { avx2::candidate(filter, text, from) }
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{FIRST_HIGH, FIRST_LOW, Filter, SECOND_HIGH, SECOND_LOW, WINDOW};
    use std::arch::x86_64::{
        __m128i, __m256i, _mm_loadu_si128, _mm256_alignr_epi8, _mm256_and_si256, _mm256_broadcastsi128_si256,
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_permute2x128_si256, _mm256_set1_epi8,
        _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16,
    };

    /// # Safety
    ///
    /// The text must be at least a window long.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub(super) unsafe fn candidate(filter: &Filter, text: &[u8], from: usize) -> usize {
        let mut at = from;
        while at + WINDOW < text.len() {
            // SAFETY: `at + WINDOW` is an index of the text, so both loads end within it.
            let (first, second) = unsafe { (load(text, at), load(text, at + 1)) };
            let found = candidates(filter, first, second);
            if found != 0 {
                return at + found.trailing_zeros() as usize;
            }
            at += WINDOW;
        }
        if at >= text.len() {
            return text.len();
        }
        // The last window ends with the text; bytes before `at` were examined already or are not wanted.
        let last = text.len() - WINDOW;
        // SAFETY: the text is at least a window long, so the load is within it.
        let first = unsafe { load(text, last) };
        let found = candidates(filter, first, next_bytes(first));
        match found & (u32::MAX << (at - last)) {
            0 => text.len(),
            found => last + found.trailing_zeros() as usize,
        }
    }

    /// # Safety
    ///
    /// `at + WINDOW <= text.len()`.
    #[inline]
    #[target_feature(enable = "avx2")]
    unsafe fn load(text: &[u8], at: usize) -> __m256i {
        debug_assert!(at + WINDOW <= text.len());
        // SAFETY: the caller ensures that the 32 bytes from `at` are within the slice; the load needs no alignment.
        unsafe { _mm256_loadu_si256(text.as_ptr().add(at).cast()) }
    }

    /// The bytes, each moved one place down, with a zero at the end.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn next_bytes(bytes: __m256i) -> __m256i {
        let high = _mm256_permute2x128_si256::<0x81>(bytes, bytes);
        _mm256_alignr_epi8::<1>(high, bytes)
    }

    /// A bit for each place where a bucket is left.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn candidates(filter: &Filter, first: __m256i, second: __m256i) -> u32 {
        let low = _mm256_set1_epi8(15);
        let table = |at: usize| {
            // SAFETY: each table is 16 bytes within the filter's 64.
            let table = unsafe { _mm_loadu_si128(filter.as_ptr().add(at).cast::<__m128i>()) };
            _mm256_broadcastsi128_si256(table)
        };
        let high = |bytes| _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low);
        let buckets = |low_table, high_table, bytes| {
            _mm256_and_si256(
                _mm256_shuffle_epi8(table(low_table), _mm256_and_si256(bytes, low)),
                _mm256_shuffle_epi8(table(high_table), high(bytes)),
            )
        };
        let left = _mm256_and_si256(buckets(FIRST_LOW, FIRST_HIGH, first), buckets(SECOND_LOW, SECOND_HIGH, second));
        !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(left, _mm256_setzero_si256())) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    fn naive(pairs: &[(u8, Option<u8>)], text: &[u8], at: usize) -> bool {
        pairs
            .iter()
            .any(|&(first, second)| text[at] == first && second.is_none_or(|second| text.get(at + 1) == Some(&second)))
    }

    #[test]
    fn no_candidate_is_missed_and_both_ways_agree() {
        let mut rng = Rng(7);
        let mut dice = |bound| rng.below(bound);
        for _ in 0..if cfg!(miri) { 10 } else { 3000 } {
            let bytes = 2 + dice(40);
            let pairs: Vec<(u8, Option<u8>)> = (0..1 + dice(20))
                .map(|_| (b'a' + dice(bytes) as u8, (dice(5) > 0).then(|| b'a' + dice(bytes) as u8)))
                .collect();
            let filter = new(pairs.clone());
            let text: Vec<u8> = (0..dice(120)).map(|_| b'a'.wrapping_add(dice(bytes * 4) as u8)).collect();
            let from = dice(text.len() + 1);
            let mut at = from;
            loop {
                let found = Portable::candidate(&filter, &text, at);
                #[cfg(target_arch = "x86_64")]
                if std::arch::is_x86_feature_detected!("avx2") {
                    assert_eq!(Avx2::candidate(&filter, &text, at), found, "{text:?} from {at}");
                }
                assert!((at..found).all(|skipped| !naive(&pairs, &text, skipped)));
                if found == text.len() {
                    break;
                }
                at = found + 1;
            }
        }
    }
}
