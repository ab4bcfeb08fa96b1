//! Errors in an overrides file.

use std::path::PathBuf;

use super::keys::KEYS;
use crate::origin::InvalidUrl;

/// An overrides file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverridesError {
    /// A file that is missing, or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Something in the file that is wrong.
    #[error("{}, line {line} (byte {offset}): {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// Where in the file, in bytes from its start.
        offset: usize,
        /// The problem.
        problem: OverrideProblem,
    },
}

/// A problem in an overrides file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideProblem {
    /// Bytes that are not UTF-8.
    #[error("it is not UTF-8, as TOML must be")]
    NotUtf8,
    /// The file is no TOML.
    #[error("it is no TOML: {0}")]
    NotToml(String),
    /// A table whose name is no origin.
    #[error("{given:?} is no origin: {reason}; a table is named like [\"https://example.com\"], with quotes")]
    NotOrigin {
        /// The name.
        given: String,
        /// Why it is none.
        reason: InvalidUrl,
    },
    /// A table whose name is a pattern.
    #[error(
        "{given:?} has a wildcard, which applies to nothing: each origin needs a table of its own, such as [\"https://www.example.com\"]"
    )]
    Wildcard {
        /// The name.
        given: String,
    },
    /// A table whose name is a URL of an origin.
    #[error("{given:?} has a path, and a table is for a whole origin: name it [\"{origin}\"]")]
    Path {
        /// The name.
        given: String,
        /// Its origin.
        origin: String,
    },
    /// A second table for one origin.
    #[error("{origin} has a table at line {first} already; put everything into one of them")]
    Repeated {
        /// The origin in canonical form, which both names have.
        origin: String,
        /// The line of the first table.
        first: usize,
    },
    /// An origin that is no table.
    #[error("an origin wants a table, such as [{origin:?}] with lines below it; this is {found}")]
    NotTable {
        /// The origin as it is written.
        origin: String,
        /// The kind found instead.
        found: &'static str,
    },
    /// A table without a key.
    #[error("the table of {origin} says nothing; its keys are {known}", known = KEYS.join(", "))]
    Empty {
        /// The origin in canonical form.
        origin: String,
    },
    /// A key that is not known.
    #[error("unknown key {given:?}{proposal}; the keys are {known}", known = KEYS.join(", "),
        proposal = proposal.map(|key| format!(", probably {key}")).unwrap_or_default())]
    UnknownKey {
        /// The key.
        given: String,
        /// The known key that is nearest, if one is near.
        proposal: Option<&'static str>,
    },
    /// A value that the key does not take.
    #[error("{key} wants {wanted}; this is {found}")]
    Value {
        /// The key.
        key: &'static str,
        /// The kind that is wanted.
        wanted: &'static str,
        /// The text found.
        found: String,
    },
    /// Two keys of which only one can be meant.
    #[error("{one} and {other} contradict each other; leave one of them away")]
    Contradiction {
        /// One key.
        one: &'static str,
        /// The other one.
        other: &'static str,
    },
    /// A replacement that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The replacement.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}
