//! The section: its entries, and its header and pilots before them.

use std::io;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::key::{self, HELD};
use super::pilots::{Hashed, KeySlots, find_pilots};
use crate::formats::memory::{FileMemory, List};
use crate::policy::class::Class;
use crate::policy::image::{ALIGNMENT, RECORD_UNIT, Record, record_starts};
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
        let (first, rest) = key::words(record.origin);
        Entry {
            first: first.to_le(),
            rest: rest.map(u64::to_le),
            automaton: automaton.to_le(),
            row: record.row.to_le(),
            record: place.to_le(),
            length: (record.origin.len() as u16).to_le(),
            class: Class::of(record).number(),
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

    /// The place of the row.
    #[inline(always)]
    pub fn row(&self) -> u32 {
        u32::from_le(self.row)
    }

    /// The place of the record in ORIGINS.
    #[inline(always)]
    pub fn record(&self) -> u32 {
        u32::from_le(self.record)
    }

    /// The number of its [`Class`].
    #[inline(always)]
    pub fn class(&self) -> u8 {
        self.class
    }

    /// Whether the slot is free.
    pub fn is_free(&self) -> bool {
        *self == bytemuck::Zeroable::zeroed()
    }
}

/// Length of the header in bytes.
pub(super) const HEADER: usize = 64;

/// The parts of the section, as the header counts them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sections<'p> {
    pub seed: u64,
    pub pilots: &'p [u16],
    pub entries: &'p [Entry],
    pub overflow: &'p [Entry],
}

/// Size of this many pilots in bytes, including the zeros after them.
pub(super) fn pilots_length(pilots: u64) -> u64 {
    (2 * pilots).next_multiple_of(ALIGNMENT)
}

/// The header of a table with these numbers of pilots, slots and overflow entries.
pub(super) fn header(seed: u64, pilots: usize, slots: usize, overflow: usize) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    let words = [seed, pilots as u64, slots as u64, overflow as u64];
    for (bytes, word) in header.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    header
}

/// Splits a section, which begins at a multiple of 64 bytes, into its parts.
///
/// # Errors
///
/// The problem of an invalid header, or of the zeros after the pilots.
pub(super) fn sections(section: &[u8]) -> Result<Sections<'_>, &'static str> {
    let (header, rest) = section.split_first_chunk::<HEADER>().ok_or("it is too short")?;
    let word = |at: usize| u64::from_le_bytes(header[8 * at..8 * at + 8].try_into().expect("8 bytes"));
    let counts = [word(1), word(2), word(3)];
    if header[32..].iter().any(|&byte| byte != 0) {
        return Err("its header does not end in zeros");
    }
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
    let (pilot_bytes, padding) = pilot_bytes.split_at(2 * pilots as usize);
    if padding.iter().any(|&byte| byte != 0) {
        return Err("there are bytes between pilots and entries");
    }
    let (entries, overflow) = bytemuck::cast_slice(entries).split_at(slots as usize);
    Ok(Sections { seed: word(0), pilots: bytemuck::cast_slice(pilot_bytes), entries, overflow })
}

// Builds the look-up table from the records of an image.

/// How many seeds are tried before keys that do not fit go to the overflow.
const SEEDS: u64 = 4;

/// How many entries are made, in parallel, before they are written.
const AT_ONCE: usize = 1 << 14;

/// A table complete but for its entries, which take about as many bytes as all the records and are made only when
/// they are written.
#[derive(Debug)]
pub(crate) struct LookupTable {
    seed: u64,
    given: KeySlots,
}

impl LookupTable {
    /// The table for these records. The seed depends on all of them, so constructing origins for their hashes takes knowledge
    /// of all the others.
    ///
    /// `hash` is [`hash_of`](super::key::hash_of), except in tests.
    ///
    /// # Errors
    ///
    /// The system's error if there is no room for the table.
    pub fn build(records: &[u8], hash: impl Fn(&[u8], u64) -> u64, memory: &FileMemory) -> io::Result<LookupTable> {
        let mut number = 0;
        loop {
            let seed = xxh3_64_with_seed(records, number);
            let mut keys: List<Hashed> = List::new(memory);
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

    /// Length of the section in bytes.
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
        for some in slots.chunks(AT_ONCE) {
            let parts: Vec<&[u32]> = some.chunks(AT_ONCE / 16).collect();
            for entries in threads::map(parts, |part| part.iter().map(of_slot).collect::<Vec<Entry>>()) {
                write(bytemuck::cast_slice(&entries))?;
            }
        }
        overflow.iter().try_for_each(|&place| write(bytemuck::bytes_of(&entry(place))))
    }
}
