//! How a front is stored, before the words of its engine.
//!
//! ```text
//! item    offset
//!         0   length of the content u32, as of every item of a pool
//!         4   flags u8: 1 the base verdict is "blocked", 2 the path `/` passes, 4 every path passes,
//!             8 no path passes, 16 the triple tables are pairs
//!         5   32 less the lengths of prefixes, 4 times u8
//!         9   free lanes u8, a bit each | 10  free classes with a triple u8 | 11  triple tables u8
//!        12   bytes of the buckets u16 | 14  zero u16
//!        16   64 less the bits of beginnings, 2 times u8 | 18  bytes of the Bloom filter u16
//!        20   the Bloom filter
//!             buckets: 8 times fingerprint u16; 0 where there is none
//!             triple tables: the classes of the first byte by its lower nibble, 16 times u8, and by its upper
//!             nibble; then of the second byte, then of the third. The second table of a pair has another triple
//!             of each of the same patterns
//!             the words of the engine
//! ```
//!
//! If only a free class is found in the first table of a pair, that class must be found in the second table as well.
//!
//! Items begin at multiples of 64, so the header and the Bloom filter of up to 22 beginnings share a cache line. The filter's
//! length is 12 more than a multiple of 16, so buckets begin at multiples of 16.

use crate::automaton::Damage;

/// Bytes before the content: the length of the item.
pub(super) const LENGTH: usize = 4;
pub(super) const FLAGS: usize = 4;
pub(super) const CUTS: usize = 5;
pub(super) const FREE: usize = 9;
pub(super) const FREE_CLASSES: usize = 10;
pub(super) const TABLES: usize = 11;
pub(super) const BUCKET_BYTES: usize = 12;
pub(super) const BEGINNINGS: usize = 16;
pub(super) const BLOOM_BYTES: usize = 18;
/// Bytes of the header, including the length of the item.
pub(super) const HEADER: usize = 20;

pub(super) const BASE_BLOCKED: u8 = 1;
pub(super) const ROOT_PASSES: u8 = 2;
pub(super) const ALWAYS: u8 = 4;
pub(super) const NEVER: u8 = 8;
pub(super) const PAIRS: u8 = 16;
const ALL_FLAGS: u8 = 31;

/// Bytes of a bucket: eight fingerprints.
pub(super) const BUCKET: usize = 16;
pub(super) const LANES: usize = 8;
/// Bytes of a triple table.
pub(super) const TABLE: usize = 96;
/// How many lengths prefixes are cut to.
pub(super) const LENGTHS: usize = 4;
/// The longest of these lengths.
pub(super) const LONGEST: usize = 32;

/// Whether the base verdict of an item is "blocked".
#[inline]
pub fn base_is_blocked(item: &[u8]) -> bool {
    item[FLAGS] & BASE_BLOCKED != 0
}

/// Whether every path has the base verdict.
#[inline]
pub fn never_passes(item: &[u8]) -> bool {
    item[FLAGS] & NEVER != 0
}

/// Whether a path may pass because of a triple, whatever it begins with.
#[inline]
pub fn has_free_classes(item: &[u8]) -> bool {
    item[FREE_CLASSES] != 0
}

/// The words of an item's engine, for `begin`, `finish` and `verdict`.
#[inline]
pub fn words(item: &[u8]) -> &[u32] {
    bytemuck::cast_slice(&item[front_bytes(item)..])
}

/// The words of an engine, given the content of an item, which may be anywhere in memory.
pub(crate) fn engine_words(content: &[u32]) -> &[u32] {
    let mut item = [0; HEADER];
    item[LENGTH..].copy_from_slice(&bytemuck::cast_slice(content)[..HEADER - LENGTH]);
    &content[(front_bytes(&item) - LENGTH) / size_of::<u32>()..]
}

/// Bytes of an item before the words of its engine.
#[inline]
fn front_bytes(item: &[u8]) -> usize {
    tables_at(item) + table_bytes(item) * usize::from(item[TABLES])
}

/// Bytes of a triple table, or of a pair.
#[inline]
pub(super) fn table_bytes(item: &[u8]) -> usize {
    if item[FLAGS] & PAIRS == 0 { TABLE } else { 2 * TABLE }
}

#[inline]
pub(super) fn tables_at(item: &[u8]) -> usize {
    buckets_at(item) + usize::from(bucket_bytes(item))
}

#[inline]
pub(super) fn buckets_at(item: &[u8]) -> usize {
    HEADER + usize::from(bloom_bytes(item))
}

#[inline]
pub(super) fn bloom_bytes(item: &[u8]) -> u16 {
    u16::from_le_bytes([item[BLOOM_BYTES], item[BLOOM_BYTES + 1]])
}

#[inline]
pub(super) fn bucket_bytes(item: &[u8]) -> u16 {
    u16::from_le_bytes([item[BUCKET_BYTES], item[BUCKET_BYTES + 1]])
}

/// Bytes after a path that must be readable, beyond the path's length rounded up to a multiple of 32.
pub const PADDING: usize = 64;

/// Checks that probing the content of an item stays within it; returns the words of its engine, and how many words come before
/// them.
pub(crate) fn check(content: &[u32]) -> Result<(&[u32], usize), Damage> {
    const _: () = assert!(BUCKET.is_multiple_of(4) && TABLE.is_multiple_of(4) && HEADER.is_multiple_of(4));
    let damage = |at: usize, problem| Err(Damage { word: (at - LENGTH) / 4, problem });
    let bytes: &[u8] = bytemuck::cast_slice(content);
    let Some(header) = bytes.first_chunk::<{ HEADER - LENGTH }>() else {
        return damage(LENGTH, "it has no front");
    };
    let mut item = [0; HEADER];
    item[LENGTH..].copy_from_slice(header);
    if item[FLAGS] & !ALL_FLAGS != 0 {
        return damage(FLAGS, "unknown flag");
    }
    if item[CUTS..CUTS + LENGTHS].iter().any(|&cut| usize::from(cut) > LONGEST) {
        return damage(CUTS, "the length of a prefix is negative");
    }
    let buckets = bucket_bytes(&item);
    if buckets == 0 || usize::from(buckets) % BUCKET != 0 || item[BUCKET_BYTES + 2..BEGINNINGS] != [0, 0] {
        return damage(BUCKET_BYTES, "its buckets do not fill their bytes");
    }
    if item[BEGINNINGS..BLOOM_BYTES].iter().any(|&cut| cut > 56) {
        return damage(BEGINNINGS, "a beginning is shorter than a byte");
    }
    if !(HEADER + usize::from(bloom_bytes(&item))).is_multiple_of(BUCKET) {
        return damage(BEGINNINGS, "its buckets do not begin at a multiple of 16");
    }
    if item[TABLES] == 0 && (item[FREE] != u8::MAX || item[FREE_CLASSES] != 0) {
        return damage(TABLES, "it has no triples for its classes");
    }
    let words = (front_bytes(&item) - LENGTH) / 4;
    match content.get(words..) {
        Some(engine) => Ok((engine, words)),
        None => damage(TABLES, "its front reaches beyond the end"),
    }
}
