//! Pools: sections of distinct items, each found by its place.
//!
//! ```text
//! item    length of its content u32 | content | zeros up to a multiple of the pool's unit
//! ```
//!
//! The first item has no content; its place, 0, means "none". Places count units from the start of the section.

use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

use super::format::Section;
use super::spool::{SpillFolder, Spool};
use crate::formats::memory::{FileTable, prefetch};
use crate::policy::error::WriteError;
use crate::threads;

/// The place of the item without content.
pub(crate) const NONE: u32 = 0;

const LENGTH: usize = 4;

/// A problem and its position, in bytes from the start of the section or the item.
pub(crate) type Problem = (usize, &'static str);

/// The places where items begin, a bit each.
#[derive(Debug)]
pub(crate) struct Starts(Vec<u64>);

impl Starts {
    /// An empty set, for places below `places`.
    pub fn new(places: usize) -> Starts {
        Starts(vec![0; places.div_ceil(64)])
    }

    pub fn set(&mut self, place: usize) {
        self.0[place / 64] |= 1 << (place % 64);
    }

    pub fn has(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|bits| bits >> (place % 64) & 1 == 1)
    }
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Pool<'p> {
    bytes: &'p [u8],
    unit: usize,
}

impl<'p> Pool<'p> {
    pub fn new(section: Section, bytes: &'p [u8]) -> Pool<'p> {
        Pool { bytes, unit: section.unit() }
    }

    pub fn item(self, place: u32) -> &'p [u8] {
        &self.bytes[self.content(place as usize * self.unit)]
    }

    /// The item at a place: its length and its content.
    pub fn whole_item(self, place: u32) -> &'p [u8] {
        let content = self.content(place as usize * self.unit);
        &self.bytes[content.start - LENGTH..content.end]
    }

    /// The contents of all items except the first, in order.
    pub fn contents(self) -> impl Iterator<Item = &'p [u8]> {
        let mut at = 0;
        let mut items = std::iter::from_fn(move || {
            (at < self.bytes.len()).then(|| {
                let content = self.content(at);
                at = content.end.next_multiple_of(self.unit);
                &self.bytes[content]
            })
        });
        items.next();
        items
    }

    /// The range of the content of the item that begins at byte `at`.
    fn content(self, at: usize) -> Range<usize> {
        let length = u32::from_le_bytes(self.bytes[at..at + LENGTH].try_into().expect("four bytes"));
        at + LENGTH..at + LENGTH + length as usize
    }

    /// Size in bytes of an item with this much content, including padding to a multiple of the unit.
    pub fn item_size(content: usize, unit: usize) -> usize {
        (LENGTH + content).next_multiple_of(unit)
    }

    /// How many places there are, at most one of each item.
    pub fn places(self) -> usize {
        self.bytes.len() / self.unit
    }

    /// Prefetches the item at a place. Only a hint.
    #[inline]
    pub fn prefetch(self, place: u32) {
        prefetch(self.bytes, place as usize * self.unit);
    }

    pub fn push(content: &[u8], unit: usize, out: &mut Vec<u8>) {
        let end = out.len() + Pool::item_size(content.len(), unit);
        out.extend_from_slice(&(content.len() as u32).to_le_bytes());
        out.extend_from_slice(content);
        out.resize(end, 0);
    }

    /// Checks that items fill the pool exactly and that `check` accepts the content of each. Returns the places where items
    /// begin. One thread walks: while it waits for the length of an item, the processor checks the one before.
    pub fn check(self, check: impl Fn(&'p [u8]) -> Result<(), Problem>) -> Result<Starts, Problem> {
        let mut starts = Starts::new(self.bytes.len() / self.unit);
        let mut at = 0;
        while at < self.bytes.len() {
            threads::check();
            if at + LENGTH > self.bytes.len() || self.content(at).end > self.bytes.len() {
                return Err((at, "an item reaches beyond the end"));
            }
            let content = self.content(at);
            starts.set(at / self.unit);
            if at > 0 {
                check(&self.bytes[content.clone()]).map_err(|(in_item, what)| (at + LENGTH + in_item, what))?;
            }
            at = content.end.next_multiple_of(self.unit);
        }
        if self.bytes.is_empty() || !self.content(0).is_empty() {
            return Err((0, "its first item is not empty"));
        }
        Ok(starts)
    }
}

/// Items for writing, each stored once.
#[derive(Debug)]
pub(crate) struct Distinct {
    section: Section,
    pub spool: Spool,
    /// 32 bits of the hash of each item's content, and the item's place.
    items: FileTable<(u32, u32)>,
    item: Vec<u8>,
}

fn hash_of(content: &[u8]) -> u32 {
    xxh3_64(content) as u32
}

impl Distinct {
    /// A pool with only the item without content.
    pub fn pool(section: Section, spill: &SpillFolder) -> Distinct {
        let mut first = Vec::new();
        Pool::push(&[], section.unit(), &mut first);
        let (items, spool) = (FileTable::new(&spill.tables()), Spool::new(spill, first));
        Distinct { section, spool, items, item: Vec::new() }
    }

    /// The place of the item with this content, which is added if it is new.
    pub fn intern(&mut self, content: &[u8]) -> Result<u32, WriteError> {
        if content.is_empty() {
            return Ok(NONE);
        }
        self.fill(content)?;
        let hash = hash_of(content);
        let (unit, spool, mut failed) = (self.section.unit() as u64, &mut self.spool, None);
        let found = self.items.find(spread(hash), |&(other, place)| {
            other == hash
                && spool.has(u64::from(place) * unit, &self.item).unwrap_or_else(|error| {
                    failed = Some(error);
                    false
                })
        });
        if let Some(error) = failed {
            return Err(error);
        }
        if let Some(&(_, place)) = found {
            return Ok(place);
        }
        let place = self.append()?;
        let inserted = self.items.insert((hash, place), |&(hash, _)| spread(hash));
        inserted.map_err(|error| self.spool.failed(error))?;
        Ok(place)
    }

    /// The place of an item with this content, which is new unless it is the first one.
    pub fn add_new(&mut self, content: &[u8]) -> Result<u32, WriteError> {
        if content.is_empty() {
            return Ok(NONE);
        }
        self.fill(content)?;
        self.append()
    }

    fn fill(&mut self, content: &[u8]) -> Result<(), WriteError> {
        self.item.clear();
        if u32::try_from(content.len()).is_err() {
            return Err(self.section.full());
        }
        Pool::push(content, self.section.unit(), &mut self.item);
        Ok(())
    }

    fn append(&mut self) -> Result<u32, WriteError> {
        let place = u32::try_from(self.spool.len() / self.section.unit() as u64).map_err(|_| self.section.full())?;
        if place > self.section.last_place() {
            return Err(self.section.full());
        }
        self.spool.write(&self.item)?;
        Ok(place)
    }

    /// Ends writing; no items can be added after that.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        self.items.free();
        self.spool.finish()
    }

    pub fn content(&mut self, place: u32) -> Result<Vec<u8>, WriteError> {
        let at = u64::from(place) * self.section.unit() as u64;
        let mut length = [0; LENGTH];
        self.spool.read(at, &mut length)?;
        let mut content = vec![0; u32::from_le_bytes(length) as usize];
        self.spool.read(at + LENGTH as u64, &mut content)?;
        Ok(content)
    }
}

/// Spreads 32 bits of a hash over the 64 that a hash table wants, which uses both the upper and the lower bits.
pub(super) fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
