//! Builds the look-up table from the records of an image.

use std::io;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::pilots::{Hashed, PlacedKeys, find_pilots};
use super::section::{Entry, HEADER, header, pilots_length};
use crate::formats::unnamed::{FileMemory, List};
use crate::policy::image::{RECORD_UNIT, Record, record_starts};
use crate::threads;

/// How many seeds are tried before keys that do not fit go to the overflow.
const SEEDS: u64 = 4;

/// How many entries are made, in parallel, before they are written.
const AT_ONCE: usize = 1 << 14;

/// A table complete but for its entries, which take about as many bytes as all the records and are made only when
/// they are written.
#[derive(Debug)]
pub(crate) struct LookupTable {
    seed: u64,
    placed: PlacedKeys,
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
            let placed = find_pilots(&keys, memory)?;
            number += 1;
            if placed.overflow.is_empty() || number == SEEDS {
                return Ok(LookupTable { seed, placed });
            }
        }
    }

    /// Length of the section in bytes.
    pub fn length(&self) -> u64 {
        let entries = self.placed.slots.len() + self.placed.overflow.len();
        HEADER as u64 + pilots_length(self.placed.pilots.len() as u64) + (size_of::<Entry>() * entries) as u64
    }

    /// Writes the section piece by piece. `automaton` returns the automaton in column 0 of a row.
    pub fn write(
        &self,
        records: &[u8],
        automaton: impl Fn(u32) -> u32 + Sync,
        mut write: impl FnMut(&[u8]) -> io::Result<()>,
    ) -> io::Result<()> {
        let PlacedKeys { pilots, slots, overflow } = &self.placed;
        write(&header(self.seed, pilots.len(), slots.len(), overflow.len()))?;
        let pilot_bytes: &[u8] = bytemuck::cast_slice(&pilots[..]);
        write(pilot_bytes)?;
        write(&vec![0; pilots_length(pilots.len() as u64) as usize - pilot_bytes.len()])?;
        let entry = |place: u32| {
            let record = Record::at(records, place as usize * RECORD_UNIT);
            Entry::new(&record, place, automaton(record.row))
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
