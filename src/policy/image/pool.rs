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
use crate::error::policy::Error;
use crate::formats::memory::{FileTable, prefetch};
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

/// One of something for each section that is a pool.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pools<T> {
    pub automata: T,
    pub rules: T,
    pub side: T,
    pub rows: T,
    pub crawlers: T,
}

impl<T> Pools<T> {
    pub fn of(mut of: impl FnMut(Section) -> T) -> Pools<T> {
        Pools {
            automata: of(Section::Automata),
            rules: of(Section::Rules),
            side: of(Section::Side),
            rows: of(Section::Rows),
            crawlers: of(Section::Crawlers),
        }
    }

    /// The one of a section.
    pub fn get(&self, section: Section) -> &T {
        match section {
            Section::Automata => &self.automata,
            Section::Rules => &self.rules,
            Section::Side => &self.side,
            Section::Rows => &self.rows,
            Section::Crawlers => &self.crawlers,
            _ => unreachable!("no other section is a pool"),
        }
    }
}

/// A source of rows and items: the tables of captures, a file, or an image.
pub(crate) type ItemSource<'s> = Pools<Pool<'s>>;

impl<'s> ItemSource<'s> {
    /// The source whose pools have these bytes.
    pub fn of_bytes(bytes: impl Fn(Section) -> &'s [u8]) -> ItemSource<'s> {
        Pools::of(|section| Pool::new(section, bytes(section)))
    }
}

/// Items for writing, each stored once.
#[derive(Debug)]
pub(crate) struct Distinct {
    section: Section,
    spool: Spool,
    spill: SpillFolder,
    /// 32 bits of the hash of each item's content, and the item's place.
    items: FileTable<(u32, u32)>,
    item: Vec<u8>,
}

impl Distinct {
    /// A pool with only the item without content.
    pub fn new(section: Section, spill: &SpillFolder) -> Distinct {
        let mut first = Vec::new();
        Pool::push(&[], section.unit(), &mut first);
        let (items, spool) = (FileTable::new(&spill.tables()), Spool::new(spill, first));
        Distinct { section, spool, spill: spill.clone(), items, item: Vec::new() }
    }

    /// The place of the item with this content, which is added if it is new.
    pub fn intern(&mut self, content: &[u8]) -> Result<u32, Error> {
        let (hash, pool) = (xxh3_64(content) as u32, self.pool());
        let same = |&(other, place): &(u32, u32)| other == hash && pool.item(place) == content;
        if content.is_empty() {
            return Ok(NONE);
        }
        if let Some(&(_, place)) = self.items.find(spread(hash), same) {
            return Ok(place);
        }
        let place = self.add_new(content)?;
        let inserted = self.items.insert((hash, place), |&(hash, _)| spread(hash));
        inserted.map_err(|error| self.spill.failed(error))?;
        Ok(place)
    }

    /// The place of an item with this content, which is new unless it is the first one.
    pub fn add_new(&mut self, content: &[u8]) -> Result<u32, Error> {
        if content.is_empty() {
            return Ok(NONE);
        }
        let place = self.section.place(self.spool.len(), content.len())?;
        self.item.clear();
        Pool::push(content, self.section.unit(), &mut self.item);
        self.spool.write(&self.item)?;
        Ok(place)
    }

    /// Ends writing; no items can be added after that.
    pub fn finish(&mut self) {
        self.items.free();
    }

    pub fn pool(&self) -> Pool<'_> {
        Pool::new(self.section, self.spool.bytes())
    }

    pub fn bytes(&self) -> &[u8] {
        self.spool.bytes()
    }
}

/// Spreads 32 bits of a hash over the 64 that a hash table wants, which uses both the upper and the lower bits.
pub(super) fn spread(hash: u32) -> u64 {
    u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
