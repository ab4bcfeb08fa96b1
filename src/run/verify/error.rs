//! The receipt of a run, and why it cannot be verified.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::formats::error::FileError;
use crate::formats::error::json_problem;
use crate::formats::{seekable, shown};
use crate::input::error::ListError;
use crate::judge::tally::LINE_HASH;
use crate::output::folder::RECEIPT;
use crate::output::receipt::Receipt;
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

/// Reads and checks the receipt in a folder.
pub(crate) fn read_receipt(directory: &Path) -> Result<Receipt, VerifyError> {
    let path = directory.join(RECEIPT);
    let bytes = seekable::ensure(&path).and_then(|()| fs::read(&path)).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => VerifyError::NoReceipt { path: path.clone() },
        _ => FileError::of("read", &path)(error).into(),
    })?;
    let receipt: Receipt = serde_json::from_slice(&bytes)
        .map_err(|error| VerifyError::Malformed { path: path.clone(), problem: json_problem(&error) })?;
    if receipt.line_hash != LINE_HASH {
        let (found, version) = (receipt.line_hash.into_owned(), receipt.robosieve.into_owned());
        return Err(VerifyError::OtherHash { path, found, version });
    }
    if receipt.agents.is_empty() {
        return Err(VerifyError::NoAgents { path });
    }
    match receipt.crawlers() {
        Err(error) => Err(VerifyError::Agents { path, error }),
        Ok(_) => Ok(receipt),
    }
}
