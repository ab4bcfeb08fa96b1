//! Checks that a table finds every record and nothing else.

use std::ops::Range;

use super::section::{Entry, HEADER, Sections, pilots_length, sections};
use super::table::Lookup;
use crate::policy::image::{Problem, RECORD_UNIT, Record, record_starts};
use crate::threads;

/// How many records are looked up at a time, so that their cache misses overlap.
const AT_ONCE: usize = 32;

/// How many entries a thread counts at a time.
const COUNTED_AT_ONCE: usize = 1 << 16;

/// Checks a section against checked records; `parts` are ranges of records to check in parallel. `automaton` returns the
/// automaton in column 0 of a row; `hash` is [`hash_of`](super::key::hash_of), except in tests. Returns the number of records.
///
/// # Errors
///
/// The problem of an invalid section, and its position.
pub(in crate::policy) fn check(
    section: &[u8],
    records: &[u8],
    parts: &[Range<usize>],
    automaton: impl Fn(u32) -> u32 + Sync,
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
    let checking = Checking { table, overflow, automaton, hash };
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
    automaton: A,
    hash: H,
}

impl<A: Fn(u32) -> u32, H: Fn(&[u8], u64) -> u64> Checking<'_, A, H> {
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
                let expected = Entry::new(&record, place, (self.automaton)(record.row));
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
