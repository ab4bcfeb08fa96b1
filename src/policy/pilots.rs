//! Finds pilots that map every key to a different slot.
//!
//! Buckets get their slots in order of size, the largest first, while there are many free slots. For each bucket,
//! pilots are tried in order until all its keys hit free slots. With 3 keys per bucket and 1.1 slots per key, that
//! takes 6 tries per key, and the largest pilot for a million keys is below 1,000. (4 keys per bucket take 10 tries; 2
//! take 3, with half as many bytes of pilots again.)
//!
//! Keys with equal hashes get no slots, and neither do very large buckets. With honest origins this happens once in ten
//! thousand tables, and another seed solves it. An attacker who could construct origins that defeat every seed would
//! only move their buckets to the overflow: tries are limited, and after the last seed the remaining keys go there.

use std::io;

use crate::formats::memory::{FileMemory, FileVec};

const PER_BUCKET: u64 = 3;

/// Larger buckets get no slots; with a billion keys, the largest has 20.
const LARGEST: usize = 32;

/// The limit on tries for all keys together: this many per key, plus a constant.
const TRIES_PER_KEY: u64 = 64;
const EXTRA_TRIES: u64 = 1 << 20;

pub(super) type Hashed = (u64, u32);

/// The pilots, the key in each slot, and the keys that did not fit.
#[derive(Debug)]
pub(super) struct KeySlots {
    pub pilots: FileVec<u16>,
    /// For each slot, its key plus 1, or 0.
    pub slots: FileVec<u32>,
    /// Keys without a slot, in ascending order.
    pub overflow: Vec<u32>,
}

/// Maps the upper bits of `hash` to a number below `below`, without a division.
#[inline(always)]
pub(super) fn range(hash: u64, below: u64) -> usize {
    ((u128::from(hash) * u128::from(below)) >> 64) as usize
}

/// The number of pilots in a table with this many keys.
fn pilots_for(keys: u64) -> u64 {
    keys / PER_BUCKET + 1
}

/// The number of slots in such a table.
pub(super) fn slots_for(keys: u64) -> u64 {
    keys + keys / 10 + 1
}

/// The slot of a hash under the pilot of its bucket, below `slots`.
#[inline(always)]
pub(super) fn slot(hash: u64, pilot: u16, slots: u64) -> usize {
    range((hash ^ u64::from(pilot)).wrapping_mul(0x9e37_79b9_7f4a_7c15), slots)
}

/// Gives slots to keys, which must be sorted.
pub(super) fn find_pilots(keys: &[Hashed], memory: &FileMemory) -> io::Result<KeySlots> {
    let (pilots, slots) = (pilots_for(keys.len() as u64), slots_for(keys.len() as u64));
    let mut search = PilotSearch {
        taken: FileVec::filled(0, slots.div_ceil(64) as usize, memory)?,
        tries: TRIES_PER_KEY * keys.len() as u64 + EXTRA_TRIES,
        given: KeySlots {
            pilots: FileVec::filled(0, pilots as usize, memory)?,
            slots: FileVec::filled(0, slots as usize, memory)?,
            overflow: Vec::new(),
        },
    };
    for &start in &*by_size(keys, pilots, memory)? {
        let keys = &keys[start as usize..];
        let number = range(keys[0].0, pilots);
        let bucket = &keys[..keys.iter().take_while(|key| range(key.0, pilots) == number).count()];
        match search.pilot(bucket) {
            Some(pilot) => search.given.pilots[number] = pilot.to_le(),
            None => search.given.overflow.extend(bucket.iter().map(|&(_, key)| key)),
        }
    }
    search.given.overflow.sort_unstable();
    Ok(search.given)
}

/// Where each bucket begins among the keys: the largest buckets first, then in order of number.
fn by_size(keys: &[Hashed], pilots: u64, memory: &FileMemory) -> io::Result<FileVec<u32>> {
    let buckets = || keys.chunk_by(|a, b| range(a.0, pilots) == range(b.0, pilots)).map(<[Hashed]>::len);
    // Larger ones get no slots, in whatever order.
    let class = |length: usize| LARGEST + 1 - length.min(LARGEST + 1);
    let mut next = [0; LARGEST + 2];
    buckets().for_each(|length| next[class(length)] += 1);
    let mut count = 0;
    for of_class in &mut next {
        count += std::mem::replace(of_class, count);
    }
    let (mut starts, mut start) = (FileVec::filled(0, count, memory)?, 0);
    for length in buckets() {
        let at = &mut next[class(length)];
        starts[*at] = start as u32;
        (*at, start) = (*at + 1, start + length);
    }
    Ok(starts)
}

/// The slots that are taken, and how many tries are left.
struct PilotSearch {
    /// One bit for each slot: a million of them fit into a cache that way.
    taken: FileVec<u64>,
    tries: u64,
    given: KeySlots,
}

