//! The URLs that a run has seen, as a set of their hashes.
//!
//! A URL is stored as its 128-bit XXH3 hash. The chance that any two of a billion URLs have the same hash is 10^18 /
//! 2^129, which is 1.5 in 10^21. Each run draws a new seed, so an attacker cannot construct URLs with equal hashes or
//! with the same slot.
//!
//! The set is a hash table in an [unnamed file](crate::formats::memory). A slot takes 16 bytes. The upper bits of a
//! hash choose the slot; if another hash is there, the first free slot after it is used. Before the table becomes more
//! than two thirds full, it is copied to a table of twice the size. Because the upper bits choose the slot, the copy
//! reads the old table and fills the new one in order.

use memmap2::MmapMut;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use super::error::no_space;
use crate::error::run::Error;
use crate::formats::external_sort::NO_KEY;
use crate::formats::memory;
use crate::formats::memory::prefetch;
use crate::input::chunks::Chunk;
use crate::judge::line_keys::LineKeys;
use crate::judge::line_urls::LineUrls;
use crate::judge::same_url::{FILE_SEED, SameUrl, key_hash};

/// The value of an empty slot, and the hash of a line without a URL.
pub(super) const NO_URL: u128 = NO_KEY;

/// The size of a slot in bytes.
const SLOT: u64 = size_of::<u128>() as u64;

/// What a URL takes in a table: the least, the most, and the most while the table grows.
#[cfg(feature = "cli")]
pub(crate) const BYTES_PER_URL: [u64; 3] = [SLOT * 3 / 2, SLOT * 3, SLOT * 9 / 2];

/// The slots of the first table: a page of memory. A guess from the size of the lists would save little of the doubling.
const FIRST: u64 = 1 << 8;

/// Slots are prefetched for this many hashes ahead, so that their cache misses overlap.
const AHEAD: usize = 16;

/// How URLs are hashed in one run.
#[derive(Debug, Clone, Copy)]
pub(super) struct UrlHash {
    seed: u64,
}

impl UrlHash {
    /// A hash with a new seed.
    pub fn new() -> UrlHash {
        UrlHash { seed: RandomState::new().hash_one(NO_URL) }
    }

    /// The hash that is the same in all runs, for files that later runs read.
    pub fn of_files() -> UrlHash {
        UrlHash { seed: FILE_SEED }
    }

    /// The hash of a URL; an empty one counts as none.
    #[inline]
    pub fn of(self, url: &[u8]) -> u128 {
        if url.is_empty() { NO_URL } else { key_hash(url, self.seed) }
    }
}

/// The hashes of the URLs that were seen.
#[derive(Debug)]
pub(super) struct Seen {
    folder: PathBuf,
    table: MmapMut,
    held: usize,
}

impl Seen {
    /// An empty set in a file of `folder`, which grows as needed.
    pub fn new(folder: &Path) -> Result<Seen, Error> {
        Ok(Seen { folder: folder.to_owned(), table: table(folder, FIRST)?, held: 0 })
    }

    /// Adds hashes one after the other, and calls `repeated` with the index of each that was there before.
    pub fn insert_all(&mut self, hashes: &[u128], mut repeated: impl FnMut(usize)) -> Result<(), Error> {
        for (at, &hash) in hashes.iter().enumerate() {
            if hash == NO_URL {
                continue;
            }
            if 3 * (self.held + 1) > 2 * self.slots().len() {
                self.grow()?;
            }
            let slots = self.slots();
            prefetch_ahead(slots, hashes, at, |hash| hash);
            if insert(slots, hash) {
                self.held += 1;
            } else {
                repeated(at);
            }
        }
        Ok(())
    }

    fn slots(&mut self) -> &mut [u128] {
        bytemuck::cast_slice_mut(&mut self.table)
    }

    /// Moves to a table of twice the size.
    fn grow(&mut self) -> Result<(), Error> {
        let slots = 2 * self.slots().len() as u64;
        let mut next = table(&self.folder, slots)?;
        let next_slots = bytemuck::cast_slice_mut(&mut next);
        for &hash in self.slots().iter().filter(|&&hash| hash != NO_URL) {
            insert(next_slots, hash);
        }
        self.table = next;
        Ok(())
    }
}

