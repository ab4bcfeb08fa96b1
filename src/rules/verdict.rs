//! What a rule says.

/// What a rule or a policy says of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// It may be fetched.
    Allowed,
    /// It may not.
    Blocked,
}
