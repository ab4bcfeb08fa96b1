//! The index of origins: from the octets of an origin to its record.
//!
//! Open addressing with linear probing, half full at most. A slot is 8 octets: 32 bits of the origin's hash and where
//! its record begins. The record holds the whole origin, which is compared; a hash alone decides nothing. The hash is
//! XXH3 (64 bits, seed 0). A look-up takes two cache misses, one for the slot and one for the record, and can be done in
//! three steps, so that the misses of many origins overlap ([`Index::prefetch`], [`Index::candidate`],
//! [`Index::confirmed`]).
//!
//! ```text
//! slot     hash's upper 32 bits | record's place in units of 4 octets, plus 1; 0 where free
//! record   automaton u32 | number u32 | length of origin u16 | standing u8 | last good standing u8 | origin | padding
//! ```

use xxhash_rust::xxh3::xxh3_64;

use super::standing::Standing;

const HEAD: usize = 12;
const NO_GOOD: u8 = u8::MAX;

/// The origins of a policy.
#[derive(Debug, Clone)]
pub struct Index {
    slots: Vec<u64>,
    records: Vec<u8>,
    count: u32,
}

/// An origin's record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'i> {
    /// The origin in canonical form.
    pub origin: &'i [u8],
    /// Its number, counted from 0 in the order of [`Index::build`].
    pub number: u32,
    /// Where its automaton begins, in words; 0 where it has none.
    pub automaton: u32,
    /// Its state.
    pub standing: Standing,
    /// Where the state is no verdict: the last one that was, if any.
    pub last_good: Option<Standing>,
}

/// The index holds at most 2^32 units of records (16 GiB).
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many origins for one policy: their records take more than 16 GiB")]
pub struct TooManyOrigins;

impl Default for Index {
    /// An index of no origins.
    fn default() -> Index {
        Index { slots: vec![0; 2], records: Vec::new(), count: 0 }
    }
}

impl Index {
    /// An index of `records`, whose origins are distinct; their numbers follow this order.
    ///
    /// # Errors
    ///
    /// [`TooManyOrigins`], beyond 16 GiB of records.
    pub fn build<'r>(records: impl ExactSizeIterator<Item = Record<'r>>) -> Result<Index, TooManyOrigins> {
        let slots = vec![0; (records.len() * 2).next_power_of_two().max(2)];
        let mut index = Index { slots, records: Vec::new(), count: 0 };
        for record in records {
            index.insert(record)?;
        }
        Ok(index)
    }

    fn insert(&mut self, record: Record<'_>) -> Result<(), TooManyOrigins> {
        let place = u32::try_from(self.records.len() / 4 + 1).map_err(|_| TooManyOrigins)?;
        self.records.extend_from_slice(&record.automaton.to_le_bytes());
        self.records.extend_from_slice(&self.count.to_le_bytes());
        self.records.extend_from_slice(&u16::try_from(record.origin.len()).unwrap_or(u16::MAX).to_le_bytes());
        self.records.push(record.standing as u8);
        self.records.push(record.last_good.map_or(NO_GOOD, |good| good as u8));
        self.records.extend_from_slice(&record.origin[..record.origin.len().min(usize::from(u16::MAX))]);
        self.records.resize(self.records.len().next_multiple_of(4), 0);
        self.count += 1;
        let hash = hash(record.origin);
        let mut at = self.slot(hash);
        while self.slots[at] != 0 {
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = (hash >> 32) << 32 | u64::from(place);
        Ok(())
    }

    /// How many origins there are.
    pub fn len(&self) -> usize {
        self.count as usize
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// The record of an origin.
    pub fn get(&self, origin: &[u8]) -> Option<Record<'_>> {
        let hash = hash(origin);
        let mut at = self.slot(hash);
        while self.slots[at] != 0 {
            if self.slots[at] >> 32 == hash >> 32 {
                if let Some(record) = self.confirmed(self.slots[at] as u32, origin) {
                    return Some(record);
                }
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    /// Step one of a look-up: asks for the slot of an origin of this [`hash`].
    #[inline]
    pub fn prefetch(&self, hash: u64) {
        prefetch(&self.slots, self.slot(hash));
    }

    /// Step two: the first record whose slot could be an origin of this hash, or 0 if there is none; asks for it.
    #[inline]
    pub fn candidate(&self, hash: u64) -> u32 {
        let mut at = self.slot(hash);
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return 0;
            }
            if slot >> 32 == hash >> 32 {
                prefetch(&self.records, (slot as u32 as usize - 1) * 4);
                return slot as u32;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
    }

    /// Step three: the candidate's record, if it is this origin's. If it is not, only [`Index::get`] knows.
    #[inline]
    pub fn confirmed(&self, candidate: u32, origin: &[u8]) -> Option<Record<'_>> {
        let record = self.record_at(candidate);
        (record.origin == origin).then_some(record)
    }

    /// All records, in the order of their numbers.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        let mut at = 0;
        std::iter::from_fn(move || {
            (at < self.records.len()).then(|| {
                let record = self.record_at((at / 4 + 1) as u32);
                at = (at + HEAD + record.origin.len()).next_multiple_of(4);
                record
            })
        })
    }

    #[inline]
    fn record_at(&self, place: u32) -> Record<'_> {
        let at = (place as usize - 1) * 4;
        let head: &[u8; HEAD] = self.records[at..at + HEAD].try_into().expect("a head");
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let length = usize::from(u16::from_le_bytes([head[8], head[9]]));
        Record {
            automaton: word(0),
            number: word(4),
            standing: Standing::ALL[usize::from(head[10])],
            last_good: Standing::ALL.get(usize::from(head[11])).copied(),
            origin: &self.records[at + HEAD..at + HEAD + length],
        }
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

    #[test]
    fn every_origin_is_found_and_no_other() {
        let origins: Vec<String> = (0..5000).map(|n| format!("https://host-{n}.example")).collect();
        let record = |(n, origin): (usize, &'static str)| Record {
            origin: origin.as_bytes(),
            number: n as u32,
            automaton: 7 * n as u32,
            standing: Standing::ALL[n % 6],
            last_good: (n % 6 > 3).then_some(Standing::Rules),
        };
        let leaked: Vec<&'static str> = origins.iter().map(|o| &*o.clone().leak()).collect();
        let index = Index::build(leaked.iter().copied().enumerate().map(record)).unwrap();
        for (n, &origin) in leaked.iter().enumerate() {
            assert_eq!(index.get(origin.as_bytes()), Some(record((n, origin))));
            let hash = hash(origin.as_bytes());
            index.prefetch(hash);
            assert_eq!(index.confirmed(index.candidate(hash), origin.as_bytes()), Some(record((n, origin))));
            assert_eq!(index.get(format!("{origin}x").as_bytes()), None);
        }
        assert_eq!(
            index.records().collect::<Vec<_>>(),
            leaked.iter().copied().enumerate().map(record).collect::<Vec<_>>()
        );
        assert_eq!(Index::default().get(b"http://a"), None);
    }
}
