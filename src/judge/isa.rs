//! The instruction sets that the hot path is compiled for.
//!
//! A [`Kernel`] is written once, generic over an [`Isa`]; [`run`] compiles it whole for each, and takes the best one that
//! the processor has. Everything below a kernel is inlined into it: a function that is called instead loses the wide
//! registers on its way, and a feature test a call costs more than what it chooses.
//!
//! Both instruction sets give the same results, byte for byte: tests run kernels on each.

use super::plain::{BLOCK, needs_a_look};
use crate::automaton::front::{self, Prefixes};

/// Bytes of a line that are copied without a look at its length.
pub(super) const STEP: usize = 128;

/// A function that is compiled for several instruction sets.
pub(crate) trait Kernel {
    /// Its result.
    type Output;

    /// Runs it. Implementations are `#[inline(always)]`.
    fn run<I: Isa>(self) -> Self::Output;
}

/// The operations that differ between instruction sets.
pub(crate) trait Isa {
    /// Runs a kernel that is compiled by itself for these instructions: it is inlined nowhere, and what it calls is inlined
    /// into it. A closure would not do: where the compiler does not inline it, it is compiled for any processor, and each
    /// intrinsic in it is a call.
    fn apart<K: Kernel>(kernel: K) -> K::Output;

    /// The line ends of a block, and the bytes that need a second look, a bit each. The block is preceded by the byte
    /// before it.
    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64);

    /// The key of a URL of this length, for the look-up table.
    ///
    /// # Safety
    ///
    /// Callers must ensure that 40 bytes can be read from `url` on.
    unsafe fn key(url: *const u8, length: usize) -> Key;

    /// Copies [`STEP`] bytes to where others are.
    ///
    /// # Safety
    ///
    /// Callers must ensure that so many bytes can be read, and written, and that they do not overlap.
    unsafe fn copy_step(from: *const u8, to: *mut u8);

    /// Whether two texts of one length are the same.
    fn is_same(one: &[u8], other: &[u8]) -> bool;

    /// Whether 32 bytes are the same.
    fn is_same_rest(one: &[u64; 4], other: &[u64; 4]) -> bool;

    /// Whether a path, which begins with `/`, may begin with one of the prefixes of an automaton's front, or pass without.
    ///
    /// # Safety
    ///
    /// As for [`Isa::prefixes`].
    unsafe fn begins(item: &[u8], path: &[u8]) -> bool;

    /// Probes the front of an automaton for the prefixes of a path that [begins](Isa::begins) with one, perhaps.
    ///
    /// # Safety
    ///
    /// Callers must ensure that `item` is an automaton of a checked image, and that bytes can be read after it as [`front::PADDING`] says.
    unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes;

    /// Whether a path passes by a triple, where its prefixes ask for that.
    ///
    /// # Safety
    ///
    /// As for [`Isa::prefixes`], which found these lanes and said that they ask.
    unsafe fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool;
}

/// The first 40 bytes of a URL, up to the end of its authority; the rest is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The first eight bytes.
    pub first: u64,
    /// The 32 bytes after them.
    pub rest: [u64; 4],
    /// Bytes of the key: where the first `/` after the first eight bytes stands, or where the URL ends; 40 if it is longer.
    pub length: u32,
}

/// Runs a kernel with the best instructions that there are.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the features were detected.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run::<Portable>()
}

/// Whether the processor has what [`run_avx2`] is compiled for.
#[cfg(target_arch = "x86_64")]
fn has_avx2() -> bool {
    use std::arch::is_x86_feature_detected as has;
    has!("avx2") && has!("bmi1") && has!("bmi2") && has!("popcnt") && has!("lzcnt")
}

/// # Safety
///
/// Callers must ensure that the processor has these features.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
unsafe fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<avx2::Avx2>()
}

/// Any processor.
pub(super) struct Portable;

