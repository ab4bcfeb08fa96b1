//! Verdicts.

/// The verdict of rules for a path. Lines have a [`Partition`](crate::Partition) instead, because some have no verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may be fetched.
    Allowed,
    /// It may not.
    Blocked,
}
