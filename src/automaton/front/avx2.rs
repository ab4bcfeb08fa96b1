//! Probes a front with AVX2.

use std::arch::x86_64::{
    __m128i, __m256i, _bzhi_u64, _mm_add_epi32, _mm_and_si128, _mm_cmpeq_epi16, _mm_cvtsi128_si64, _mm_extract_epi16,
    _mm_load_si128, _mm_movemask_epi8, _mm_mulhi_epu16, _mm_mullo_epi32, _mm_or_si128, _mm_packs_epi16, _mm_set1_epi16,
    _mm_set1_epi32, _mm_setr_epi8, _mm_shuffle_epi8, _mm_unpackhi_epi64, _mm256_alignr_epi8, _mm256_and_si256,
    _mm256_castsi256_si128, _mm256_extracti128_si256, _mm256_hadd_epi32, _mm256_loadu_si256, _mm256_madd_epi16,
    _mm256_or_si256, _mm256_permute2x128_si256, _mm256_set1_epi8, _mm256_setzero_si256, _mm256_testz_si256,
};

use super::item::{
    ALWAYS, BEGINNINGS, BLOOM_BYTES, BUCKET, BUCKET_BYTES, CUTS, FLAGS, FREE, FREE_CLASSES, HEADER, LONGEST, PAIRS,
    ROOT_PASSES, TABLE, TABLES,
};
use super::portable::Prefixes;
use super::prefixes::{FACTORS, MIX, filter_bit};
use crate::automaton::nibbles::avx2 as nibbles;

/// Loaded from `64 - n` on: `n` bytes of ones, then zeros, for `n` up to 64.
static ONES_THEN_ZEROS: Ones = Ones({
    let mut bytes = [0; 128];
    let mut at = 0;
    while at < 64 {
        bytes[at] = u8::MAX;
        at += 1;
    }
    bytes
});

#[repr(align(64))]
struct Ones([u8; 128]);

impl Ones {
    /// The address of 64 bytes: `n` bytes of ones, then zeros.
    ///
    /// # Safety
    ///
    /// `n` is at most 64.
    #[inline(always)]
    unsafe fn of(n: usize) -> *const __m256i {
        debug_assert!(n <= 64);
        // SAFETY: this is within the 128 bytes.
        unsafe { ONES_THEN_ZEROS.0.as_ptr().add(64 - n).cast() }
    }
}

/// The factors, in memory so that they can be loaded.
static FACTORS_IN_MEMORY: [u16; LONGEST / 2] = FACTORS;

/// Whether the path may have another verdict than the base.
///
/// # Safety
///
/// As for [`prefixes_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub unsafe fn passes_avx2(item: *const u8, path: *const u8, len: usize) -> bool {
    // SAFETY: as the caller ensures; triples are probed only if the prefixes ask for them.
    unsafe {
        let found = match begins_avx2(item, path, len) {
            true => prefixes_avx2(item, path, len),
            false => Prefixes::none(*item.add(FREE_CLASSES) != 0),
        };
        *path != b'/' || found.passes != 0 || found.asks != 0 && triples_avx2(item, path, len, found.lanes)
    }
}

/// Whether a path may begin with a prefix, or pass without one. The path must be in normal form and begin with `/`.
///
/// # Safety
///
/// As for [`prefixes_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub unsafe fn begins_avx2(item: *const u8, path: *const u8, len: usize) -> bool {
    // SAFETY: eight bytes of the path can be read, whatever its length. A bit's number is less than eight times the bytes of
    // the filter. Those bytes are a multiple of four, and so are the bytes before them.
    unsafe {
        let word = _bzhi_u64(path.cast::<u64>().read_unaligned(), 8 * len.min(31) as u32);
        let bytes = item.add(BLOOM_BYTES).cast::<u16>().read();
        let has = |place: usize| {
            let bit = filter_bit(word, *item.add(BEGINNINGS + place), bytes);
            item.add(HEADER).cast::<u32>().add(bit / 32).read() >> (bit % 32)
        };
        (has(0) | has(1)) & 1 == 1
    }
}