impl PilotSearch {
    /// Finds the first pilot that gives all keys of a bucket slots of their own, and takes those slots.
    fn pilot(&mut self, bucket: &[Hashed]) -> Option<u16> {
        if bucket.len() > LARGEST || bucket.windows(2).any(|two| two[0].0 == two[1].0) {
            return None;
        }
        let most = self.tries.min(1 << 16);
        let found = (0..most).find(|&pilot| self.take(bucket, pilot as u16));
        self.tries -= found.map_or(most, |pilot| pilot + 1);
        let pilot = found? as u16;
        for &(hash, key) in bucket {
            let slot = slot(hash, pilot, self.given.slots.len() as u64);
            self.given.slots[slot] = key + 1;
        }
        Some(pilot)
    }

    /// Takes the slots of a bucket under a pilot, all or none. Returns whether all were free.
    fn take(&mut self, bucket: &[Hashed], pilot: u16) -> bool {
        let slots = self.given.slots.len() as u64;
        let bit = |hash: u64| {
            let slot = slot(hash, pilot, slots);
            (slot / 64, 1 << (slot % 64))
        };
        for (number, &(hash, _)) in bucket.iter().enumerate() {
            let (word, bit_of) = bit(hash);
            if self.taken[word] & bit_of != 0 {
                for &(hash, _) in &bucket[..number] {
                    let (word, bit) = bit(hash);
                    self.taken[word] ^= bit;
                }
                return false;
            }
            self.taken[word] |= bit_of;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hashes as a good function yields them.
    fn random(count: u32, seed: u64) -> Vec<Hashed> {
        let mut keys: Vec<Hashed> = (0..count)
            .map(|key| (crate::policy::lookup::hash(u64::from(key), [seed, 0, 0, 0], 8, seed), key))
            .collect();
        keys.sort_unstable();
        keys
    }

    fn given(keys: &[Hashed]) -> KeySlots {
        find_pilots(keys, &FileMemory::new(&std::env::temp_dir(), 10_000)).unwrap()
    }

    /// Every key is found once, in its slot or in the overflow.
    fn assert_all_found(keys: &[Hashed], given: &KeySlots) {
        let (pilots, slots) = (given.pilots.len() as u64, given.slots.len() as u64);
        let in_slot = |&&(hash, key): &&Hashed| {
            let pilot = u16::from_le(given.pilots[range(hash, pilots)]);
            given.slots[slot(hash, pilot, slots)] == key + 1
        };
        let (in_slots, others): (Vec<&Hashed>, Vec<&Hashed>) = keys.iter().partition(in_slot);
        let mut others: Vec<u32> = others.iter().map(|&&(_, key)| key).collect();
        others.sort_unstable();
        assert_eq!(others, given.overflow);
        assert_eq!(given.slots.iter().filter(|&&key| key != 0).count(), in_slots.len());
    }

    #[test]
    fn honest_keys_all_get_slots() {
        let mut overflows = 0;
        for count in (0..200).chain([1000, 30_000]) {
            for seed in 0..10 {
                let keys = random(count, seed);
                let given = given(&keys);
                assert_all_found(&keys, &given);
                overflows += usize::from(!given.overflow.is_empty());
            }
        }
        assert!(overflows <= 2, "one table in ten thousand wants another seed: {overflows}");
    }

    #[test]
    fn hostile_keys_go_to_the_overflow_soon() {
        let honest = random(10_000, 1);
        type Hash = fn(u32) -> u64;
        let hostile: [(&str, Hash); 5] = [
            ("one hash", |_| 77 << 40),
            ("few hashes", |key| u64::from(key % 50) << 58),
            ("one bucket", |key| u64::from(key)),
            ("full buckets", |key| u64::from(key / 32) << 50 | u64::from(key % 32)),
            ("slots that follow each other", |key| u64::from(key).wrapping_mul(0xf1de_83e1_9937_733d) << 13),
        ];
        for (name, hash) in hostile {
            let attack = (20_000..40_000).map(|key| (hash(key), key));
            let mut keys: Vec<Hashed> = honest.iter().copied().chain(attack).collect();
            keys.sort_unstable();
            assert_all_found(&keys, &given(&keys));
            let parts = |KeySlots { pilots, slots, overflow }| (pilots.to_vec(), slots.to_vec(), overflow);
            assert!(parts(given(&keys)) == parts(given(&keys)), "{name}");
        }
    }

    #[test]
    fn a_range_is_never_left() {
        for below in [1, 2, 3, 1 << 20, u64::MAX] {
            assert_eq!(range(0, below), 0);
            assert!((range(u64::MAX, below) as u64) < below);
        }
    }
}
