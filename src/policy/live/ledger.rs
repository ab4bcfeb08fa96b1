//! What answers refer to, counted, so that it is freed with the last of them; and the memory that all of it takes.

use hashbrown::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use super::file::{FileGroups, LiveFile};

/// Distinct values, each with the number of those who refer to it.
#[derive(Debug)]
struct Counted<T: ?Sized>(HashMap<Arc<T>, u32>);

/// What an entry takes besides its value, in bytes.
const ENTRY: usize = 48;

impl<T: ?Sized + Hash + Eq> Counted<T> {
    /// The stored value that equals this one, counted once more; and whether it is new.
    fn take(&mut self, value: Arc<T>) -> (Arc<T>, bool) {
        if let Some((known, _)) = self.0.get_key_value(&value) {
            let known = Arc::clone(known);
            self.0.entry(Arc::clone(&known)).and_modify(|count| *count += 1);
            return (known, false);
        }
        self.0.insert(Arc::clone(&value), 1);
        (value, true)
    }

    /// Counts a value once less; returns whether nobody refers to it any more.
    fn release(&mut self, value: &Arc<T>) -> bool {
        let Some(count) = self.0.get_mut(value) else { return false };
        *count -= 1;
        let is_last = *count == 0;
        if is_last {
            self.0.remove(value);
        }
        is_last
    }
}

/// The files that answers refer to.
#[derive(Debug)]
pub(super) struct Ledger {
    groups: Counted<FileGroups>,
    sides: Counted<[u8]>,
    /// The bytes of these, and of all URLs.
    pub bytes: u64,
}

impl Default for Ledger {
    fn default() -> Ledger {
        Ledger { groups: Counted(HashMap::new()), sides: Counted(HashMap::new()), bytes: 0 }
    }
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
        self.groups.0.len()
    }
}
