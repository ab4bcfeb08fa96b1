//! The error for an unknown dialect.

/// A dialect name that is not in [`Dialect::ALL`](crate::Dialect::ALL).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("unknown dialect {name:?}; the dialects are {known}")]
pub struct UnknownDialect {
    /// The name requested.
    pub name: String,
    /// The names that exist.
    pub known: String,
}
