//! Parts of lists that a run skips because they cannot be read, instead of ending there.

use serde::{Deserialize, Serialize};
use std::{fmt, io};

use crate::formats::compression::WindowTooLarge;
use crate::formats::error::{CutShort, FileError};
use crate::input::error::ListError;

/// The rest of a list, or of one of its row groups, that is skipped because it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedPart {
    /// In a list of lines: how many bytes of its text were read before it, up to the end of the last whole line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// In a table: the rows that were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<SkippedRows>,
    /// The problem.
    pub problem: String,
}

/// Consecutive rows of a table, by their numbers in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SkippedRows {
    /// The first row; the file's first row is 0.
    pub first: u64,
    /// How many rows.
    pub count: u64,
}

/// A skipped part, with its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The number of the list.
    pub list: usize,
    pub part: SkippedPart,
}

impl fmt::Display for SkippedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("skipped")?;
        if let Some(at) = self.at {
            write!(f, " after byte {at} of its text")?;
        }
        if let Some(SkippedRows { first, count }) = self.rows {
            write!(f, " {count} rows from row {first} on")?;
        }
        write!(f, ": {}", self.problem)
    }
}

impl ListError {
    /// Whether only this list is bad, so that others may still be read.
    pub(super) fn is_bad_list(&self) -> bool {
        matches!(self, ListError::Unreadable(_) | ListError::Cut { .. } | ListError::Parquet { .. })
    }

    /// Whether a decompressor needs more memory than it was given.
    pub(super) fn is_window_too_large(&self) -> bool {
        let is_window_error = |error: &io::Error| error.get_ref().is_some_and(|error| error.is::<WindowTooLarge>());
        matches!(self, ListError::Unreadable(FileError { error, .. }) if is_window_error(error))
    }

    /// The problem, without the list's path.
    pub(super) fn problem(&self) -> String {
        match self {
            ListError::Unreadable(FileError { error, .. }) => error.to_string(),
            ListError::Parquet { problem, .. } => problem.clone(),
            ListError::Cut { at, had, .. } => CutShort { at: *at, had: *had }.to_string(),
            other => other.to_string(),
        }
    }
}
