//! Looks origins up in the table.

use super::key::{self, HELD, hash_of, range};
use super::place;
use super::section::{Entry, Sections, sections};
use crate::policy::groups::prefetch;
use crate::policy::image::{Parts, RECORD_UNIT, Record, record_starts};

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

    /// The hash of an origin.
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

    /// The pilot of a bucket.
    #[inline(always)]
    pub(crate) fn pilot(&self, bucket: usize) -> u16 {
        u16::from_le(self.sections.pilots[bucket])
    }

    /// The slot of a hash: always a valid index into [`Lookup::entries`], for any hash and pilot.
    #[inline(always)]
    pub(crate) fn slot(&self, hash: u64, pilot: u16) -> usize {
        place::slot(hash, pilot, self.sections.entries.len() as u64)
    }

    /// The entry in a slot.
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