/// Prefetches the slot of a hash that comes some time after the one at `at`, by what `by` makes of it.
#[inline]
pub(super) fn prefetch_ahead(slots: &[u128], hashes: &[u128], at: usize, by: impl Fn(u128) -> u128) {
    if let Some(&ahead) = hashes.get(at + AHEAD) {
        prefetch(slots, wanted(by(ahead), slots.len()));
    }
}

/// The preferred slot of a hash among `slots`, a power of two.
#[inline]
fn wanted(hash: u128, slots: usize) -> usize {
    (hash >> (u128::BITS - slots.trailing_zeros())) as usize
}

/// Adds a hash unless it is there; at least one slot must be empty. Returns whether it was added.
#[inline]
pub(super) fn insert(slots: &mut [u128], hash: u128) -> bool {
    let last = slots.len() - 1;
    let mut at = wanted(hash, slots.len());
    loop {
        let slot = &mut slots[at & last];
        if *slot == hash {
            return false;
        }
        if *slot == NO_URL {
            *slot = hash;
            return true;
        }
        at += 1;
    }
}

/// Whether a hash is there; at least one slot must be empty.
#[inline]
pub(super) fn contains(slots: &[u128], hash: u128) -> bool {
    let last = slots.len() - 1;
    let mut at = wanted(hash, slots.len());
    while slots[at & last] != hash && slots[at & last] != NO_URL {
        at += 1;
    }
    slots[at & last] == hash
}

/// An empty table, in an unnamed file of `folder`.
fn table(folder: &Path, slots: u64) -> Result<MmapMut, Error> {
    let bytes = slots.saturating_mul(SLOT);
    memory::zeros(folder, bytes).map_err(|error| no_space(folder, bytes, &error))
}

/// How lines are hashed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hashing {
    /// Which URLs are the same.
    same: SameUrl,
    hash: UrlHash,
}

/// The lines of a chunk and their hashes, in memory that a worker reuses for each chunk.
#[derive(Debug, Default)]
pub(super) struct LineHashes {
    pub urls: LineUrls,
    /// The hash of each line's URL.
    pub hashes: Vec<u128>,
}

impl Hashing {
    /// With a hash with a new seed.
    pub fn new(same: SameUrl) -> Hashing {
        Hashing { same, hash: UrlHash::new() }
    }

    /// With the hash of files that later runs read.
    pub fn of_files(same: SameUrl) -> Hashing {
        Hashing { same, hash: UrlHash::of_files() }
    }
}

impl LineHashes {
    /// Hashes the URLs of a chunk from which no line has been left out yet.
    pub fn find(&mut self, chunk: &Chunk<'_>, Hashing { same, hash }: Hashing) {
        self.hashes.clear();
        self.urls.find(chunk);
        let mut keys = LineKeys::new(same, chunk, &self.urls);
        let lines = 0..self.urls.lines().count();
        self.hashes.extend(lines.map(|line| keys.of(line).map_or(NO_URL, |key| hash.of(&key))));
        for &(line, _) in chunk.flaws() {
            self.hashes[line as usize] = NO_URL;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        Seen::new(&std::env::temp_dir()).unwrap()
    }

    #[test]
    fn a_table_grows_and_forgets_nothing() {
        let (mut seen, hash) = (seen(), UrlHash::new());
        let first = seen.slots().len();
        let hashes: Vec<u128> = (0..50_000).map(|n| hash.of(format!("http://a.example/{n}").as_bytes())).collect();
        for round in 0..2 {
            let mut found = Vec::new();
            seen.insert_all(&hashes, |at| found.push(at)).unwrap();
            assert!(found.into_iter().eq(0..round * 50_000));
        }
        assert_eq!(seen.held, 50_000);
        let slots = seen.slots();
        assert!(slots.len() >= 128 * first && slots.len() < 4 * 50_000, "{}", slots.len());
        assert_eq!(slots.iter().filter(|&&hash| hash != NO_URL).count(), 50_000);
    }

    /// When the last slots are full, hashes that want one of them continue at the first.
    #[test]
    fn slots_go_round() {
        let mut seen = seen();
        let hashes: Vec<u128> = (0..100).map(|n| u128::MAX - n).collect();
        for round in 0..2 {
            let mut repeated = 0;
            seen.insert_all(&hashes, |_| repeated += 1).unwrap();
            assert_eq!(repeated, 100 * round);
        }
        assert!(seen.slots()[..99].iter().all(|&hash| hash != NO_URL));
    }
}
