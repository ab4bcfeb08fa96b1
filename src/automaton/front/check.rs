//! Checks whether bytes begin with a front.

use super::layout::{
    ALL_FLAGS, BEGINNINGS, BLOOM_BYTES, BUCKET, BUCKET_BYTES, CUTS, FLAGS, FREE, FREE_CLASSES, HEADER, LENGTH, LENGTHS,
    LONGEST, TABLE, TABLES, bloom_bytes, bucket_bytes, front_bytes,
};
use crate::automaton::Damage;

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
