//! The instruction sets that the hot path is compiled for.
//!
//! A [`Kernel`] is written once, generic over an [`Isa`]. [`run`] compiles it as a whole for each instruction set, and
//! selects the best one that the processor has. Everything that a kernel calls is inlined into it, because a function
//! call would lose the wide registers, and a feature test in each call costs more than the code that it selects.
//!
//! Both instruction sets give the same results, byte for byte: tests run kernels on each.

use crate::automaton::front::{self, Prefixes};

/// Bytes of a block.
pub(super) const BLOCK: usize = 64;

/// Whether a byte makes a line not [plain](super::lines), whatever its neighbours.
pub(super) const fn needs_a_look(byte: u8) -> bool {
    !matches!(byte, b'!' | b'$' | b'&'..=b';' | b'=' | b'?'..=b'[' | b']' | b'_' | b'a'..=b'z' | b'~')
}

/// Bytes of a line that are copied regardless of its length.
pub(super) const STEP: usize = 128;

/// A function that is compiled for several instruction sets.
pub(crate) trait Kernel {
    /// Its result.
    type Output;

    /// Runs the kernel. Implementations are `#[inline(always)]`.
    fn run<I: Isa>(self) -> Self::Output;
}

/// The operations that differ between instruction sets.
pub(crate) trait Isa {
    /// Runs a kernel as a separate function, compiled for these instructions. It is never inlined, and everything it
    /// calls is inlined into it. A closure does not work: if the compiler does not inline it, it is compiled for any
    /// processor, and each intrinsic in it becomes a call.
    fn apart<K: Kernel>(kernel: K) -> K::Output;

    /// The line ends of a block, and the bytes that need a second look, one bit each. The block is preceded by the byte before
    /// it.
    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64);

    /// The look-up key of a URL of this length.
    ///
    /// # Safety
    ///
    /// Callers must ensure that 40 bytes can be read from `url` on.
    unsafe fn key(url: *const u8, length: usize) -> Key;

    /// Copies [`STEP`] bytes.
    ///
    /// # Safety
    ///
    /// Callers must ensure that this many bytes can be read and written, and that the two ranges do not overlap.
    unsafe fn copy_step(from: *const u8, to: *mut u8);

    /// Whether two texts are equal.
    fn is_same(one: &[u8], other: &[u8]) -> bool;

    /// 0 if these 32 bytes are equal. Not a `bool`, so that a caller can combine it with others without a branch.
    fn differences(one: &[u64; 4], other: &[u64; 4]) -> u64;

    /// Whether a path, which begins with `/`, may begin with a prefix of an automaton's front, or pass without one.
    ///
    /// # Safety
    ///
    /// As for [`Isa::prefixes`].
    unsafe fn begins(item: &[u8], path: &[u8]) -> bool;

    /// Probes an automaton's front for the prefixes of a path that may [begin](Isa::begins) with one.
    ///
    /// # Safety
    ///
    /// Callers must ensure that `item` is an automaton of a checked image, and that [`front::PADDING`] bytes can be read after
    /// it, as described there.
    unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes;

    /// Whether a path passes because of a triple; called if its prefixes ask for triples.
    ///
    /// # Safety
    ///
    /// As for [`Isa::prefixes`], which found these lanes and asked for triples.
    unsafe fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool;
}

/// The first 40 bytes of a URL, up to the end of its authority; the rest is zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    /// The first eight bytes.
    pub first: u64,
    /// The 32 bytes after them.
    pub rest: [u64; 4],
    /// The length of the key: where the first `/` after the first eight bytes is, or where the URL ends; at most 40.
    pub length: u32,
}

/// Runs a kernel with the best instructions available.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(test)]
    #[cfg(all(feature = "batch", unix))]
    if super::changing::is_on() {
        return run_changing(kernel);
    }
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        // SAFETY: the features were detected.
        return unsafe { run_avx2(kernel) };
    }
    kernel.run::<Portable>()
}

/// Runs a kernel with the best instructions available, over a list that changes.
#[cfg(test)]
#[cfg(all(feature = "batch", unix))]
fn run_changing<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    if has_avx2() {
        return kernel.run::<super::changing::Changing<avx2::Avx2>>();
    }
    kernel.run::<super::changing::Changing<Portable>>()
}