impl Isa for Portable {
    #[inline(never)]
    fn apart<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Portable>()
    }

    #[inline(always)]
    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64) {
        let (mut ends, mut looks) = (0, 0);
        for (bit, pair) in block.windows(2).enumerate() {
            let [before, byte] = [pair[0], pair[1]];
            let end = byte == b'\n';
            let look = needs_a_look(byte) && !end || before == b'/' && byte == b'.';
            ends |= u64::from(end) << bit;
            looks |= u64::from(look) << bit;
        }
        (ends, looks)
    }

    #[inline(always)]
    unsafe fn key(url: *const u8, length: usize) -> Key {
        // SAFETY: the caller lets 40 bytes be read, and any bytes are an array of them.
        let mut bytes: [u8; 40] = unsafe { url.cast::<[u8; 40]>().read() };
        let slash = bytes[8..].iter().position(|&byte| byte == b'/').map_or(40, |at| 8 + at);
        let end = if length < 8 { slash } else { slash.min(length) };
        bytes[end..].fill(0);
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Key { first: word(0), rest: [word(8), word(16), word(24), word(32)], length: end as u32 }
    }

    #[inline(always)]
    unsafe fn copy_step(from: *const u8, to: *mut u8) {
        // SAFETY: the caller answers for it.
        unsafe { std::ptr::copy_nonoverlapping(from, to, STEP) };
    }

    #[inline(always)]
    fn is_same(one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    #[inline(always)]
    fn is_same_rest(one: &[u64; 4], other: &[u64; 4]) -> bool {
        one == other
    }

    #[inline(always)]
    unsafe fn begins(item: &[u8], path: &[u8]) -> bool {
        front::begins(item, path)
    }

    #[inline(always)]
    unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes {
        front::prefixes(item, path)
    }

    #[inline(always)]
    unsafe fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool {
        front::triples(item, path, lanes)
    }
}

