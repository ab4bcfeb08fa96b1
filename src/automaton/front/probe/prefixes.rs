//! The result of probing for prefixes.

/// The result of probing a path for prefixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    /// The lanes in which a prefix was found, one bit each.
    pub lanes: u8,
    /// Nonzero if the path passes already.
    pub passes: u8,
    /// If it does not pass: nonzero if a triple may still let it pass.
    pub asks: u8,
}

impl Prefixes {
    /// The result for a path that begins with no prefix.
    pub(super) fn none(has_free_classes: bool) -> Prefixes {
        Prefixes { lanes: 0, passes: 0, asks: u8::from(has_free_classes) }
    }
}
