//! The look-up table: maps an origin to everything that most lines need from it, in one cache line.
//!
//! It is a perfect hash table with an entry of 64 bytes for each origin. The hash of an origin selects a bucket. Each
//! bucket has a pilot, a small number [found](super::pilots) when the table is built, which maps each origin of the
//! bucket to a different slot. So a look-up reads one pilot and one entry, and always compares the key in the entry.
//!
//! ```text
//! section  header | pilots, u16 each, zeros up to a multiple of 64 | entries, one a slot | overflow, entries as well
//! header   seed u64 | number of pilots u64 | number of slots u64 | number of entries in the overflow u64 | 32 zeros
//! ```
//!
//! The key of an origin is its first 40 bytes as five words, and its length. The hash is computed from the same words.
//!
//! The overflow holds origins for which no pilot was found. It is empty unless an attacker constructs origins with
//! equal hashes. It is sorted by origin, and searched last.

use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::image::{ALIGNMENT, Problem, RECORD_UNIT, Record, record_starts};
use super::pilots::{self, Hashed, KeySlots, find_pilots, range};
use crate::formats::memory::{FileMemory, FileVec, prefetch};
use crate::threads;

/// An entry, as stored in the file; all zeros if its slot is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C, align(64))]
pub(crate) struct Entry {
    first: u64,
    rest: [u64; 4],
    automaton: u32,
    row: u32,
    record: u32,
    length: u16,
    class: u8,
    zero: u8,
    set: u32,
    zeros: [u8; 4],
}

const _: () = assert!(size_of::<Entry>() == 64 && HELD == 40);

/// Where the length of the origin is in an entry.
const LENGTH: usize = std::mem::offset_of!(Entry, length);

/// Changes the entry at `at`, in bytes from the start of a section, so that it is the entry of no origin.
pub(crate) fn take_out(section: &mut [u8], at: usize) {
    section[at + LENGTH..][..2].fill(0);
}

impl Entry {
    /// The entry for a record at `place` in ORIGINS, with the first automaton of its row and the set of its crawlers.
    pub fn new(record: &Record<'_>, place: u32, (automaton, set): (u32, u32)) -> Entry {
        let (first, rest) = words(record.origin);
        Entry {
            first: first.to_le(),
            rest: rest.map(u64::to_le),
            automaton: automaton.to_le(),
            row: record.row.to_le(),
            record: place.to_le(),
            length: (record.origin.len() as u16).to_le(),
            class: record.class().number(),
            zero: 0,
            set: set.to_le(),
            zeros: [0; 4],
        }
    }

    /// Whether the entry has this key: the words of an origin's first 40 bytes, and the whole length, which is not 0.
    /// That proves equality for an origin of up to 40 bytes; the rest of a longer one is in its record.
    #[inline(always)]
    pub fn has_key(&self, first: u64, rest: [u64; 4], length: u64) -> bool {
        let [a, b, c, d] = rest;
        self.has_beginning(first, length) && self.rest == [a.to_le(), b.to_le(), c.to_le(), d.to_le()]
    }

    /// Whether the key begins with this word and has this length.
    #[inline(always)]
    pub fn has_beginning(&self, first: u64, length: u64) -> bool {
        (self.first ^ first.to_le()) | (self.length() ^ length) == 0
    }

    /// The bytes of the key after the first 8, in the byte order of the file.
    #[inline(always)]
    pub fn rest(&self) -> &[u64; 4] {
        &self.rest
    }

    /// The length of the origin in bytes; 0 if the slot is free.
    #[inline(always)]
    pub fn length(&self) -> u64 {
        u64::from(u16::from_le(self.length))
    }

    /// The place in AUTOMATA of the automaton of most crawlers; 0 if no group applies to them.
    #[inline(always)]
    pub fn automaton(&self) -> u32 {
        u32::from_le(self.automaton)
    }

    /// The place of the set of these crawlers; 0 if they are all.
    #[inline(always)]
    pub fn set(&self) -> u32 {
        u32::from_le(self.set)
    }

    #[inline(always)]
    pub fn row(&self) -> u32 {
        u32::from_le(self.row)
    }

    /// The place of the record in ORIGINS.
    #[inline(always)]
    pub fn record(&self) -> u32 {
        u32::from_le(self.record)
    }

