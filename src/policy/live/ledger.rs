//! What answers refer to, counted, so that it is freed with the last of them; and the memory that all of it takes.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hash};
use std::sync::Arc;

use super::file::{FileGroups, LiveFile};

/// Distinct values, each with the number of those who refer to it.
#[derive(Debug)]
struct Counted<T: ?Sized> {
    values: HashTable<(Arc<T>, u32)>,
    hasher: DefaultHashBuilder,
}

/// What an entry takes besides its value, in bytes.
const ENTRY: usize = 48;

impl<T: ?Sized> Default for Counted<T> {
    fn default() -> Counted<T> {
        Counted { values: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl<T: ?Sized + Hash + Eq> Counted<T> {
    /// The stored value that equals this one, counted once more; and whether it is new.
    fn take(&mut self, value: Arc<T>) -> (Arc<T>, bool) {
        let hash = self.hasher.hash_one(&value);
        match self.values.find_mut(hash, |(known, _)| *known == value) {
            Some((known, count)) => {
                *count += 1;
                (Arc::clone(known), false)
            }
            None => {
                self.values.insert_unique(hash, (Arc::clone(&value), 1), |(known, _)| self.hasher.hash_one(known));
                (value, true)
            }
        }
    }

    /// Counts a value once less; returns whether nobody refers to it any more.
    fn release(&mut self, value: &Arc<T>) -> bool {
        let hash = self.hasher.hash_one(value);
        let Ok(mut known) = self.values.find_entry(hash, |(known, _)| Arc::ptr_eq(known, value)) else { return false };
        known.get_mut().1 -= 1;
        let is_last = known.get().1 == 0;
        if is_last {
            known.remove();
        }
        is_last
    }
}

/// The files that answers refer to.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    groups: Counted<FileGroups>,
    sides: Counted<[u8]>,
    /// The bytes of these, and of all URLs.
    pub bytes: u64,
}

impl Ledger {
    /// Counts a file; returns it with what it shares with others.
    pub fn take(&mut self, file: LiveFile) -> LiveFile {
        let (groups, is_new) = self.groups.take(file.groups);
        self.bytes += if is_new { (groups.size() + ENTRY) as u64 } else { 0 };
        let (side, is_new) = self.sides.take(file.side);
        self.bytes += if is_new { (side.len() + ENTRY) as u64 } else { 0 };
        LiveFile { groups, side }
    }

    /// Counts a file once less.
    pub fn release(&mut self, file: &LiveFile) {
        if self.groups.release(&file.groups) {
            self.bytes -= (file.groups.size() + ENTRY) as u64;
        }
        if self.sides.release(&file.side) {
            self.bytes -= (file.side.len() + ENTRY) as u64;
        }
    }

    /// The number of distinct groups of files.
    pub fn files(&self) -> usize {
        self.groups.values.len()
    }
}
