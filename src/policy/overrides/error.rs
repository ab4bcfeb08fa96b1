//! Errors in an overrides file.

use std::path::PathBuf;

use crate::formats::shown;

pub(super) const VERDICT: &str = "verdict";
pub(super) const ROBOTS_TXT: &str = "robots-txt";
pub(super) const ROBOTS_TXT_FILE: &str = "robots-txt-file";
pub(super) const CRAWL_DELAY: &str = "crawl-delay";
pub(super) const PAUSED_UNTIL: &str = "paused-until";

/// An overrides file that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OverridesError {
    /// The file is missing or cannot be read.
    #[error("cannot read {}: {error}", shown(path))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
    /// Something in the file is wrong.
    #[error("{}, line {line} (byte {offset}): {problem}", shown(path))]
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
    /// The file is not TOML, or has a key that is unknown or has a value of the wrong kind.
    #[error("{0}")]
    NotUnderstood(String),
    /// The name of a table is not an origin.
    #[error(
        "{given:?} is not an origin; name a table like [\"https://www.example.com\"]: quoted, with a scheme, and without a \
         path or a wildcard"
    )]
    NotOrigin {
        /// The name.
        given: String,
    },
    /// An origin has a second table.
    #[error("{origin} already has a table at line {first}; put everything into one table")]
    Repeated {
        /// The origin in canonical form, the same for both names.
        origin: String,
        /// The line of the first table.
        first: usize,
    },
    /// A table has no keys.
    #[error("the table of {origin} is empty; its keys are {}", [VERDICT, ROBOTS_TXT, ROBOTS_TXT_FILE, CRAWL_DELAY, PAUSED_UNTIL].join(", "))]
    Empty {
        /// The origin in canonical form.
        origin: String,
    },
    /// A crawl delay is out of range.
    #[error("{CRAWL_DELAY} must be a number of seconds, from 0 to a year; this is {found}")]
    Delay {
        /// The number found.
        found: f64,
    },
    /// A time is incomplete.
    #[error("{PAUSED_UNTIL} must be a time with its offset, such as 2026-12-01T08:00:00Z; this is {found}")]
    Time {
        /// The time found.
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
    #[error("cannot read {}: {error}", shown(path))]
    Unreadable {
        /// The replacement.
        path: PathBuf,
        /// The system's error.
        error: std::io::Error,
    },
}
