//! Errors about dialects.

/// A dialect name that is not in [`Dialect::ALL`](super::Dialect::ALL).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown dialect {name:?}; the dialects are {known}")]
pub struct UnknownDialect {
    /// The name requested.
    pub name: String,
    /// The names that exist.
    pub known: String,
}
