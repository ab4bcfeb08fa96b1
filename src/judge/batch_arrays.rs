//! The arrays between the steps of the [hot path](super::batch).

use crate::outcome::Outcome;

/// URLs that go through a step together: enough for cache misses to overlap, few enough for their arrays to stay in the
/// first-level cache.
pub(super) const BATCH: usize = 256;

/// The length given to a key that no entry can have: the authority may go on past the key's bytes, or the URL ends before the
/// key does.
pub(super) const NO_KEY: u32 = u32::MAX;

/// A path that an automaton decides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) automaton: u32,
    /// Where the path begins and ends in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of the URL in the batch.
    pub(super) url: u8,
    /// The outcomes if the automaton allows, and if it blocks.
    pub(super) outcomes: [Outcome; 2],
}

/// For whom an item is judged, if not for most crawlers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    /// The number of the URL in the batch.
    pub(super) line: u8,
    /// The place of its origin's row.
    pub(super) row: u32,
    pub(super) of: Of,
}

/// Some crawlers of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    /// Those in the classes from this one on that have the same automaton.
    Class(usize),
    /// This one, for which several columns answer.
    List(u16),
}

/// The arrays between the steps; one for each thread, reused.
///
/// URLs of a batch are numbered by bytes, which need no bounds check in arrays of 256.
#[derive(Debug)]
pub(crate) struct BatchArrays {
    pub(super) hashes: [u64; BATCH],
    pub(super) first: [u64; BATCH],
    /// In the byte order of the file.
    pub(super) rest: [[u64; 4]; BATCH],
    /// The length of the key; [`NO_KEY`] if it is not one.
    pub(super) lengths: [u32; BATCH],
    /// Where the path begins, if there is a key, and where it ends.
    pub(super) paths: [u32; BATCH],
    pub(super) ends: [u32; BATCH],
    /// For URLs that are left untidy, how many bytes of the path are known to be in normal form.
    pub(super) kept: [u32; BATCH],
    pub(super) slots: [u32; BATCH],
    pub(super) outcomes: [Outcome; BATCH],
    /// URLs of known origins whose path is in normal form.
    pub(super) known: List<u8>,
    /// URLs of known origins whose path may not be in normal form; after step 4, those whose path is not.
    pub(super) untidy: List<u8>,
    /// URLs whose origin, as written, is not in the table.
    pub(super) unknown: List<u8>,
    /// Paths for the front.
    pub(super) items: List<Item>,
    /// Indices of the items to probe for prefixes.
    pub(super) probing: List<u8>,
    /// Indices of the items to probe for triples.
    pub(super) asking: List<u8>,
    /// Indices of the items to walk.
    pub(super) walks: List<u8>,
    /// The lanes of the prefixes found for an item.
    pub(super) lanes: [u8; BATCH],
    /// What the items stand for, if they are for some crawlers only.
    pub(super) others: Vec<Other>,
}

/// A list with room for a batch.
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

/// A list that a step appends to without a branch. Its count is kept in a register meanwhile.
pub(super) struct Append<'l, T> {
    pub(super) items: &'l mut [T; BATCH],
    pub(super) count: usize,
}

impl<'l, T> Append<'l, T> {
    /// Starts with an empty list.
    #[inline(always)]
    pub(super) fn to(items: &'l mut [T; BATCH]) -> Append<'l, T> {
        Append { items, count: 0 }
    }

    /// Appends an item if it is `wanted`. There is room for one item for each URL.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, item: T) {
        // A mask is cheaper than a bounds check, and never changes the index: nothing is appended to a full list.
        self.items[self.count % BATCH] = item;
        self.count += usize::from(wanted);
    }
}

impl Default for BatchArrays {
    fn default() -> BatchArrays {
        BatchArrays {
            hashes: [0; BATCH],
            first: [0; BATCH],
            rest: [[0; 4]; BATCH],
            lengths: [0; BATCH],
            paths: [0; BATCH],
            ends: [0; BATCH],
            kept: [0; BATCH],
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
            others: Vec::new(),
        }
    }
}
