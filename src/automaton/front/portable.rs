//! Probes a front on any processor.

use super::item::{
    ALWAYS, BEGINNINGS, BLOOM_BYTES, BUCKET, CUTS, FLAGS, FREE, FREE_CLASSES, HEADER, LENGTHS, LONGEST, PAIRS,
    ROOT_PASSES, TABLE, TABLES, bloom_bytes, bucket_bytes, buckets_at, has_free_classes, table_bytes, tables_at,
};
use super::prefixes::{beginning, filter_bit, fingerprint, hash, place};
use crate::automaton::nibbles::classes;

/// Whether a path may have another verdict than the base. The path must be in normal form; it passes if it does not begin with
/// `/`.
pub fn passes(item: &[u8], path: &[u8]) -> bool {
    let found = if begins(item, path) { prefixes(item, path) } else { Prefixes::none(has_free_classes(item)) };
    path.first() != Some(&b'/') || found.passes != 0 || found.asks != 0 && triples(item, path, found.lanes)
}

/// Whether a path may begin with a prefix, or pass without one. The path must be in normal form and begin with `/`.
pub fn begins(item: &[u8], path: &[u8]) -> bool {
    let word = beginning(path);
    item[BEGINNINGS..BLOOM_BYTES].iter().any(|&cut| {
        let bit = filter_bit(word, cut, bloom_bytes(item));
        item[HEADER + bit / 8] >> (bit % 8) & 1 == 1
    })
}

/// Probes for the prefixes of a path that may [begin](begins) with one.
pub fn prefixes(item: &[u8], path: &[u8]) -> Prefixes {
    let lanes = lanes(item, path);
    let always = item[FLAGS] & (ALWAYS | (ROOT_PASSES * u8::from(path.len() == 1)));
    Prefixes { lanes, passes: always | lanes & item[FREE], asks: lanes | item[FREE_CLASSES] }
}

/// Whether the path contains a triple of one of these lanes, or one that needs no lane.
pub fn triples(item: &[u8], path: &[u8], lanes: u8) -> bool {
    let free = item[FREE_CLASSES];
    let pairs = item[FLAGS] & PAIRS != 0;
    let tables = &item[tables_at(item)..][..table_bytes(item) * usize::from(item[TABLES])];
    tables.chunks_exact(table_bytes(item)).any(|tables| {
        let (first, second) = tables.split_at(TABLE);
        let found = found(first, path);
        found & lanes != 0 || (found & free != 0 && (!pairs || found & free & self::found(second, path) != 0))
    })
}

/// The lanes in which a prefix of the path was found, one bit each.
fn lanes(item: &[u8], path: &[u8]) -> u8 {
    let mut lanes = 0;
    for cut in &item[CUTS..CUTS + LENGTHS] {
        let hash = hash(&path[..path.len().min(LONGEST - usize::from(*cut))]);
        let at = buckets_at(item) + place(hash, bucket_bytes(item));
        let fingerprint = fingerprint(hash).to_le_bytes();
        for (lane, other) in item[at..at + BUCKET].chunks_exact(2).enumerate() {
            lanes |= u8::from(other == fingerprint) << lane;
        }
    }
    lanes
}

/// The classes of the triples in the path.
fn found(table: &[u8], path: &[u8]) -> u8 {
    // Zeros before the path match only triples of fewer than three bytes; the path begins with the slash, where no triple ends.
    let (mut first, mut both) = (classes(table, 0, 0), 0);
    path.iter().fold(0, |found, &byte| {
        let here = both & classes(table, 2, byte);
        both = first & classes(table, 1, byte);
        first = classes(table, 0, byte);
        found | here
    })
}

/// The result of probing a path for prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    /// The lanes in which a prefix was found, one bit each.
    pub lanes: u8,
    /// Nonzero if the path passes already.
    pub passes: u8,
    /// If it does not pass: nonzero if a triple may still let it pass.
    pub asks: u8,
}

impl Prefixes {
    /// The result for a path that begins with no prefix.
    pub(super) fn none(has_free_classes: bool) -> Prefixes {
        Prefixes { lanes: 0, passes: 0, asks: u8::from(has_free_classes) }
    }
}
