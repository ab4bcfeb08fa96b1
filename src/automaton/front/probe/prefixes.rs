//! The probe of prefixes, on any processor.

/// The result of probing the prefixes of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Prefixes {
    /// The lanes in which one was found, a bit each.
    pub lanes: u8,
    /// Not 0 if the path passes already.
    pub passes: u8,
    /// If it does not: not 0 if it may pass by a triple.
    pub asks: u8,
}

impl Prefixes {
    /// That of a path that begins with none.
    pub(super) fn none(has_free_classes: bool) -> Prefixes {
        Prefixes { lanes: 0, passes: 0, asks: u8::from(has_free_classes) }
    }
}
