//! Looks origins up in the table.

use std::ops::Range;

use super::key::{self, HELD, hash_of, range};
use super::pilots;
use super::section::{Entry, HEADER, Sections, pilots_length, sections};
use crate::formats::memory::prefetch;
use crate::policy::image::{Parts, Problem, RECORD_UNIT, Record, record_starts};
use crate::threads;

/// The origins of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'p> {
    sections: Sections<'p>,
    records: &'p [u8],
}

impl<'p> Lookup<'p> {
    pub(crate) fn new(parts: &Parts<'p>) -> Lookup<'p> {
        Lookup::of(parts.lookup, parts.records)
    }

    /// The table in a checked section, for these records.
    pub(super) fn of(section: &'p [u8], records: &'p [u8]) -> Lookup<'p> {
        Lookup { sections: sections(section).expect("a checked section"), records }
    }

    /// The record of an origin.
    pub fn get(&self, origin: &[u8]) -> Option<Record<'p>> {
        self.find(origin).map(|entry| self.record(entry))
    }

    /// All records, in the order of their origins.
    pub fn records(&self) -> impl Iterator<Item = Record<'p>> + use<'p> {
        let records = self.records;
        record_starts(records, 0).map(move |at| Record::at(records, at))
    }

    /// The entry of an origin of any length. Unlike a look-up in the slots, it searches the overflow too.
    pub(crate) fn find(&self, origin: &[u8]) -> Option<&'p Entry> {
        self.find_hashed(origin, self.hash_of(origin))
    }

    /// Whether every origin is in the slot of its hash, so that one not found there is not in the table.
    #[inline(always)]
    pub(crate) fn is_all_in_slots(&self) -> bool {
        self.sections.overflow.is_empty()
    }

    #[inline]
    pub(crate) fn hash_of(&self, origin: &[u8]) -> u64 {
        hash_of(origin, self.seed())
    }

    /// Like [`Lookup::find`], given the hash of the origin.
    pub(crate) fn find_hashed(&self, origin: &[u8], hash: u64) -> Option<&'p Entry> {
        let entry = self.entry(self.slot(hash, self.pilot(self.bucket(hash))));
        if self.is_of(entry, origin) {
            return Some(entry);
        }
        let overflow = self.sections.overflow;
        let found = overflow.binary_search_by(|entry| self.record(entry).origin.cmp(origin));
        found.ok().map(|at| &overflow[at])
    }

    /// Where the entry of an origin is, in bytes from the start of the section.
    pub(crate) fn position(&self, origin: &[u8], section: &[u8]) -> Option<usize> {
        let entry: *const Entry = self.find(origin)?;
        Some(entry as usize - section.as_ptr() as usize)
    }

    /// Whether an entry belongs to an origin.
    pub(crate) fn is_of(&self, entry: &Entry, origin: &[u8]) -> bool {
        let (first, rest) = key::words(origin);
        !origin.is_empty()
            && entry.has_key(first, rest, origin.len() as u64)
            && (origin.len() <= HELD || self.record(entry).origin == origin)
    }

    /// The record of an entry that is not free.
    #[inline]
    pub(crate) fn record(&self, entry: &Entry) -> Record<'p> {
        Record::at(self.records, entry.record() as usize * RECORD_UNIT)
    }

    /// The seed of the hash.
    #[inline(always)]
    pub(crate) fn seed(&self) -> u64 {
        self.sections.seed
    }

    /// The bucket of a hash: always a valid index into [`Lookup::pilots`].
    #[inline(always)]
    pub(crate) fn bucket(&self, hash: u64) -> usize {
        range(hash, self.sections.pilots.len() as u64)
    }

    #[inline(always)]
    pub(crate) fn pilot(&self, bucket: usize) -> u16 {
        u16::from_le(self.sections.pilots[bucket])
    }

    /// The slot of a hash: always a valid index into [`Lookup::entries`], for any hash and pilot.
    #[inline(always)]
    pub(crate) fn slot(&self, hash: u64, pilot: u16) -> usize {
        pilots::slot(hash, pilot, self.sections.entries.len() as u64)
    }

    #[inline(always)]
    pub(crate) fn entry(&self, slot: usize) -> &'p Entry {
        &self.sections.entries[slot]
    }

    /// All pilots, one per bucket, in the byte order of the file. There is at least one.
    #[cfg(test)]
    pub(super) fn pilots(&self) -> &'p [u16] {
        self.sections.pilots
    }

    /// All entries, one per slot. There is at least one.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &'p [Entry] {
        self.sections.entries
    }

    /// Prefetches the pilot of a bucket. Only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_pilot(&self, bucket: usize) {
        prefetch(self.sections.pilots, bucket);
    }

    /// Prefetches the entry in a slot. Only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_entry(&self, slot: usize) {
        prefetch(self.sections.entries, slot);
    }
}

