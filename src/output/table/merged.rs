//! What becomes of a file whose row groups are to be merged.

/// Whether to stop; asked by all threads.
pub(crate) type Stop<'s> = &'s (dyn Fn() -> bool + Sync);

/// What became of a file.
#[cfg_attr(not(feature = "parquet"), allow(dead_code))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Merged {
    /// Its row groups are large enough.
    Nothing,
    /// Another one, of so many bytes, stands beside it.
    Written(u64),
    /// Nothing, because it was asked to stop.
    Stopped,
}
