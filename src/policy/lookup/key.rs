//! The key of an origin: its first 40 bytes as five words, and its length. The hash is computed from the same words.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// How many bytes of an origin an entry holds.
pub(crate) const HELD: usize = 40;

/// Arbitrary bits, with the top bit of some byte set in each, so that XOR with ASCII never makes a factor zero.
const FACTORS: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0xd899_65cc_7537_4cc3];

/// An origin's first 8 bytes and its next 32, little-endian, padded with zeros.
#[inline]
pub(crate) fn words(origin: &[u8]) -> (u64, [u64; 4]) {
    let held = origin.len().min(HELD);
    let mut bytes = [0; HELD];
    bytes[..held].copy_from_slice(&origin[..held]);
    let word = |at: usize| u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    (word(0), std::array::from_fn(|at| word(at + 1)))
}

/// The hash of an origin of at most 40 bytes, from its words, its length and the table's seed.
///
/// Three folded 64-bit products: the same on all processors, and as cheap as AES instructions, because the first two do not
/// depend on each other.
#[inline(always)]
pub(crate) fn hash(first: u64, rest: [u64; 4], length: u64, seed: u64) -> u64 {
    let a = fold(first ^ seed, rest[0] ^ FACTORS[0]);
    let b = fold(rest[1] ^ seed ^ FACTORS[1], rest[2] ^ FACTORS[2]);
    fold(a ^ b ^ length, rest[3] ^ FACTORS[3])
}

/// The hash of an origin of any length. Beyond 40 bytes, the length is combined with XXH3 of the remaining bytes.
#[inline]
pub(crate) fn hash_of(origin: &[u8], seed: u64) -> u64 {
    let (first, rest) = words(origin);
    let length = origin.len() as u64;
    match origin.get(HELD..) {
        Some(others) if !others.is_empty() => hash(first, rest, length ^ xxh3_64_with_seed(others, seed), seed),
        _ => hash(first, rest, length, seed),
    }
}

/// The XOR of both halves of the product, so that each bit depends on all bits of both factors.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// Maps the upper bits of `hash` to a number below `below`, without a division.
#[inline(always)]
pub(crate) fn range(hash: u64, below: u64) -> usize {
    ((u128::from(hash) * u128::from(below)) >> 64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_bytes_and_zeros() {
        let origin: Vec<u8> = (1..=60).collect();
        for length in 0..=origin.len() {
            let (first, rest) = words(&origin[..length]);
            let bytes: Vec<u8> = [first].iter().chain(&rest).flat_map(|word| word.to_le_bytes()).collect();
            let held = length.min(HELD);
            assert_eq!(bytes[..held], origin[..held]);
            assert!(bytes[held..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn each_byte_the_length_and_the_seed_change_half_of_the_bits() {
        let origin = b"https://a-host-of-some-length.example:8080/and-more-of-it";
        for length in [9, 20, 39, 40, 41, origin.len()] {
            let origin = &origin[..length];
            let changes = (0..8 * length).map(|bit| {
                let mut other = origin.to_vec();
                other[bit / 8] ^= 1 << (bit % 8);
                hash_of(&other, 7)
            });
            let all: Vec<u64> = changes.chain([hash_of(origin, 8), hash_of(&origin[..length - 1], 7)]).collect();
            let flipped: Vec<u32> = all.iter().map(|other| (other ^ hash_of(origin, 7)).count_ones()).collect();
            let mean = f64::from(flipped.iter().sum::<u32>()) / flipped.len() as f64;
            assert!((28.0..36.0).contains(&mean) && flipped.iter().all(|&bits| bits > 10), "{length}: {mean}");
        }
        let long = [&origin[..40], &b"\0"[..]].concat();
        assert_ne!(hash_of(&long, 7), hash_of(&origin[..40], 7), "a NUL after the end is no padding");
        assert_ne!(hash_of(b"http://a", 7), hash_of(b"http://a\0", 7));
    }

    #[test]
    fn a_range_is_never_left() {
        for below in [1, 2, 3, 1 << 20, u64::MAX] {
            assert_eq!(range(0, below), 0);
            assert!((range(u64::MAX, below) as u64) < below);
        }
    }
}