// Checks that a table finds every record and nothing else.

/// How many records are looked up at a time, so that their cache misses overlap.
const AT_ONCE: usize = 32;

/// How many entries a thread counts at a time.
const COUNTED_AT_ONCE: usize = 1 << 16;

/// Checks a section against checked records; `parts` are ranges of records to check in parallel. `of_most` returns a row's
/// first automaton with its set; `hash` is [`hash_of`](super::key::hash_of), except in tests. Returns the number of records.
///
/// # Errors
///
/// The problem of an invalid section, and its position.
pub(in crate::policy) fn check(
    section: &[u8],
    records: &[u8],
    parts: &[Range<usize>],
    of_most: impl Fn(u32) -> (u32, u32) + Sync,
    hash: impl Fn(&[u8], u64) -> u64 + Sync,
) -> Result<usize, Problem> {
    let Sections { pilots, entries, overflow, .. } = sections(section).map_err(|problem| (0, problem))?;
    let first = HEADER + pilots_length(pilots.len() as u64) as usize;
    let at = |slot: usize| first + slot * size_of::<Entry>();
    let is_ordered = |two: &[Entry]| two[0].record() < two[1].record();
    if !overflow.windows(2).all(is_ordered) {
        return Err((at(entries.len()), "the overflow is not in the order of origins"));
    }
    let table = Lookup::of(section, records);
    let checking = Checking { table, overflow, of_most, hash };
    let (mut in_slots, mut in_overflow) = (0, 0);
    for counted in threads::map(parts, |part| checking.records(records, part.clone())) {
        let counted = counted.map_err(|problem| (first, problem))?;
        (in_slots, in_overflow) = (in_slots + counted.0, in_overflow + counted.1);
    }
    // Each record has its own entry, so any further entry belongs to none.
    let used = |some: &[Entry]| some.iter().filter(|entry| !entry.is_free()).count();
    let used: usize = threads::map(entries.chunks(COUNTED_AT_ONCE).collect::<Vec<_>>(), used).iter().sum();
    match used == in_slots && overflow.len() == in_overflow {
        true => Ok(in_slots + in_overflow),
        false => Err((first, "an entry belongs to no record, or is not in the slot of its hash")),
    }
}

struct Checking<'p, A, H> {
    table: Lookup<'p>,
    overflow: &'p [Entry],
    of_most: A,
    hash: H,
}

impl<A: Fn(u32) -> (u32, u32), H: Fn(&[u8], u64) -> u64> Checking<'_, A, H> {
    /// Counts the records of a part in their slots and in the overflow; each must be in one of them.
    fn records(&self, records: &[u8], part: Range<usize>) -> Result<(usize, usize), &'static str> {
        let (mut in_slots, mut in_overflow) = (0, 0);
        let mut some = Vec::with_capacity(AT_ONCE);
        let mut starts = record_starts(&records[..part.end], part.start).peekable();
        while starts.peek().is_some() {
            some.clear();
            some.extend(starts.by_ref().take(AT_ONCE).map(|at| {
                let record = Record::at(records, at);
                let hash = (self.hash)(record.origin, self.table.seed());
                self.table.prefetch_pilot(self.table.bucket(hash));
                (record, (at / RECORD_UNIT) as u32, hash)
            }));
            let slots: [usize; AT_ONCE] = std::array::from_fn(|number| {
                let Some(&(_, _, hash)) = some.get(number) else { return 0 };
                let slot = self.table.slot(hash, self.table.pilot(self.table.bucket(hash)));
                self.table.prefetch_entry(slot);
                slot
            });
            for (&(record, place, _), slot) in some.iter().zip(slots) {
                if record.origin.is_empty() {
                    return Err("an origin is empty");
                }
                let expected = Entry::new(&record, place, (self.of_most)(record.row));
                if *self.table.entry(slot) == expected {
                    in_slots += 1;
                } else {
                    self.in_overflow(&expected)?;
                    in_overflow += 1;
                }
            }
        }
        Ok((in_slots, in_overflow))
    }

    fn in_overflow(&self, expected: &Entry) -> Result<(), &'static str> {
        let found = self.overflow.binary_search_by_key(&expected.record(), Entry::record);
        let is_there = found.is_ok_and(|at| self.overflow[at] == *expected);
        is_there.then_some(()).ok_or("an origin has no entry, or one that differs from its record")
    }
}