/// Probes for the prefixes of a path that may [begin](begins_avx2) with one.
///
/// # Safety
///
/// Callers must ensure that `item` is the start of a checked item, at a multiple of 64; that `path` is valid for reads of `len`
/// bytes, rounded up to a multiple of 32, and [`PADDING`](crate::automaton::front::PADDING) more; that `len` is not 0; and that
/// the processor has the features named here.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub unsafe fn prefixes_avx2(item: *const u8, path: *const u8, len: usize) -> Prefixes {
    // SAFETY: this reads only the header, which every checked item has.
    unsafe {
        let lanes = lanes(item, path, len);
        let always = *item.add(FLAGS) & (ALWAYS | (ROOT_PASSES * u8::from(len == 1)));
        Prefixes { lanes, passes: always | lanes & *item.add(FREE), asks: lanes | *item.add(FREE_CLASSES) }
    }
}

/// The lanes in which a prefix of the path was found, one bit each.
///
/// # Safety
///
/// As for [`prefixes_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn lanes(item: *const u8, path: *const u8, len: usize) -> u8 {
    // SAFETY: 32 bytes of the path can be read, whatever its length. No prefix is longer than 32, as was checked. The offset of
    // a bucket is a multiple of 16 and less than the bytes of all buckets; buckets are aligned because items are.
    unsafe {
        let factors = _mm256_loadu_si256(FACTORS_IN_MEMORY.as_ptr().cast());
        let bytes = _mm256_and_si256(_mm256_loadu_si256(path.cast()), _mm256_loadu_si256(Ones::of(len.min(64))));
        let sums = |place: usize| {
            let length = LONGEST - usize::from(*item.add(CUTS + place));
            _mm256_madd_epi16(_mm256_and_si256(bytes, _mm256_loadu_si256(Ones::of(length))), factors)
        };
        let halves = _mm256_hadd_epi32(_mm256_hadd_epi32(sums(0), sums(1)), _mm256_hadd_epi32(sums(2), sums(3)));
        let all = _mm_add_epi32(_mm256_castsi256_si128(halves), _mm256_extracti128_si256::<1>(halves));
        let hashes = _mm_mullo_epi32(all, _mm_set1_epi32(MIX));
        let bucket_bytes = _mm_set1_epi16(item.add(BUCKET_BYTES).cast::<i16>().read());
        let places = _mm_and_si128(_mm_mulhi_epu16(hashes, bucket_bytes), _mm_set1_epi16(-(BUCKET as i16)));
        let buckets = item.add(HEADER + usize::from(item.add(BLOOM_BYTES).cast::<u16>().read()));
        let found = |place: i32, fingerprint: __m128i| {
            let bucket = _mm_load_si128(buckets.add(place as usize).cast());
            _mm_cmpeq_epi16(bucket, fingerprint)
        };
        let fingerprint = |at: i8| {
            let next = at + 1;
            let order = _mm_setr_epi8(at, next, at, next, at, next, at, next, at, next, at, next, at, next, at, next);
            _mm_shuffle_epi8(hashes, order)
        };
        let found = _mm_or_si128(
            _mm_or_si128(
                found(_mm_extract_epi16::<1>(places), fingerprint(0)),
                found(_mm_extract_epi16::<3>(places), fingerprint(4)),
            ),
            _mm_or_si128(
                found(_mm_extract_epi16::<5>(places), fingerprint(8)),
                found(_mm_extract_epi16::<7>(places), fingerprint(12)),
            ),
        );
        _mm_movemask_epi8(_mm_packs_epi16(found, found)) as u8
    }
}

