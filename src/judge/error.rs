//! Errors of matchers and of choices.

use std::path::PathBuf;

use crate::formats::error::FileError;
use crate::formats::{shortened, shown};
use crate::policy::CrawlerError;
use crate::robots::AgentError;

/// Why a policy has no matcher for an agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MatcherError {
    /// The agent is not a product token, nor a list of them.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The policy was not made for this agent.
    #[error(transparent)]
    Crawler(#[from] CrawlerError),
}

/// A maximum age that is neither a duration nor `dialect`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}; or `dialect`")]
pub struct MaxAgeError(pub(super) String);

/// Statuses that have no meaning, because they cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StatusesError {
    /// Neither a file nor a name.
    #[error("{given:?} is no file, and none of the names {known}")]
    Unknown {
        /// What was given.
        given: PathBuf,
        /// The names that exist.
        known: String,
    },
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// Something in the text is not understood.
    #[error(
        "{}line {line}: {}",
        path.iter().map(|path| format!("{}: ", shown(path))).collect::<String>(),
        shortened(problem)
    )]
    Wrong {
        /// The file, if the text is that of one.
        path: Option<PathBuf>,
        /// The line, counted from 1.
        line: usize,
        /// What is not understood.
        problem: StatusProblem,
    },
}

/// What is wrong with the meaning of a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatusProblem {
    /// Not a text.
    #[error("it is not UTF-8")]
    NotUtf8,
    /// No TOML, or values of another type.
    #[error("{0}")]
    NotUnderstood(String),
    /// Nothing is said.
    #[error("it gives no status a meaning; expected a line such as 403 = \"defer\"")]
    Empty,
    /// A status that does not exist, or whose meaning is fixed.
    #[error("{given:?} is no status that can have a meaning of its own; expected 400 to 599, \"4xx\" or \"5xx\"")]
    Status {
        /// What was given.
        given: String,
    },
    /// An unknown word.
    #[error("{given:?} is unknown; expected allow, block or defer")]
    Meaning {
        /// The word.
        given: String,
    },
    /// One status twice.
    #[error("{given:?} has a meaning already")]
    Twice {
        /// The status.
        given: String,
    },
}
