//! Errors in an overrides file.

use std::path::PathBuf;

use crate::origin::InvalidUrl;

pub(super) const VERDICT: &str = "verdict";
pub(super) const ROBOTS_TXT: &str = "robots-txt";
pub(super) const ROBOTS_TXT_FILE: &str = "robots-txt-file";
pub(super) const CRAWL_DELAY: &str = "crawl-delay";
pub(super) const PAUSED_UNTIL: &str = "paused-until";

/// The keys of an overrides file.
pub(super) const KEYS: [&str; 5] = [VERDICT, ROBOTS_TXT, ROBOTS_TXT_FILE, CRAWL_DELAY, PAUSED_UNTIL];

/// An overrides file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverridesError {
    /// The file is missing or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Something in the file is wrong.
    #[error("{}, line {line} (byte {offset}): {problem}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The position in the file, in bytes from its start.
        offset: usize,
        /// The problem.
        problem: OverrideProblem,
    },
}

/// A problem in an overrides file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverrideProblem {
    /// The bytes are not UTF-8.
    #[error("it is not UTF-8, as TOML must be")]
    NotUtf8,
    /// The file is not TOML.
    #[error("it is not TOML: {0}")]
    NotToml(String),
    /// The name of a table is not an origin.
    #[error("{given:?} is not an origin: {reason}; name a table like [\"https://example.com\"], with quotes")]
    NotOrigin {
        /// The name.
        given: String,
        /// Why it is not.
        reason: InvalidUrl,
    },
    /// The name of a table is a pattern.
    #[error(
        "{given:?} has a wildcard, which matches nothing: each origin needs its own table, such as [\"https://www.example.com\"]"
    )]
    Wildcard {
        /// The name.
        given: String,
    },
    /// The name of a table is a URL below an origin.
    #[error("{given:?} has a path, but a table is for a whole origin: name it [\"{origin}\"]")]
    Path {
        /// The name.
        given: String,
        /// Its origin.
        origin: String,
    },
    /// An origin has a second table.
    #[error("{origin} already has a table at line {first}; put everything into one table")]
    Repeated {
        /// The origin in canonical form, the same for both names.
        origin: String,
        /// The line of the first table.
        first: usize,
    },
    /// An origin has something other than a table.
    #[error("an origin must be a table, such as [{origin:?}] with lines below it; this is {found}")]
    NotTable {
        /// The origin as written.
        origin: String,
        /// The kind of value found instead.
        found: &'static str,
    },
    /// A table has no keys.
    #[error("the table of {origin} is empty; its keys are {known}", known = KEYS.join(", "))]
    Empty {
        /// The origin in canonical form.
        origin: String,
    },
    /// A key is unknown.
    #[error("unknown key {given:?}{proposal}; the keys are {known}", known = KEYS.join(", "),
        proposal = proposal.map(|key| format!(", probably {key}")).unwrap_or_default())]
    UnknownKey {
        /// The key.
        given: String,
        /// The nearest known key, if one is near.
        proposal: Option<&'static str>,
    },
    /// A key has a value that it does not accept.
    #[error("{key} must be {wanted}; this is {found}")]
    Value {
        /// The key.
        key: &'static str,
        /// The kind of value expected.
        wanted: &'static str,
        /// The text found.
        found: String,
    },
    /// Two keys exclude each other.
    #[error("{one} and {other} contradict each other; remove one of them")]
    Contradiction {
        /// One key.
        one: &'static str,
        /// The other key.
        other: &'static str,
    },
    /// A replacement file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The replacement.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}
