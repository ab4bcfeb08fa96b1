//! What stands between the steps of the [hot path](super::batch).

use crate::outcome::Outcome;

/// URLs that go through a step together: enough to overlap cache misses, few enough for their arrays to stay in the first
/// level of the cache.
pub(super) const BATCH: usize = 256;

/// No slot: the origin is not in the table as it stands, or nobody knows.
pub(super) const UNKNOWN: u32 = u32::MAX;

/// A path that an automaton decides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) automaton: u32,
    /// Where it begins and ends in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// Which URL of the batch.
    pub(super) url: u16,
    /// The outcomes where the automaton allows and where it blocks.
    pub(super) allowed: Outcome,
    pub(super) blocked: Outcome,
}

/// What stands between the steps; one for each thread, used again and again.
#[derive(Debug)]
pub(crate) struct Space {
    pub(super) hashes: [u64; BATCH],
    pub(super) first: [u64; BATCH],
    pub(super) rest: [[u64; 4]; BATCH],
    /// Bytes of the key; [`UNKNOWN`] where it is none.
    pub(super) lengths: [u32; BATCH],
    pub(super) slots: [u32; BATCH],
    /// Where the path ends, of known URLs.
    pub(super) ends: [u32; BATCH],
    /// URLs of known origins that are plain; of known origins that are not; all others.
    pub(super) known: List<u16>,
    pub(super) untidy: List<u16>,
    pub(super) others: List<u16>,
    /// Paths for the front; for the walk.
    pub(super) items: List<Item>,
    pub(super) walks: List<Item>,
}

/// A list of a batch, to which a step appends without a branch.
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

impl<T: Copy> List<T> {
    /// Appends an item, if it is `wanted`; there is room for one a URL.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, item: T) {
        // A mask costs less than a bounds check, and no index is beyond it: nothing is appended to a full list.
        self.items[self.count % BATCH] = item;
        self.count += usize::from(wanted);
    }

    pub(super) fn items(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl Default for Space {
    fn default() -> Space {
        Space {
            hashes: [0; BATCH],
            first: [0; BATCH],
            rest: [[0; 4]; BATCH],
            lengths: [0; BATCH],
            slots: [0; BATCH],
            ends: [0; BATCH],
            known: List::default(),
            untidy: List::default(),
            others: List::default(),
            items: List::default(),
            walks: List::default(),
        }
    }
}