/// x86_64 with AVX2 and what every processor that has it has beside it.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BLOCK, Isa, Kernel, Key, Prefixes, STEP, front, needs_a_look};
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
        _mm256_extract_epi64, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
        _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
        _mm256_testz_si256, _mm256_xor_si256,
    };

    /// Only [`run_avx2`](super::run_avx2) names it, whose callers have made sure of the features.
    pub(super) struct Avx2;

    impl Isa for Avx2 {
        #[inline(always)]
        fn apart<K: Kernel>(kernel: K) -> K::Output {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { apart(kernel) }
        }

        #[inline(always)]
        fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64) {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { masks(block) }
        }

        #[inline(always)]
        unsafe fn key(url: *const u8, length: usize) -> Key {
            // SAFETY: the features are there, see [`Avx2`]; the caller lets 40 bytes be read.
            unsafe { key(url, length) }
        }

        #[inline(always)]
        unsafe fn copy_step(from: *const u8, to: *mut u8) {
            // SAFETY: the features are there, see [`Avx2`]; for the rest the caller answers.
            unsafe { copy_step(from, to) };
        }

        #[inline(always)]
        fn is_same(one: &[u8], other: &[u8]) -> bool {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { is_same(one, other) }
        }

        #[inline(always)]
        fn is_same_rest(one: &[u64; 4], other: &[u64; 4]) -> bool {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { is_same_rest(one, other) }
        }

        #[inline(always)]
        unsafe fn begins(item: &[u8], path: &[u8]) -> bool {
            // SAFETY: the features are there, see [`Avx2`]; for the rest the caller answers.
            unsafe { front::begins_avx2(item.as_ptr(), path.as_ptr(), path.len()) }
        }

        #[inline(always)]
        unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes {
            // SAFETY: the features are there, see [`Avx2`]; for the rest the caller answers.
            unsafe { front::prefixes_avx2(item.as_ptr(), path.as_ptr(), path.len()) }
        }

        #[inline(always)]
        unsafe fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool {
            // SAFETY: as above.
            unsafe { front::triples_avx2(item.as_ptr(), path.as_ptr(), path.len(), lanes) }
        }
    }

    #[inline(never)]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn apart<K: Kernel>(kernel: K) -> K::Output {
        kernel.run::<Avx2>()
    }

    /// For each low half of a byte, a bit for each high half with which it is plain, or a line end; none beyond ASCII.
    const PLAIN: [u8; 16] = {
        let mut table = [0; 16];
        let mut byte = 0;
        while byte < 128 {
            if !needs_a_look(byte) || byte == b'\n' {
                table[(byte & 15) as usize] |= 1 << (byte >> 4);
            }
            byte += 1;
        }
        table
    };
    /// The bit of each high half of an ASCII byte.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64) {
        let at = block.as_ptr();
        // SAFETY: 32 bytes each from 0, 1, 32 and 33 on are within the 65 of the block.
        let (before_low, low, before_high, high) = unsafe {
            (
                _mm256_loadu_si256(at.cast()),
                _mm256_loadu_si256(at.add(1).cast()),
                _mm256_loadu_si256(at.add(32).cast()),
                _mm256_loadu_si256(at.add(33).cast()),
            )
        };
        let (low_ends, low_looks) = half_masks(before_low, low);
        let (high_ends, high_looks) = half_masks(before_high, high);
        let both = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        (both(low_ends, high_ends), both(low_looks, high_looks))
    }

    /// The line ends of 32 bytes, and those that need a look. A byte is plain if what its low and its high half stand for
    /// have a bit in common, as in the method of Teddy.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn half_masks(before: __m256i, bytes: __m256i) -> (u32, u32) {
        // SAFETY: the tables have 16 bytes, as the loads read.
        let (by_low, by_high) = unsafe {
            let (plain, bits) = (_mm_loadu_si128(PLAIN.as_ptr().cast()), _mm_loadu_si128(BITS.as_ptr().cast()));
            (_mm256_broadcastsi128_si256(plain), _mm256_broadcastsi128_si256(bits))
        };
        let upper = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(15));
        // A shuffle gives 0 for bytes beyond ASCII.
        let plain = _mm256_and_si256(_mm256_shuffle_epi8(by_low, bytes), _mm256_shuffle_epi8(by_high, upper));
        let slash = _mm256_cmpeq_epi8(before, _mm256_set1_epi8(b'/' as i8));
        let dot = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'.' as i8));
        let not_plain = _mm256_cmpeq_epi8(plain, _mm256_setzero_si256());
        let looks = _mm256_or_si256(not_plain, _mm256_and_si256(slash, dot));
        let ends = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\n' as i8));
        (_mm256_movemask_epi8(ends) as u32, _mm256_movemask_epi8(looks) as u32)
    }

    /// # Safety
    ///
    /// Callers must ensure that 40 bytes can be read from `url` on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn key(url: *const u8, length: usize) -> Key {
        // SAFETY: the caller lets these 8 and 32 bytes be read; the loads need no alignment.
        let (first, host): (u64, __m256i) =
            unsafe { (url.cast::<u64>().read_unaligned(), _mm256_loadu_si256(url.add(8).cast())) };
        let slashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(host, _mm256_set1_epi8(b'/' as i8))) as u32;
        // A bit where the URL ends, if that is among these bytes, and otherwise one after all of them.
        let end = 1u64 << length.wrapping_sub(8).min(32);
        let length = (u64::from(slashes) | end).trailing_zeros();
        #[rustfmt::skip]
        let places = _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
            22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
        let host = _mm256_and_si256(host, _mm256_cmpgt_epi8(_mm256_set1_epi8(length as i8), places));
        let rest = [
            _mm256_extract_epi64::<0>(host) as u64,
            _mm256_extract_epi64::<1>(host) as u64,
            _mm256_extract_epi64::<2>(host) as u64,
            _mm256_extract_epi64::<3>(host) as u64,
        ];
        Key { first, rest, length: 8 + length }
    }

    /// In wide registers by name: of a copy of a constant length beside one of any, the compiler makes one call of memcpy.
    ///
    /// # Safety
    ///
    /// Callers must ensure that [`STEP`] bytes can be read, and written, and that they do not overlap.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn copy_step(from: *const u8, to: *mut u8) {
        const { assert!(STEP == 4 * 32) };
        // SAFETY: the caller lets these four times 32 bytes be read and written; no alignment is needed.
        unsafe {
            let first = _mm256_loadu_si256(from.cast());
            let second = _mm256_loadu_si256(from.add(32).cast());
            let third = _mm256_loadu_si256(from.add(64).cast());
            let fourth = _mm256_loadu_si256(from.add(96).cast());
            _mm256_storeu_si256(to.cast(), first);
            _mm256_storeu_si256(to.add(32).cast(), second);
            _mm256_storeu_si256(to.add(64).cast(), third);
            _mm256_storeu_si256(to.add(96).cast(), fourth);
        }
    }

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn is_same_rest(one: &[u64; 4], other: &[u64; 4]) -> bool {
        // SAFETY: both are 32 bytes.
        let (one, other) =
            unsafe { (_mm256_loadu_si256(one.as_ptr().cast()), _mm256_loadu_si256(other.as_ptr().cast())) };
        let differences = _mm256_xor_si256(one, other);
        _mm256_testz_si256(differences, differences) != 0
    }

    /// Lines are of 32 to 96 bytes, mostly: whole vectors, the last one overlapping. A call of memcmp costs as much again, and
    /// half a mispredicted branch.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn is_same(one: &[u8], other: &[u8]) -> bool {
        if one.len() != other.len() || one.len() < 32 || one.len() > 128 {
            return one == other;
        }
        let last = one.len() - 32;
        let mut same = _mm256_set1_epi8(-1);
        for step in [0, 32, 64, 96] {
            let at = last.min(step);
            // SAFETY: `at + 32` is at most the length of both.
            let (a, b) = unsafe {
                (_mm256_loadu_si256(one.as_ptr().add(at).cast()), _mm256_loadu_si256(other.as_ptr().add(at).cast()))
            };
            same = _mm256_and_si256(same, _mm256_cmpeq_epi8(a, b));
        }
        _mm256_movemask_epi8(same) == -1
    }
}