    /// The number of its [`Class`](super::state::Class).
    #[inline(always)]
    pub fn class(&self) -> u8 {
        self.class
    }

    pub fn is_free(&self) -> bool {
        *self == bytemuck::Zeroable::zeroed()
    }
}

const HEADER: usize = 64;
/// Bytes of the header that are not zero.
const HEADER_WORDS: usize = 32;

/// Size of this many pilots in bytes, including the zeros after them.
fn pilots_length(pilots: u64) -> u64 {
    (2 * pilots).next_multiple_of(ALIGNMENT)
}

/// The header of a table with these numbers of pilots, slots and overflow entries.
fn header(seed: u64, pilots: usize, slots: usize, overflow: usize) -> [u8; HEADER] {
    bytemuck::cast([seed, pilots as u64, slots as u64, overflow as u64, 0, 0, 0, 0].map(u64::to_le))
}

// Builds the look-up table from the records of an image.

/// How many seeds are tried before keys that do not fit go to the overflow.
const SEEDS: u64 = 4;

/// How many entries are made, in parallel, before they are written.
const MADE_AT_ONCE: usize = 1 << 14;

/// A table without its entries. These take about as many bytes as all records, so they are computed only while they are
/// written.
#[derive(Debug)]
pub(crate) struct LookupTable {
    seed: u64,
    given: KeySlots,
}

impl LookupTable {
    /// The table for these records. The seed depends on all records, so an attacker who wants origins with certain
    /// hashes must know all other origins.
    ///
    /// `hash` is [`hash_of`], except in tests.
    pub fn build(records: &[u8], hash: impl Fn(&[u8], u64) -> u64, memory: &FileMemory) -> io::Result<LookupTable> {
        let mut number = 0;
        loop {
            let seed = xxh3_64_with_seed(records, number);
            let mut keys: FileVec<Hashed> = FileVec::new(memory);
            for at in record_starts(records, 0) {
                keys.push((hash(Record::at(records, at).origin, seed), (at / RECORD_UNIT) as u32))?;
            }
            threads::sort_by_key(&mut keys, |&key| key);
            let given = find_pilots(&keys, memory)?;
            number += 1;
            if given.overflow.is_empty() || number == SEEDS {
                return Ok(LookupTable { seed, given });
            }
        }
    }

    pub fn length(&self) -> u64 {
        let entries = self.given.slots.len() + self.given.overflow.len();
        HEADER as u64 + pilots_length(self.given.pilots.len() as u64) + (size_of::<Entry>() * entries) as u64
    }

    /// Writes the section piece by piece. `of_most` returns the first automaton of a row with its set.
    pub fn write(
        &self,
        records: &[u8],
        of_most: impl Fn(u32) -> (u32, u32) + Sync,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let KeySlots { pilots, slots, overflow } = &self.given;
        write(&header(self.seed, pilots.len(), slots.len(), overflow.len()))?;
        let pilot_bytes: &[u8] = bytemuck::cast_slice(&pilots[..]);
        write(pilot_bytes)?;
        write(&vec![0; pilots_length(pilots.len() as u64) as usize - pilot_bytes.len()])?;
        let entry = |place: u32| {
            let record = Record::at(records, place as usize * RECORD_UNIT);
            Entry::new(&record, place, of_most(record.row))
        };
        let of_slot = |&key: &u32| key.checked_sub(1).map_or_else(bytemuck::Zeroable::zeroed, entry);
        for some in slots.chunks(MADE_AT_ONCE) {
            let parts: Vec<&[u32]> = some.chunks(MADE_AT_ONCE / 16).collect();
            for entries in threads::map(parts, |part| part.iter().map(of_slot).collect::<Vec<Entry>>()) {
                write(bytemuck::cast_slice(&entries))?;
            }
        }
        overflow.iter().try_for_each(|&place| write(bytemuck::bytes_of(&entry(place))))
    }
}

/// How many bytes of an origin an entry holds.
pub(crate) const HELD: usize = 40;

/// Arbitrary bits, with the top bit of some byte set in each, so that XOR with ASCII never makes a factor zero.
const FACTORS: [u64; 4] = [0xa076_1d64_78bd_642f, 0xe703_7ed1_a0b4_28db, 0x8ebc_6af0_9c88_c6e3, 0xd899_65cc_7537_4cc3];

