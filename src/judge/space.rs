//! The arrays between the steps of the [hot path](super::batch).

use crate::outcome::Outcome;

/// URLs that go through a step together: enough to overlap cache misses, few enough for their arrays to stay in the first
/// level of the cache.
pub(super) const BATCH: usize = 256;

/// The length of what is no key of an entry: it may go on after the bytes of a key, or before it the URL ends.
pub(super) const NO_KEY: u32 = u32::MAX;

/// A path that an automaton decides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) automaton: u32,
    /// Where it begins and ends in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Which URL of the batch.
    pub(super) url: u8,
    /// The outcomes where the automaton allows, and where it blocks.
    pub(super) outcomes: [Outcome; 2],
}

/// The arrays between the steps; one for each thread, used again and again.
///
/// A URL of the batch is a byte, which needs no bounds check in an array of 256.
#[derive(Debug)]
pub(crate) struct Space {
    pub(super) hashes: [u64; BATCH],
    pub(super) first: [u64; BATCH],
    /// In the order of the file.
    pub(super) rest: [[u64; 4]; BATCH],
    /// Bytes of the key; [`NO_KEY`] where it is none.
    pub(super) lengths: [u32; BATCH],
    /// Where the path begins, where there is a key, and where it ends.
    pub(super) paths: [u32; BATCH],
    pub(super) ends: [u32; BATCH],
    pub(super) slots: [u32; BATCH],
    pub(super) outcomes: [Outcome; BATCH],
    /// URLs of known origins whose path is in normal form; those where that is not sure yet, then those where it is not;
    /// those whose origin is not in the table as it stands.
    pub(super) known: List<u8>,
    pub(super) untidy: List<u8>,
    pub(super) unknown: List<u8>,
    /// Paths for the front; of these, by index: those that are to be asked for prefixes, for triples, and for the walk.
    pub(super) items: List<Item>,
    pub(super) probing: List<u8>,
    pub(super) asking: List<u8>,
    pub(super) walks: List<u8>,
    /// The lanes of an item's prefixes.
    pub(super) lanes: [u8; BATCH],
}

/// A list of a batch.
#[derive(Debug)]
pub(super) struct List<T> {
    pub(super) items: [T; BATCH],
    pub(super) count: usize,
}

impl<T: Copy + Default> Default for List<T> {
    fn default() -> List<T> {
        List { items: [T::default(); BATCH], count: 0 }
    }
}

impl<T> List<T> {
    pub(super) fn items(&self) -> &[T] {
        &self.items[..self.count]
    }
}

/// A list to which a step appends, without a branch. Its count is not in memory meanwhile.
pub(super) struct Append<'l, T> {
    pub(super) items: &'l mut [T; BATCH],
    pub(super) count: usize,
}

impl<'l, T> Append<'l, T> {
    /// Begins an empty list.
    #[inline(always)]
    pub(super) fn to(items: &'l mut [T; BATCH]) -> Append<'l, T> {
        Append { items, count: 0 }
    }

    /// Appends an item, if it is `wanted`; there is room for one a URL.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, item: T) {
        // A mask costs less than a bounds check, and no index is beyond it: nothing is appended to a full list.
        self.items[self.count % BATCH] = item;
        self.count += usize::from(wanted);
    }
}

impl Default for Space {
    fn default() -> Space {
        Space {
            hashes: [0; BATCH],
            first: [0; BATCH],
            rest: [[0; 4]; BATCH],
            lengths: [0; BATCH],
            paths: [0; BATCH],
            ends: [0; BATCH],
            slots: [0; BATCH],
            outcomes: [Outcome::NONE; BATCH],
            known: List::default(),
            untidy: List::default(),
            unknown: List::default(),
            items: List::default(),
            probing: List::default(),
            asking: List::default(),
            walks: List::default(),
            lanes: [0; BATCH],
        }
    }
}
