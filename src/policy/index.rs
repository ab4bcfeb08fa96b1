//! The index of origins: from the octets of an origin to its record.
//!
//! Open addressing with linear probing, three quarters full. A slot is 8 octets: 32 bits of the origin's hash and where
//! its record begins. The record holds the whole origin, which is compared; a hash alone decides nothing. A look-up
//! takes two cache misses, one for the slot and one for the record, and can be done in three steps, so that the misses
//! of many origins overlap ([`Index::prefetch`], [`Index::candidate`], [`Index::confirmed`]).
//!
//! ```text
//! slot     hash's upper 32 bits | record's place plus 1; 0 where free
//! ```

use xxhash_rust::xxh3::xxh3_64;

use super::image::{Parts, RECORD_UNIT, Record};

/// The origins of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Index<'p> {
    slots: &'p [u64],
    records: &'p [u8],
}

/// How many slots so many origins get: one is always free.
pub(crate) fn slots_for(origins: u64) -> u64 {
    origins + origins / 3 + 1
}

/// The slot, of so many, where the search for a hash begins.
#[inline]
pub(crate) fn slot_of(hash: u64, slots: usize) -> usize {
    ((u64::from(hash as u32) * slots as u64) >> 32) as usize
}

impl<'p> Index<'p> {
    pub(crate) fn new(parts: &Parts<'p>) -> Index<'p> {
        Index { slots: parts.slots, records: parts.records }
    }

    /// The slot behind another one.
    #[inline]
    fn behind(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }

    /// The record of an origin.
    pub fn get(&self, origin: &[u8]) -> Option<Record<'p>> {
        let hash = hash(origin);
        let mut at = slot_of(hash, self.slots.len());
        loop {
            let slot = u64::from_le(self.slots[at]);
            if slot == 0 {
                return None;
            }
            if slot >> 32 == hash >> 32 {
                if let Some(record) = self.confirmed(slot as u32, origin) {
                    return Some(record);
                }
            }
            at = self.behind(at);
        }
    }

    /// Step one of a look-up: asks for the slot of an origin of this [`hash`].
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(self.slots, slot_of(hash, self.slots.len()));
    }

    /// Step two: the first record whose slot could be an origin of this hash, or 0 if there is none; asks for it.
    #[inline]
    pub fn candidate(&self, hash: u64) -> u32 {
        let mut at = slot_of(hash, self.slots.len());
        loop {
            let slot = u64::from_le(self.slots[at]);
            if slot == 0 {
                return 0;
            }
            if slot >> 32 == hash >> 32 {
                prefetch(self.records, (slot as u32 as usize).wrapping_sub(1).wrapping_mul(RECORD_UNIT));
                return slot as u32;
            }
            at = self.behind(at);
        }
    }

    /// Step three: the candidate's record, if it is this origin's. If it is not, only [`Index::get`] knows.
    #[inline]
    pub fn confirmed(&self, candidate: u32, origin: &[u8]) -> Option<Record<'p>> {
        let record = Record::at(self.records, (candidate as usize).checked_sub(1)? * RECORD_UNIT);
        (record.origin == origin).then_some(record)
    }

    /// All records, in the order of their origins.
    pub fn records(&self) -> impl Iterator<Item = Record<'p>> + use<'p> {
        let (records, mut at) = (self.records, 0);
        std::iter::from_fn(move || {
            (at < records.len()).then(|| {
                let record = Record::at(records, at);
                at = record.end(at);
                record
            })
        })
    }
}

/// The hash of an origin.
#[inline]
pub fn hash(origin: &[u8]) -> u64 {
    xxh3_64(origin)
}

/// Asks for the cache line that holds an element; only a hint.
#[inline]
pub(crate) fn prefetch<T>(slice: &[T], at: usize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(element) = slice.get(at) {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction is part of SSE, which every x86_64 has; the address is that of a live reference, and
        // a prefetch neither reads nor writes what it points to.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(element).cast()) };
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (slice, at);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures, Policy};
    use crate::robots::Agents;

    fn policy(origins: &[String]) -> Policy {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let capture = |(number, origin): (usize, &String)| Capture {
            url: crate::origin::robots_url(origin),
            origin: Some(origin.clone()),
            answered: Answered { status: Some(400 + (number % 100) as u16), ..Answered::default() },
            ..Capture::default()
        };
        captures.add(origins.iter().enumerate().map(capture).collect()).unwrap();
        captures.policy().unwrap()
    }

    #[test]
    fn every_origin_is_found_and_no_other() {
        let mut origins: Vec<String> = (0..5000).map(|n| format!("https://host-{n}.example")).collect();
        origins.sort();
        let policy = policy(&origins);
        let index = policy.index();
        for (number, origin) in origins.iter().enumerate() {
            let record = index.get(origin.as_bytes()).unwrap();
            assert_eq!(record.origin, origin.as_bytes());
            assert_eq!(record.state().answered.status, Some(400 + (number % 100) as u16));
            let hash = hash(origin.as_bytes());
            index.prefetch(hash);
            assert_eq!(index.confirmed(index.candidate(hash), origin.as_bytes()), Some(record));
            assert_eq!(index.get(format!("{origin}x").as_bytes()), None);
        }
        assert!(index.records().map(|record| record.origin).eq(origins.iter().map(String::as_bytes)));
        assert_eq!(self::policy(&[]).index().get(b"http://a"), None);
    }
}