/// An origin's first 8 bytes and its next 32, little-endian, padded with zeros.
#[inline]
pub(crate) fn words(origin: &[u8]) -> (u64, [u64; 4]) {
    let held = origin.len().min(HELD);
    let mut bytes = [0; HELD];
    bytes[..held].copy_from_slice(&origin[..held]);
    let word = |at: usize| u64::from_le_bytes(bytes[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    (word(0), std::array::from_fn(|at| word(at + 1)))
}

/// The hash of an origin of at most 40 bytes, from its words, its length and the table's seed.
///
/// Three folded 64-bit products: the same on all processors, and as cheap as AES instructions, because the first two do not
/// depend on each other.
#[inline(always)]
pub(crate) fn hash(first: u64, rest: [u64; 4], length: u64, seed: u64) -> u64 {
    let a = fold(first ^ seed, rest[0] ^ FACTORS[0]);
    let b = fold(rest[1] ^ seed ^ FACTORS[1], rest[2] ^ FACTORS[2]);
    fold(a ^ b ^ length, rest[3] ^ FACTORS[3])
}

/// The hash of an origin of any length. Beyond 40 bytes, the length is combined with XXH3 of the remaining bytes.
#[inline]
pub(crate) fn hash_of(origin: &[u8], seed: u64) -> u64 {
    hash_of_words(origin, words(origin), seed)
}

/// [`hash_of`], given the words.
#[inline]
fn hash_of_words(origin: &[u8], (first, rest): (u64, [u64; 4]), seed: u64) -> u64 {
    let length = origin.len() as u64;
    match origin.get(HELD..) {
        Some(others) if !others.is_empty() => hash(first, rest, length ^ xxh3_64_with_seed(others, seed), seed),
        _ => hash(first, rest, length, seed),
    }
}

/// The XOR of both halves of the product, so that each bit depends on all bits of both factors.
#[inline(always)]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

/// The origins of a policy.
#[derive(Debug, Clone, Copy)]
pub struct Lookup<'p> {
    seed: u64,
    pilots: &'p [u16],
    entries: &'p [Entry],
    overflow: &'p [Entry],
    records: &'p [u8],
}

impl<'p> Lookup<'p> {
    /// The table in a checked section, for these records.
    pub(crate) fn of(section: &'p [u8], records: &'p [u8]) -> Lookup<'p> {
        Lookup::read(section, records).expect("a checked section")
    }

    /// Splits a section, which begins at a multiple of 64 bytes, into the parts that its header counts. Each URL that is judged alone
    /// needs them, so what takes long to check is checked by [`check`] only.
    fn read(section: &'p [u8], records: &'p [u8]) -> Result<Lookup<'p>, &'static str> {
        let (header, rest) = section.split_first_chunk::<HEADER>().ok_or("it is too short")?;
        let word = |at: usize| u64::from_le_bytes(header[8 * at..8 * at + 8].try_into().expect("8 bytes"));
        let counts = [word(1), word(2), word(3)];
        // The bound is far beyond what a policy can hold, and far from overflowing.
        if counts.iter().any(|&count| count > 1 << 40) || counts[0] == 0 || counts[1] == 0 {
            return Err("its header counts no pilots, no slots, or far too many");
        }
        let [pilots, slots, overflow] = counts;
        let padded = pilots_length(pilots);
        if padded + size_of::<Entry>() as u64 * (slots + overflow) != rest.len() as u64 {
            return Err("it is not as long as its header says");
        }
        let (pilot_bytes, entries) = rest.split_at(padded as usize);
        let pilots = bytemuck::cast_slice(&pilot_bytes[..2 * pilots as usize]);
        let (entries, overflow) = bytemuck::cast_slice(entries).split_at(slots as usize);
        Ok(Lookup { seed: word(0), pilots, entries, overflow, records })
    }

    /// The record of an origin.
    pub fn get(&self, origin: &[u8]) -> Option<Record<'p>> {
        self.find(origin).map(|entry| self.record(entry))
    }

    /// All records, in the order of their origins.
    pub fn records(&self) -> impl Iterator<Item = Record<'p>> + use<'p> {
        let records = self.records;
        record_starts(records, 0).map(move |at| {
            threads::check();
            Record::at(records, at)
        })
    }

    /// The entry of an origin of any length. Unlike a look-up in the slots, it searches the overflow too.
    pub(crate) fn find(&self, origin: &[u8]) -> Option<&'p Entry> {
        self.find_hashed(origin, self.hash_of(origin))
    }

    /// Whether every origin is in the slot of its hash, so that one not found there is not in the table.
    #[inline(always)]
    pub(crate) fn is_all_in_slots(&self) -> bool {
        self.overflow.is_empty()
    }

    #[inline]
    pub(crate) fn hash_of(&self, origin: &[u8]) -> u64 {
        hash_of(origin, self.seed())
    }

    /// The slot with the entry of an origin of any length; `None` if it is in the overflow, or not in the table.
    #[inline]
    pub(crate) fn find_slot(&self, origin: &[u8]) -> Option<usize> {
        let words = words(origin);
        self.find_slot_of(origin, words, hash_of_words(origin, words, self.seed()))
    }

    #[inline]
    fn find_slot_of(&self, origin: &[u8], (first, rest): (u64, [u64; 4]), hash: u64) -> Option<usize> {
        let slot = self.slot(hash, self.pilot(self.bucket(hash)));
        let entry = self.entry(slot);
        let is_of_it = !origin.is_empty()
            && entry.has_key(first, rest, origin.len() as u64)
            && (origin.len() <= HELD || self.record(entry).origin == origin);
        is_of_it.then_some(slot)
    }

    /// Like [`Lookup::find`], given the hash of the origin.
    fn find_hashed(&self, origin: &[u8], hash: u64) -> Option<&'p Entry> {
        if let Some(slot) = self.find_slot_of(origin, words(origin), hash) {
            return Some(self.entry(slot));
        }
        let found = self.overflow.binary_search_by(|entry| self.record(entry).origin.cmp(origin));
        found.ok().map(|at| &self.overflow[at])
    }

    /// Where the entry of an origin is, in bytes from the start of the section.
    pub(crate) fn position(&self, origin: &[u8], section: &[u8]) -> Option<usize> {
        let entry: *const Entry = self.find(origin)?;
        Some(entry as usize - section.as_ptr() as usize)
    }

    /// The record of an entry that is not free.
    #[inline]
    pub(crate) fn record(&self, entry: &Entry) -> Record<'p> {
        Record::at(self.records, entry.record() as usize * RECORD_UNIT)
    }

    #[inline(always)]
    pub(crate) fn seed(&self) -> u64 {
        self.seed
    }

    /// The bucket of a hash: always a valid index into the pilots.
    #[inline(always)]
    pub(crate) fn bucket(&self, hash: u64) -> usize {
        range(hash, self.pilots.len() as u64)
    }

    #[inline(always)]
    pub(crate) fn pilot(&self, bucket: usize) -> u16 {
        u16::from_le(self.pilots[bucket])
    }

    /// The slot of a hash: always a valid index into [`Lookup::entries`], for any hash and pilot.
    #[inline(always)]
    pub(crate) fn slot(&self, hash: u64, pilot: u16) -> usize {
        pilots::slot(hash, pilot, self.entries.len() as u64)
    }

    #[inline(always)]
    pub(crate) fn entry(&self, slot: usize) -> &'p Entry {
        &self.entries[slot]
    }

    /// All pilots, one per bucket, in the byte order of the file. There is at least one.
    #[cfg(test)]
    fn pilots(&self) -> &'p [u16] {
        self.pilots
    }

    /// All entries, one per slot. There is at least one.
    #[inline(always)]
    pub(crate) fn entries(&self) -> &'p [Entry] {
        self.entries
    }

    /// Prefetches the pilot of a bucket. Only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_pilot(&self, bucket: usize) {
        prefetch(self.pilots, bucket);
    }

    /// Prefetches the entry in a slot. Only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_entry(&self, slot: usize) {
        prefetch(self.entries, slot);
    }
}

