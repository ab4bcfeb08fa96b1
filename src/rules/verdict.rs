//! Verdicts.

/// The verdict of a rule or a policy for a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may be fetched.
    Allowed,
    /// It may not.
    Blocked,
}
