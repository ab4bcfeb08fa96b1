//! The body of an answer, and how it ends.

/// A body, or a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Body {
    pub bytes: Vec<u8>,
    pub ending: Ending,
}

/// How a body ends, from the best to the worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Ending {
    /// Where it should, or at the limit of what was asked for.
    Whole,
    /// Early. All bytes before are as they were sent.
    Cut,
    /// At damage, or nothing is known about the rest.
    Broken,
}

/// A body after one coding is undone.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Undone {
    /// It was in that coding.
    Decoded(Body),
    /// It was not: it is text.
    Text(Vec<u8>),
    /// It is in a coding that is not known.
    Unknown,
}
