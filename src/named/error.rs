//! Errors about names.

/// A name that nothing has.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{name:?} is unknown; expected {known}")]
pub struct UnknownName {
    /// The name.
    pub name: String,
    /// The names that exist.
    pub known: String,
}
