//! Why a run cannot be verified.

use std::path::PathBuf;

use crate::formats::error::FileError;
use crate::formats::shown;
use crate::input::error::ListError;
use crate::robots::AgentError;

/// Why a receipt can be neither proved nor disproved.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum VerifyError {
    /// There is no receipt.
    #[error(
        "{} does not exist: this is not the folder of a complete run; an interrupted run has no receipt until it is complete",
        shown(path)
    )]
    NoReceipt {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The file is not a valid receipt.
    #[error("{} is not a receipt of robosieve: {problem}", shown(path))]
    Malformed {
        /// The receipt.
        path: PathBuf,
        /// The problem, with its line.
        problem: String,
    },
    /// A receipt in which an agent is not valid.
    #[error("{} is not a receipt of robosieve: {error}", shown(path))]
    Agents {
        /// The receipt.
        path: PathBuf,
        /// The problem.
        error: AgentError,
    },
    /// A receipt without crawlers, which no run writes.
    #[error("{} is not a receipt of robosieve: it names no crawler: `agents` is empty", shown(path))]
    NoAgents {
        /// The receipt.
        path: PathBuf,
    },
    /// A receipt with checksums of another kind.
    #[error(
        "{} has checksums of another kind ({found}); verify it with robosieve {version}, which wrote it",
        shown(path)
    )]
    OtherHash {
        /// The receipt.
        path: PathBuf,
        /// The kind.
        found: String,
        /// The version of the program that made it.
        version: String,
    },
    /// A list or an output that cannot be read, or changed meanwhile.
    #[error(transparent)]
    List(#[from] ListError),
}