// Checks that a table finds every record and nothing else.

/// How many records are looked up at a time, so that their cache misses overlap.
const LOOKED_UP_AT_ONCE: usize = 32;

/// How many entries a thread counts at a time.
const COUNTED_AT_ONCE: usize = 1 << 16;

/// Checks a section against checked records; `parts` are ranges of records to check in parallel. `of_most` returns a row's
/// first automaton with its set; `hash` is [`hash_of`], except in tests. Returns the number of records.
pub(super) fn check(
    section: &[u8],
    records: &[u8],
    parts: &[Range<usize>],
    of_most: impl Fn(u32) -> (u32, u32) + Sync,
    hash: impl Fn(&[u8], u64) -> u64 + Sync,
) -> Result<usize, Problem> {
    let table = Lookup::read(section, records).map_err(|problem| (0, problem))?;
    let Lookup { pilots, entries, overflow, .. } = table;
    let first = HEADER + pilots_length(pilots.len() as u64) as usize;
    let are_zeros = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    if !are_zeros(&section[HEADER_WORDS..HEADER]) {
        return Err((0, "its header does not end in zeros"));
    }
    if !are_zeros(&section[HEADER + 2 * pilots.len()..first]) {
        return Err((0, "there are bytes between pilots and entries"));
    }
    let at = |slot: usize| first + slot * size_of::<Entry>();
    let is_ordered = |two: &[Entry]| two[0].record() < two[1].record();
    if !overflow.windows(2).all(is_ordered) {
        return Err((at(entries.len()), "the overflow is not in the order of origins"));
    }
    let checking = Checking { table, of_most, hash };
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
    of_most: A,
    hash: H,
}