/// Whether the processor has the features that [`run_avx2`] is compiled for.
#[cfg(target_arch = "x86_64")]
pub(crate) fn has_avx2() -> bool {
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
        let (mut ends, mut second_looks) = (0, 0);
        for (bit, pair) in block.windows(2).enumerate() {
            let [before, byte] = [pair[0], pair[1]];
            let end = byte == b'\n';
            let look = needs_a_look(byte) && !end || before == b'/' && byte == b'.';
            ends |= u64::from(end) << bit;
            second_looks |= u64::from(look) << bit;
        }
        (ends, second_looks)
    }

    #[inline(always)]
    unsafe fn key(url: *const u8, length: usize) -> Key {
        // SAFETY: the caller ensures that 40 bytes can be read, and any 40 bytes are a valid array.
        let mut bytes: [u8; 40] = unsafe { url.cast::<[u8; 40]>().read() };
        let slash = bytes[8..].iter().position(|&byte| byte == b'/').map_or(40, |at| 8 + at);
        let end = if length < 8 { slash } else { slash.min(length) };
        bytes[end..].fill(0);
        let word = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
        Key { first: word(0), rest: [word(8), word(16), word(24), word(32)], length: end as u32 }
    }

    #[inline(always)]
    unsafe fn copy_step(from: *const u8, to: *mut u8) {
        // SAFETY: ensured by the caller.
        unsafe { std::ptr::copy_nonoverlapping(from, to, STEP) };
    }

    #[inline(always)]
    fn is_same(one: &[u8], other: &[u8]) -> bool {
        one == other
    }

    #[inline(always)]
    fn differences(one: &[u64; 4], other: &[u64; 4]) -> u64 {
        one.iter().zip(other).fold(0, |differences, (one, other)| differences | one ^ other)
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

/// x86_64 with AVX2, and the features that every processor with AVX2 has as well.
#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::{BLOCK, Isa, Kernel, Key, Prefixes, STEP, front, needs_a_look};
    use std::arch::x86_64::{
        __m256i, _mm_loadu_si128, _mm256_and_si256, _mm256_broadcastsi128_si256, _mm256_cmpeq_epi8, _mm256_cmpgt_epi8,
        _mm256_extract_epi64, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_or_si256, _mm256_set1_epi8,
        _mm256_setr_epi8, _mm256_setzero_si256, _mm256_shuffle_epi8, _mm256_srli_epi16, _mm256_storeu_si256,
    };

    /// Used only by [`run_avx2`](super::run_avx2), whose callers have detected the features.
    pub(super) struct Avx2;

    impl Isa for Avx2 {
        #[inline(always)]
        fn apart<K: Kernel>(kernel: K) -> K::Output {
            // The compiler inlines a function that it can see, whatever its attribute says, once it has such features.
            let apart: unsafe fn(K) -> K::Output = std::hint::black_box(apart::<K>);
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
            // SAFETY: the features are there, see [`Avx2`]; the caller ensures that 40 bytes can be read.
            unsafe { key(url, length) }
        }

        #[inline(always)]
        unsafe fn copy_step(from: *const u8, to: *mut u8) {
            // SAFETY: the features are there, see [`Avx2`]; the rest is ensured by the caller.
            unsafe { copy_step(from, to) };
        }

        #[inline(always)]
        fn is_same(one: &[u8], other: &[u8]) -> bool {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { is_same(one, other) }
        }

        #[inline(always)]
        fn differences(one: &[u64; 4], other: &[u64; 4]) -> u64 {
            // SAFETY: the features are there, see [`Avx2`].
            unsafe { differences(one, other) }
        }

        #[inline(always)]
        unsafe fn begins(item: &[u8], path: &[u8]) -> bool {
            // SAFETY: the features are there, see [`Avx2`]; the rest is ensured by the caller.
            unsafe { front::begins_avx2(item.as_ptr(), path.as_ptr(), path.len()) }
        }

        #[inline(always)]
        unsafe fn prefixes(item: &[u8], path: &[u8]) -> Prefixes {
            // SAFETY: the features are there, see [`Avx2`]; the rest is ensured by the caller.
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

    /// For each low nibble, a bit for each high nibble with which it makes a plain byte or a line end; none beyond ASCII.
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
    /// The bit of each high nibble of an ASCII byte.
    const BITS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];

    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn masks(block: &[u8; 1 + BLOCK]) -> (u64, u64) {
        let at = block.as_ptr();
        // SAFETY: 32 bytes each from 0, 1, 32 and 33 on are within the 65 bytes of the block.
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

    /// The line ends of 32 bytes, and the bytes that need a second look. A byte is plain if the table entries of its low and
    /// high nibbles have a bit in common, as in the Teddy algorithm.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    fn half_masks(before: __m256i, bytes: __m256i) -> (u32, u32) {
        // SAFETY: each table has the 16 bytes that the load reads.
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
        let second_looks = _mm256_or_si256(not_plain, _mm256_and_si256(slash, dot));
        let ends = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\n' as i8));
        (_mm256_movemask_epi8(ends) as u32, _mm256_movemask_epi8(second_looks) as u32)
    }

    /// # Safety
    ///
    /// Callers must ensure that 40 bytes can be read from `url` on.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn key(url: *const u8, length: usize) -> Key {
        // SAFETY: the caller ensures that these 8 and 32 bytes can be read; the loads need no alignment.
        let (first, host): (u64, __m256i) =
            unsafe { (url.cast::<u64>().read_unaligned(), _mm256_loadu_si256(url.add(8).cast())) };
        let slashes = _mm256_movemask_epi8(_mm256_cmpeq_epi8(host, _mm256_set1_epi8(b'/' as i8))) as u32;
        // A bit where the URL ends, if that is among these bytes, otherwise a bit past all of them.
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

    /// Copies through wide registers explicitly: the compiler would merge a copy of constant length and one of any length into
    /// one call of memcpy.
    ///
    /// # Safety
    ///
    /// Callers must ensure that [`STEP`] bytes can be read and written, and that the two ranges do not overlap.
    #[inline]
    #[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
    unsafe fn copy_step(from: *const u8, to: *mut u8) {
        const { assert!(STEP == 4 * 32) };
        // SAFETY: the caller ensures that these four times 32 bytes can be read and written; no alignment is needed.
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
    fn differences(one: &[u64; 4], other: &[u64; 4]) -> u64 {
        // SAFETY: both are 32 bytes.
        let (one, other) =
            unsafe { (_mm256_loadu_si256(one.as_ptr().cast()), _mm256_loadu_si256(other.as_ptr().cast())) };
        u64::from(!_mm256_movemask_epi8(_mm256_cmpeq_epi8(one, other)) as u32)
    }

    /// Most lines have 32 to 96 bytes, so this compares whole vectors, the last of which overlaps. A call of memcmp costs as
    /// much again, plus half a mispredicted branch.
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
