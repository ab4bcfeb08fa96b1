//! What captures take of memory until a policy is made of them: a bound on what the allocator gives out for them, which
//! costs nothing to know.

use super::readers::OF_OCTET;
use crate::automaton;
use crate::compression::DEFAULT_WINDOW;

/// Octets of a block of the allocator, with the word before it that says how long it is.
pub(super) fn block(octets: usize) -> u64 {
    match octets {
        0 => 0,
        _ => (octets as u64 + 8).next_multiple_of(16).max(32),
    }
}

/// Octets of a hash table of so many entries of this size, while it grows to hold the last one: of its places, a power of
/// two, an eighth stays free, each has an octet beside it, and the table that had half as many is still there.
pub(super) fn table(entries: usize, size: usize) -> u64 {
    let places = (entries as u64).saturating_mul(8) / 7;
    let places = places.checked_next_power_of_two().unwrap_or(u64::MAX).max(8);
    (places + places / 2).saturating_mul(size as u64 + 1) + 64
}

/// Octets of a list of so many items of this size that grew by doubling, while the one before is still there.
pub(super) fn list(items: usize, size: usize) -> u64 {
    (items as u64).saturating_mul(3 * size as u64)
}

/// How much memory captures may take: three quarters for what is known of them, a sixteenth for threads that parse and compile
/// robots.txt files, an eighth for a decompressor, and the rest for what is read of sources at a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance {
    /// What there is, for them and for what is read at a time.
    pub memory: u64,
}

impl Allowance {
    /// What may be taken by captures.
    pub fn captures(self) -> u64 {
        self.memory - self.memory / 4
    }

    /// What may be taken by robots.txt files that are parsed and compiled at a time.
    pub fn reading(self) -> u64 {
        self.memory / 16
    }

    /// How many threads parse and compile them: as many as there are processors, and as have room in it for what compiling
    /// keeps.
    pub fn readers(self) -> usize {
        let fitting = usize::try_from(self.reading() / automaton::KEPT_OCTETS).unwrap_or(usize::MAX);
        std::thread::available_parallelism().map_or(1, usize::from).min(fitting).max(1)
    }

    /// What the pages of a Parquet file may take that is read, and its footer.
    #[cfg(feature = "parquet")]
    pub fn pages(self) -> u64 {
        self.memory / 16
    }

    /// Octets of a body that may be parsed: of a longer one, its lines alone would take all that there is.
    pub fn body(self) -> usize {
        usize::try_from(self.memory / OF_OCTET).unwrap_or(usize::MAX)
    }

    /// What the decompressors of so many files that are read at a time may take, each.
    pub fn decompressor(self, files: usize) -> u64 {
        DEFAULT_WINDOW.min(self.memory / 8 / files as u64)
    }

    /// Octets that a batch of captures may have.
    pub fn batch(self) -> usize {
        usize::try_from(self.memory / 64).unwrap_or(usize::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hashbrown::{HashMap, HashTable};

    #[test]
    fn tables_take_no_more() {
        let (mut map, mut numbers) = (HashMap::<Box<str>, u64>::new(), HashTable::<(u32, u32)>::new());
        for entries in 1..20_000 {
            map.insert(entries.to_string().into(), 0);
            numbers.insert_unique(entries, (entries as u32, 0), |&(hash, _)| u64::from(hash));
            assert!(map.allocation_size() as u64 <= table(entries as usize, 24) * 2 / 3 + 64, "{entries}");
            assert!(numbers.allocation_size() as u64 <= table(entries as usize, 8) * 2 / 3 + 64, "{entries}");
        }
    }
}
