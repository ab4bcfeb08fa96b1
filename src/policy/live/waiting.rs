//! Who waits: the origins that judged URLs wait for, and the URLs that were handed out to be fetched.

use hashbrown::hash_map::EntryRef;
use hashbrown::{DefaultHashBuilder, HashMap};
use std::cmp::Reverse;
use std::hash::BuildHasher;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicU64, AtomicUsize};

use crate::lock::{Mutex, MutexGuard, lock};
use crate::outcome::Reason;

/// An origin that judged URLs wait for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Waiting {
    pub reason: Reason,
    /// How many URLs waited.
    pub lines: u64,
    /// The version by which the last of them was judged.
    pub seen: u64,
}

/// A URL that was handed out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handed {
    /// When, in seconds of Unix time, and how often until then.
    pub at: i64,
    pub times: u32,
    /// The version of its answers then; 0 if there were none.
    pub version: u64,
}

/// The origins that judged URLs wait for, and the URLs that were handed out, as long as there is room.
#[derive(Debug, Default)]
pub(super) struct WaitingTable {
    parts: [Mutex<HashMap<Box<[u8]>, Waiting>>; PARTS],
    handed: Mutex<HashMap<Box<str>, Handed>>,
    hasher: DefaultHashBuilder,
    bytes: AtomicUsize,
    not_noted: AtomicU64,
}

const PARTS: usize = 16;

/// What an entry takes besides its name, in bytes.
const ENTRY: usize = 64;

impl WaitingTable {
    /// Notes an origin, if all take at most so many bytes.
    pub fn note(&self, origin: &[u8], new: Waiting, most: usize) {
        let part = &self.parts[self.hasher.hash_one(origin) as usize % PARTS];
        match lock(part).entry_ref(origin) {
            EntryRef::Occupied(mut known) => {
                let known = known.get_mut();
                *known = Waiting { lines: known.lines + new.lines, ..new };
            }
            EntryRef::Vacant(_) if self.bytes() + origin.len() + ENTRY > most => {
                self.not_noted.fetch_add(1, Relaxed);
            }
            EntryRef::Vacant(room) => {
                self.bytes.fetch_add(origin.len() + ENTRY, Relaxed);
                room.insert(new);
            }
        }
    }

    /// All entries, those most waited for first.
    pub fn in_order(&self) -> Vec<(Box<[u8]>, Waiting)> {
        let of_part = |part: &Mutex<HashMap<Box<[u8]>, Waiting>>| {
            lock(part).iter().map(|(origin, waiting)| (origin.clone(), *waiting)).collect::<Vec<_>>()
        };
        let mut all: Vec<_> = self.parts.iter().flat_map(of_part).collect();
        all.sort_unstable_by(|(one, a), (other, b)| {
            Reverse(a.lines).cmp(&Reverse(b.lines)).then_with(|| one.cmp(other))
        });
        all
    }

    /// Removes an origin, unless a URL was judged by a later version.
    pub fn remove(&self, origin: &[u8], seen: u64) {
        let mut part = lock(&self.parts[self.hasher.hash_one(origin) as usize % PARTS]);
        if part.get(origin).is_some_and(|waiting| waiting.seen == seen) {
            part.remove(origin);
            self.bytes.fetch_sub(origin.len() + ENTRY, Relaxed);
        }
    }

    /// The URLs that were handed out.
    pub fn handed(&self) -> HandedOut<'_> {
        HandedOut { urls: lock(&self.handed), bytes: &self.bytes }
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// How many origins are waited for.
    pub fn count(&self) -> usize {
        self.parts.iter().map(|part| lock(part).len()).sum()
    }

    /// How often there was no room.
    pub fn not_noted(&self) -> u64 {
        self.not_noted.load(Relaxed)
    }
}

/// The URLs that were handed out.
pub(super) struct HandedOut<'t> {
    urls: MutexGuard<'t, HashMap<Box<str>, Handed>>,
    bytes: &'t AtomicUsize,
}

impl HandedOut<'_> {
    pub fn get(&self, url: &str) -> Option<&Handed> {
        self.urls.get(url)
    }

    /// Notes that a URL is handed out, when its answers have this version.
    pub fn add(&mut self, url: &str, now: i64, version: u64) {
        let times = self.get(url).map_or(0, |known| known.times).saturating_add(1);
        if self.urls.insert(url.into(), Handed { at: now, times, version }).is_none() {
            self.bytes.fetch_add(url.len() + ENTRY, Relaxed);
        }
    }

    pub fn forget(&mut self, url: &str) {
        if self.urls.remove(url).is_some() {
            self.bytes.fetch_sub(url.len() + ENTRY, Relaxed);
        }
    }
}