impl<A: Fn(u32) -> (u32, u32), H: Fn(&[u8], u64) -> u64> Checking<'_, A, H> {
    /// Counts the records of a part in their slots and in the overflow; each must be in one of them.
    fn records(&self, records: &[u8], part: Range<usize>) -> Result<(usize, usize), &'static str> {
        let (mut in_slots, mut in_overflow) = (0, 0);
        let mut some = Vec::with_capacity(LOOKED_UP_AT_ONCE);
        let mut starts = record_starts(&records[..part.end], part.start).peekable();
        while starts.peek().is_some() {
            some.clear();
            some.extend(starts.by_ref().take(LOOKED_UP_AT_ONCE).map(|at| {
                let record = Record::at(records, at);
                let hash = (self.hash)(record.origin, self.table.seed());
                self.table.prefetch_pilot(self.table.bucket(hash));
                (record, (at / RECORD_UNIT) as u32, hash)
            }));
            let slots: [usize; LOOKED_UP_AT_ONCE] = std::array::from_fn(|number| {
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
        let overflow = self.table.overflow;
        let found = overflow.binary_search_by_key(&expected.record(), Entry::record);
        let is_there = found.is_ok_and(|at| overflow[at] == *expected);
        is_there.then_some(()).ok_or("an origin has no entry, or one that differs from its record")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::image::push_record;
    use crate::policy::state::{Answered, OriginState, OriginStatus};

    #[test]
    fn words_are_the_bytes_and_zeros() {
        let origin: Vec<u8> = (1..=60).collect();
        for length in 0..=origin.len() {
            let (first, rest) = words(&origin[..length]);
            let bytes: Vec<u8> = [first].iter().chain(&rest).flat_map(|word| word.to_le_bytes()).collect();
            let held = length.min(HELD);
            assert_eq!(bytes[..held], origin[..held]);
            assert!(bytes[held..].iter().all(|&byte| byte == 0));
        }
    }

    #[test]
    fn each_byte_the_length_and_the_seed_change_half_of_the_bits() {
        let origin = b"https://a-host-of-some-length.example:8080/and-more-of-it";
        for length in [9, 20, 39, 40, 41, origin.len()] {
            let origin = &origin[..length];
            let changes = (0..8 * length).map(|bit| {
                let mut other = origin.to_vec();
                other[bit / 8] ^= 1 << (bit % 8);
                hash_of(&other, 7)
            });
            let all: Vec<u64> = changes.chain([hash_of(origin, 8), hash_of(&origin[..length - 1], 7)]).collect();
            let flipped: Vec<u32> = all.iter().map(|other| (other ^ hash_of(origin, 7)).count_ones()).collect();
            let mean = f64::from(flipped.iter().sum::<u32>()) / flipped.len() as f64;
            assert!((28.0..36.0).contains(&mean) && flipped.iter().all(|&bits| bits > 10), "{length}: {mean}");
        }
        let long = [&origin[..40], &b"\0"[..]].concat();
        assert_ne!(hash_of(&long, 7), hash_of(&origin[..40], 7), "a NUL after the end is no padding");
        assert_ne!(hash_of(b"http://a", 7), hash_of(b"http://a\0", 7));
    }

    type Hash = fn(&[u8], u64) -> u64;

    /// The records of sorted origins; the row of each is its index.
    fn records(origins: &[Vec<u8>]) -> Vec<u8> {
        let mut records = Vec::new();
        for (row, origin) in origins.iter().enumerate() {
            let origin_status = OriginStatus::ALL[row % OriginStatus::ALL.len()];
            let state = OriginState::new(origin_status, Answered::default());
            push_record(origin, row as u32, 0, &state, &mut records).unwrap();
        }
        records
    }

    fn of_most(row: u32) -> (u32, u32) {
        (row % 5 * 77, row % 3)
    }

    /// A cache line, because sections begin at one.
    #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
    #[repr(C, align(64))]
    struct Line([u64; 8]);

    fn aligned(section: &[u8]) -> Vec<Line> {
        let mut lines = vec![Line([0; 8]); section.len() / 64];
        bytemuck::cast_slice_mut(&mut lines).copy_from_slice(section);
        lines
    }

    fn section(records: &[u8], hash: Hash) -> Vec<u8> {
        let memory = FileMemory::new(&std::env::temp_dir(), 1 << 20);
        let (table, mut section) = (LookupTable::build(records, hash, &memory).unwrap(), Vec::new());
        let write = |part: &[u8]| {
            section.extend_from_slice(part);
            Ok(())
        };
        table.write(records, of_most, write).unwrap();
        assert_eq!(section.len() as u64, table.length());
        section
    }

    /// Checks a section in two parts.
    fn checked(section: &[u8], records: &[u8], hash: Hash) -> Result<usize, Problem> {
        let middle = record_starts(records, 0).find(|&at| at >= records.len() / 2).unwrap_or(records.len());
        check(section, records, &[0..middle, middle..records.len()], of_most, hash)
    }

    /// All origins are found in their places, and none of the others is found.
    fn assert_finds(section: &[u8], records: &[u8], origins: &[Vec<u8>], others: &[Vec<u8>], hash: Hash) {
        let table = Lookup::of(section, records);
        let find = |origin: &[u8]| table.find_hashed(origin, hash(origin, table.seed()));
        for ((row, origin), at) in origins.iter().enumerate().zip(record_starts(records, 0)) {
            let entry = find(origin).unwrap_or_else(|| panic!("{}", origin.escape_ascii()));
            assert_eq!((entry.row(), entry.record() as usize), (row as u32, at / RECORD_UNIT));
            assert_eq!(
                (entry.automaton(), entry.set(), entry.length() as usize),
                (of_most(row as u32).0, of_most(row as u32).1, origin.len())
            );
            assert_eq!(table.record(entry).origin, origin);
        }
        for other in others {
            assert_eq!(find(other), None, "{}", other.escape_ascii());
        }
    }

    /// Origins of all lengths near the critical ones, prefixes of each other, with NULs and non-ASCII bytes; and others like
    /// them.
    fn odd_origins() -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
        let long: Vec<u8> =
            b"https://".iter().copied().chain((0..400).map(|at| b"abcdefghij-."[at * 7 % 12])).collect();
        let mut all = Vec::new();
        for length in (1..90).chain([255, 256, 300, 400]) {
            all.push(long[..length].to_vec());
            all.push([&long[..length], b"\0"].concat());
            all.push([&long[..length - 1], b"\xff"].concat());
            all.push([&long[..length.min(40)], &vec![0; length][..]].concat());
        }
        all.push(vec![0; 5]);
        all.push(vec![b'x'; usize::from(u16::MAX)]);
        all.sort();
        all.dedup();
        let (known, mut others): (Vec<_>, Vec<_>) = all.into_iter().enumerate().partition(|(number, _)| number % 3 > 0);
        others.push((0, Vec::new()));
        others.push((0, vec![b'x'; usize::from(u16::MAX) + 1]));
        (known.into_iter().map(|(_, origin)| origin).collect(), others.into_iter().map(|(_, origin)| origin).collect())
    }

    const HASHES: [(&str, Hash); 5] = [
        ("the hash", hash_of),
        ("one for all", |_, _| 0x1234_5678_9abc_def0),
        ("few", |origin, seed| (hash_of(origin, seed) % 7) << 61),
        ("none for a quarter", |origin, seed| {
            hash_of(origin, seed) & (u64::from(origin.len() % 4 == 0)).wrapping_sub(1)
        }),
        ("whatever the seed", |origin, _| hash_of(origin, 0) << 20),
    ];

    #[test]
    fn odd_origins_are_found_and_no_others_whatever_the_hash_does() {
        let (known, others) = odd_origins();
        for (name, hash) in HASHES {
            for count in [0, 1, 2, 3, known.len()] {
                let (known, more) = known.split_at(count);
                let others = [&others[..], more].concat();
                let records = records(known);
                let section = section(&records, hash);
                assert_eq!(section, self::section(&records, hash), "{name}: the same each time");
                let lines = aligned(&section);
                let section: &[u8] = bytemuck::cast_slice(&lines);
                assert_eq!(checked(section, &records, hash), Ok(count), "{name}");
                assert_finds(section, &records, known, &others, hash);
            }
        }
    }

    #[test]
    fn many_origins_are_found_and_no_others() {
        let name = |number: u32| format!("https://{:x}.host.example", number.wrapping_mul(2_654_435_761)).into_bytes();
        let mut known: Vec<Vec<u8>> = (0..30_000).map(name).collect();
        known.sort();
        let others: Vec<Vec<u8>> = (30_000..60_000).map(name).collect();
        let records = records(&known);
        let lines = aligned(&section(&records, hash_of));
        let section: &[u8] = bytemuck::cast_slice(&lines);
        assert_finds(section, &records, &known, &others, hash_of);
        assert_eq!(checked(section, &records, hash_of), Ok(known.len()));
        assert!(section.len() < 73 * known.len(), "an entry, a tenth more for free slots, and a pilot for three");
    }

    #[test]
    fn each_flipped_bit_is_refused_or_changes_nothing() {
        let (known, others) = odd_origins();
        let known: Vec<Vec<u8>> = known.into_iter().step_by(11).collect();
        let records = records(&known);
        for (name, hash) in HASHES {
            let mut lines = aligned(&section(&records, hash));
            let mut harmless = 0;
            for bit in 0..512 * lines.len() {
                lines[bit / 512].0[bit % 512 / 64] ^= 1 << (bit % 64);
                let section: &[u8] = bytemuck::cast_slice(&lines);
                if checked(section, &records, hash).is_ok() {
                    harmless += 1;
                    assert_finds(section, &records, &known, &others, hash);
                }
                lines[bit / 512].0[bit % 512 / 64] ^= 1 << (bit % 64);
            }
            // Only pilots of buckets without origins, and, with a constant hash, the parts of the header that it does not need.
            let pilots = 16 * Lookup::of(bytemuck::cast_slice(&lines), &records).pilots().len();
            assert!(harmless <= pilots + 256, "{name}: {harmless}");
            assert_eq!(checked(bytemuck::cast_slice(&lines), &records, hash), Ok(known.len()));
        }
    }

    #[test]
    fn every_cut_and_every_foreign_table_is_refused() {
        let (known, _) = odd_origins();
        let all = records(&known);
        let lines = aligned(&section(&all, hash_of));
        let section: &[u8] = bytemuck::cast_slice(&lines);
        for end in (0..section.len()).step_by(64) {
            assert!(checked(&section[..end], &all, hash_of).is_err(), "{end}");
        }
        let fewer = records(&known[1..]);
        assert!(checked(section, &fewer, hash_of).is_err(), "an entry too many");
        let fewer = aligned(&self::section(&fewer, hash_of));
        assert!(checked(bytemuck::cast_slice(&fewer), &all, hash_of).is_err(), "an entry too few");
        let part = 0..all.len();
        let other_automata =
            check(section, &all, std::slice::from_ref(&part), |row| (of_most(row).0 + 1, of_most(row).1), hash_of);
        assert!(other_automata.is_err());
    }
}