/// Whether the path contains a triple of one of these lanes, or one that needs no lane.
///
/// # Safety
///
/// As for [`prefixes_avx2`], which found these lanes and asked for triples.
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
pub unsafe fn triples_avx2(item: *const u8, path: *const u8, len: usize, lanes: u8) -> bool {
    // SAFETY: the tables come after the buckets, as many as the header says, and at least one if a lane is not free or a class
    // is, as was checked; everything before them is a multiple of 16. Of the path, 64 bytes are read from each multiple of 64
    // that is less than its length.
    unsafe {
        let pairs = *item.add(FLAGS) & PAIRS != 0;
        let free = *item.add(FREE_CLASSES);
        let asked = _mm256_set1_epi8((lanes | free) as i8);
        let bytes = |at: usize| usize::from(item.add(at).cast::<u16>().read());
        let mut table = item.add(HEADER + bytes(BLOOM_BYTES) + bytes(BUCKET_BYTES));
        let mut tables = *item.add(TABLES);
        loop {
            let found = classes(table, path, len);
            if _mm256_testz_si256(found, asked) == 0 {
                let found = folded(found);
                if found & lanes != 0 || !pairs || found & free & folded(classes(table.add(TABLE), path, len)) != 0 {
                    return true;
                }
            }
            table = table.add(TABLE << usize::from(pairs));
            tables -= 1;
            if tables == 0 {
                return false;
            }
        }
    }
}

/// The bits that are set in any of 32 bytes.
///
/// # Safety
///
/// As for [`prefixes_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn folded(bytes: __m256i) -> u8 {
    #[allow(unused_unsafe)]
    // SAFETY: AVX2 is there.
    unsafe {
        let half = _mm_or_si128(_mm256_castsi256_si128(bytes), _mm256_extracti128_si256::<1>(bytes));
        let quarter = _mm_or_si128(half, _mm_unpackhi_epi64(half, half));
        let all = _mm_cvtsi128_si64(quarter) as u64;
        let all = all | all >> 32;
        let all = all | all >> 16;
        (all | all >> 8) as u8
    }
}

/// The classes of the triples in the path; each may be set in any of the bytes.
///
/// # Safety
///
/// `table` is a triple table, aligned to 16; otherwise as for [`prefixes_avx2`].
#[target_feature(enable = "avx2,bmi1,bmi2,popcnt,lzcnt")]
#[inline]
unsafe fn classes(table: *const u8, path: *const u8, len: usize) -> __m256i {
    // SAFETY: as the caller ensures. The loads of ones begin 0 to 96 bytes from their start and are 32 bytes long.
    unsafe {
        let block = |at: usize, before: (__m256i, __m256i)| {
            let bytes = _mm256_loadu_si256(path.add(at).cast());
            let byte = |place: usize| nibbles::classes(table, place, bytes);
            let (first, second) = (byte(0), byte(1));
            let first_before = _mm256_alignr_epi8::<14>(first, _mm256_permute2x128_si256::<0x03>(first, before.0));
            let second_before = _mm256_alignr_epi8::<15>(second, _mm256_permute2x128_si256::<0x03>(second, before.1));
            (_mm256_and_si256(_mm256_and_si256(first_before, second_before), byte(2)), (first, second))
        };
        let zero = _mm256_setzero_si256();
        // Zeros before the path match only triples of fewer than three bytes; position 0 is the slash, where no triple ends.
        let (mut at, mut before, mut found) = (0, (nibbles::classes(table, 0, zero), zero), zero);
        loop {
            let ones = Ones::of((len - at).min(64));
            let (one, after_one) = block(at, before);
            let (other, after_other) = block(at + 32, after_one);
            let one = _mm256_and_si256(one, _mm256_loadu_si256(ones));
            let other = _mm256_and_si256(other, _mm256_loadu_si256(ones.add(1)));
            found = _mm256_or_si256(found, _mm256_or_si256(one, other));
            (at, before) = (at + 64, after_other);
            if at >= len {
                return found;
            }
        }
    }
}
