//! The result of merging the row groups of a file.

/// Returns whether to stop; called from all threads.
pub(crate) type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// The result for one file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    /// Nothing was merged: its row groups are large enough.
    Nothing,
    /// A merged file of this many bytes was written beside it.
    Written(u64),
    /// Nothing was merged, because of a request to stop.
    Stopped,
}
