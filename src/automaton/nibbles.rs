//! Nibble tables, by which many bytes are examined at once: the Teddy algorithm of the crate aho-corasick.
//!
//! A table says which of eight classes a byte may belong to, a bit each, at each of a few consecutive places. For each
//! place it has 16 bytes indexed by the lower half of a byte, and 16 by the upper half; a byte has the classes that are
//! in both. So a byte may have a class that was added for others, but never lacks one.

/// Bytes of a table for each place.
pub(super) const PLACE: usize = 32;

/// Adds classes to a byte at a place; to all bytes if it is `None`.
pub(super) fn add(table: &mut [u8], place: usize, byte: Option<u8>, classes: u8) {
    let (low, high) = table[PLACE * place..][..PLACE].split_at_mut(16);
    match byte {
        Some(byte) => {
            low[usize::from(byte & 15)] |= classes;
            high[usize::from(byte >> 4)] |= classes;
        }
        None => low.iter_mut().chain(high).for_each(|half| *half |= classes),
    }
}

/// The classes of a byte at a place.
#[inline]
pub(super) fn classes(table: &[u8], place: usize, byte: u8) -> u8 {
    table[PLACE * place + usize::from(byte & 15)] & table[PLACE * place + 16 + usize::from(byte >> 4)]
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx2 {
    use super::PLACE;
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_set1_epi8, _mm256_shuffle_epi8,
        _mm256_srli_epi16,
    };

    /// The classes of 32 bytes at a place.
    ///
    /// # Safety
    ///
    /// The table has this place.
    #[inline]
    #[target_feature(enable = "avx2")]
    pub unsafe fn classes(table: *const u8, place: usize, bytes: __m256i) -> __m256i {
        let low = _mm256_set1_epi8(15);
        // SAFETY: both halves are within the 32 bytes of the place.
        let half = |half: usize| unsafe {
            _mm256_broadcastsi128_si256(_mm_loadu_si128(table.add(PLACE * place + 16 * half).cast()))
        };
        _mm256_and_si256(
            _mm256_shuffle_epi8(half(0), _mm256_and_si256(bytes, low)),
            _mm256_shuffle_epi8(half(1), _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), low)),
        )
    }
}
