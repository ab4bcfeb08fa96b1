//! Sorts more than fits into memory, in unnamed files of a folder.
//!
//! [`Sorter`] takes records of any kind: it sorts as many as fit into memory, writes them as a run, and merges the runs in the end.
//! [`KeyRuns`] takes keys that are hashes. Their first bits are spread evenly, so a key's run is chosen by them as it comes, and each
//! run is sorted by itself, without a merge, and by as many threads as there are. [`Merge`] puts lists in order that are sorted
//! already, wherever they are.

#[cfg(feature = "batch")]
mod key_runs;
mod merge;
#[cfg(feature = "batch")]
mod sorter;

#[cfg(feature = "batch")]
pub(crate) use key_runs::{ChunkKeys, KeyRuns, KeysInOrder, LineBits, NO_KEY, RUN_BITS, is_of_part};
pub(crate) use merge::Merge;
#[cfg(feature = "batch")]
pub(crate) use sorter::Sorter;
