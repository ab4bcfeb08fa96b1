//! The derived state of an origin, and a cache of such states.

use hashbrown::HashMap;
use smallvec::SmallVec;
use std::hash::{BuildHasher, RandomState};
use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use crate::lock::{Mutex, lock};
use crate::policy::resolve::FinalStatuses;
use crate::policy::state::OriginState;

/// Where the rules of a source are: in the base, or in a file of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Base,
    /// The number of the URL among those asked for, and of its file.
    File(u32, u32),
}

/// URLs, with the versions of their newer answers; 0 if they have none. Most origins need one.
pub(super) type AskedUrls = SmallVec<[(Arc<str>, u64); 1]>;

/// The state of an origin, and what it was derived from.
#[derive(Debug)]
pub(crate) struct Derived {
    pub(super) generation: u64,
    /// The URLs that it depends on, the origin's own first.
    pub(super) asked: AskedUrls,
    pub(super) state: OriginState,
    pub(super) statuses: FinalStatuses,
    /// Where its rules are, and the places of its row and side records there.
    pub(super) place: Place,
    pub(super) row: u32,
    pub(super) side: u32,
    /// The operator's own side records.
    pub(super) own: Option<Box<[u8]>>,
}

impl Derived {
    fn size(&self) -> usize {
        let asked: usize = self.asked.iter().map(|(url, _)| url.len() + size_of::<(Arc<str>, u64)>()).sum();
        size_of::<Derived>() + asked + self.own.as_ref().map_or(0, |own| own.len())
    }
}

/// The state of an origin, where it is stored.
#[derive(Debug)]
pub(crate) enum DerivedRef<'s> {
    /// Beside the answers of its own URL, on which alone it depends.
    Own(&'s Derived),
    /// Elsewhere, until it is replaced.
    Shared(Arc<Derived>),
}

impl Deref for DerivedRef<'_> {
    type Target = Derived;

    fn deref(&self) -> &Derived {
        match self {
            DerivedRef::Own(derived) => derived,
            DerivedRef::Shared(derived) => derived,
        }
    }
}

/// The derived states of origins of the base that newer answers may change, as long as there is room.
#[derive(Debug, Default)]
pub(crate) struct DerivedCache {
    parts: [Mutex<ByOrigin>; PARTS],
    hasher: RandomState,
    bytes: AtomicUsize,
}

type ByOrigin = HashMap<Box<[u8]>, Arc<Derived>>;

const PARTS: usize = 16;

/// What an entry takes besides its origin and its value, in bytes.
const ENTRY: usize = 48;

impl DerivedCache {
    fn part(&self, origin: &[u8]) -> &Mutex<ByOrigin> {
        &self.parts[self.hasher.hash_one(origin) as usize % PARTS]
    }

    pub(super) fn get(&self, origin: &[u8]) -> Option<Arc<Derived>> {
        lock(self.part(origin)).get(origin).cloned()
    }

    /// Adds an entry, if all take at most so many bytes; forgets others if they do not.
    pub(super) fn insert(&self, origin: &[u8], derived: &Arc<Derived>, most: usize) {
        let size = |derived: &Derived| origin.len() + ENTRY + derived.size();
        let mut part = lock(self.part(origin));
        if self.bytes.load(Relaxed) + size(derived) > most {
            self.empty(&mut part);
            if self.bytes.load(Relaxed) + size(derived) > most {
                return;
            }
        }
        let before = part.insert(origin.into(), Arc::clone(derived));
        self.bytes.fetch_add(size(derived), Relaxed);
        self.bytes.fetch_sub(before.map_or(0, |before| size(&before)), Relaxed);
    }

    /// The bytes that it takes.
    pub fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }

    /// Forgets all.
    pub fn clear(&self) {
        self.parts.iter().for_each(|part| self.empty(&mut lock(part)));
    }

    fn empty(&self, part: &mut ByOrigin) {
        let freed: usize = part.drain().map(|(origin, derived)| origin.len() + ENTRY + derived.size()).sum();
        self.bytes.fetch_sub(freed, Relaxed);
    }
}
