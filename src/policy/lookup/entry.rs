//! A slot of the table: all that most lines need of an origin, in one cache line.

use super::key::{self, HELD};
use crate::policy::class::Class;
use crate::policy::image::Record;

/// An entry, as it is in the file; all zeros where a slot is free.
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
    zeros: [u8; 9],
}

const _: () = assert!(size_of::<Entry>() == 64 && HELD == 40);

impl Entry {
    /// The entry of a record, which begins at a place of ORIGINS and whose row has this automaton in column 0, or 0.
    pub fn new(record: &Record<'_>, place: u32, automaton: u32) -> Entry {
        let (first, rest) = key::words(record.origin);
        Entry {
            first: first.to_le(),
            rest: rest.map(u64::to_le),
            automaton: automaton.to_le(),
            row: record.row.to_le(),
            record: place.to_le(),
            length: (record.origin.len() as u16).to_le(),
            class: Class::of(record).number(),
            zeros: [0; 9],
        }
    }

    /// Whether this is the key: the words of an origin's first 40 bytes, and the length of all of it, which is not 0.
    /// For an origin of at most 40 bytes that is proof; of a longer one the record has the rest.
    #[inline(always)]
    pub fn has_key(&self, first: u64, rest: [u64; 4], length: u64) -> bool {
        let [a, b, c, d] = rest;
        self.has_beginning(first, length) && self.rest == [a.to_le(), b.to_le(), c.to_le(), d.to_le()]
    }

    /// Whether these are the first word and the length of the key.
    #[inline(always)]
    pub fn has_beginning(&self, first: u64, length: u64) -> bool {
        (self.first ^ first.to_le()) | (self.length() ^ length) == 0
    }

    /// The bytes of the key after its first 8, in the order of the file.
    #[inline(always)]
    pub fn rest(&self) -> &[u64; 4] {
        &self.rest
    }

    /// Bytes of the origin; 0 where the slot is free.
    #[inline(always)]
    pub fn length(&self) -> u64 {
        u64::from(u16::from_le(self.length))
    }

    /// The place in AUTOMATA of the automaton that column 0 walks; 0 where no group applies to it.
    #[inline(always)]
    pub fn automaton(&self) -> u32 {
        u32::from_le(self.automaton)
    }

    /// The row with the groups of all columns.
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
