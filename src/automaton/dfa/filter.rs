//! Skips bytes that cannot begin a segment.
//!
//! In the root of a context nothing is in progress; with most bytes of a path, the walk stays there, or leaves it for a
//! step or two and comes back. Only the first two bytes of a waiting segment can lead further, and they are rare in
//! paths. A [`Filter`] finds the next such place, 32 bytes at a time: each pair of first bytes belongs to one of eight
//! classes of a [nibble table](crate::automaton::nibbles). A place is a candidate if both of its bytes have some class.
//! Candidates may be false, but none is missed.

use crate::automaton::nibbles;

/// The nibble table of a filter, for a first and a second byte.
pub(super) type Filter = [u8; FILTER_BYTES];

/// Bytes of a filter.
pub(super) const FILTER_BYTES: usize = 2 * nibbles::PLACE;
/// Words of a filter.
pub(crate) const FILTER_WORDS: usize = FILTER_BYTES / 4;

const CLASSES: usize = 8;
/// Bytes examined together.
const WINDOW: usize = 32;

/// The filter for segments that begin with these bytes; the second is `None` for segments of one byte.
pub(super) fn new(mut pairs: Vec<(u8, Option<u8>)>) -> Filter {
    // Neighbours share a class: they often have a nibble in common, so the class stays narrow.
    pairs.sort_unstable();
    pairs.dedup();
    let mut filter = [0; FILTER_BYTES];
    for (place, &(first, second)) in pairs.iter().enumerate() {
        let class = 1 << (place * CLASSES / pairs.len());
        nibbles::add(&mut filter, 0, Some(first), class);
        nibbles::add(&mut filter, 1, second, class);
    }
    filter
}

/// The first candidate at or after `from`, or the length of `text`.
#[inline]
pub(super) fn candidate(filter: &Filter, text: &[u8], from: usize) -> usize {
    #[cfg(target_arch = "x86_64")]
    if text.len() >= WINDOW && std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the text is long enough, and the processor has AVX2.
        return unsafe { avx2::candidate(filter, text, from) };
    }
    portable(filter, text, from)
}

/// The same on any processor.
fn portable(filter: &Filter, text: &[u8], from: usize) -> usize {
    let is_candidate = |&at: &usize| {
        let (first, second) = (text[at], text.get(at + 1).copied().unwrap_or(0));
        nibbles::classes(filter, 0, first) & nibbles::classes(filter, 1, second) != 0
    };
    (from..text.len()).find(is_candidate).unwrap_or(text.len())
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{Filter, WINDOW};
    use crate::automaton::nibbles::avx2::classes;
    use std::arch::x86_64::{
        __m256i, _mm256_alignr_epi8, _mm256_and_si256, _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8,
        _mm256_permute2x128_si256, _mm256_setzero_si256,
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

    /// A bit for each place where both bytes have some class.
    #[inline]
    #[target_feature(enable = "avx2")]
    fn candidates(filter: &Filter, first: __m256i, second: __m256i) -> u32 {
        // SAFETY: a filter has two places.
        let [first, second] = unsafe { [classes(filter.as_ptr(), 0, first), classes(filter.as_ptr(), 1, second)] };
        let both = _mm256_and_si256(first, second);
        !(_mm256_movemask_epi8(_mm256_cmpeq_epi8(both, _mm256_setzero_si256())) as u32)
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
                let found = portable(&filter, &text, at);
                assert_eq!(candidate(&filter, &text, at), found, "{text:?} from {at}");
                assert!((at..found).all(|skipped| !naive(&pairs, &text, skipped)));
                if found == text.len() {
                    break;
                }
                at = found + 1;
            }
        }
    }
}
