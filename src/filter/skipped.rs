//! What a run leaves out of lists that cannot be read, instead of ending there.

use serde::{Deserialize, Serialize};
use std::fmt;

use super::FilterError;
use crate::compression::Damaged;

/// A part of a list that could not be read, and was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPart {
    /// How many octets of the list's text were read before it, up to the end of the last whole line.
    pub at: u64,
    /// The octet of the file at which the damage showed; absent where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_at: Option<u64>,
    /// The octet of the file from which on it was read again; absent where the rest of the list was left out, or the rest of
    /// a row group.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file_next: Option<u64>,
    /// The rows that were left out, where those of a table go to tables; absent otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<SkippedRows>,
    /// What was wrong.
    pub problem: String,
}

/// Rows of a table that stand behind each other, by their numbers in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRows {
    /// The first one; that of the file is 0.
    pub first: u64,
    /// How many they are.
    pub count: u64,
}

impl SkippedRows {
    /// The row behind them.
    pub(super) fn end(&self) -> u64 {
        self.first.saturating_add(self.count)
    }
}

impl SkippedPart {
    /// Takes in the part behind this one, if it has the next rows, which cannot be read for the same reason, or if both are of
    /// a list that is cut short: where chunks end matters to nobody. Returns whether it did.
    pub(super) fn append(&mut self, next: &SkippedPart) -> bool {
        let (Some(rows), Some(more)) = (&mut self.rows, &next.rows) else {
            let places = [self.file_at, next.file_at];
            return self.rows == next.rows && places == [None; 2] && self.problem == next.problem;
        };
        let goes_on = rows.end() == more.first && self.problem == next.problem;
        rows.count += if goes_on { more.count } else { 0 };
        goes_on
    }
}

/// The same, with its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Skipped {
    /// The list's place.
    pub list: usize,
    pub part: SkippedPart,
}

impl fmt::Display for SkippedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "left out behind byte {} of its text", self.at)?;
        if let Some(rows) = &self.rows {
            write!(f, ", rows {} to {}", rows.first, rows.end().saturating_sub(1))?;
        }
        write!(f, ": {}", self.problem)?;
        self.file_next.map_or(Ok(()), |next| write!(f, "; goes on at byte {next} of the file"))
    }
}

impl FilterError {
    /// Whether it is a list that is bad, and another one may still be read.
    pub(super) fn is_bad_list(&self) -> bool {
        matches!(self, FilterError::List { .. } | FilterError::Parquet { .. })
    }

    /// What is wrong with the list, without its path.
    pub(super) fn problem(&self) -> String {
        match self {
            FilterError::List { error, .. } => error.to_string(),
            FilterError::Parquet { problem, .. } => problem.clone(),
            FilterError::ListCut { at, had, .. } => {
                format!("it was cut short while it was read, at byte {at} of {had}")
            }
            other => other.to_string(),
        }
    }

    /// The octet of the list's file at which it is damaged, if that is known.
    pub(super) fn damaged_at(&self) -> Option<u64> {
        match self {
            FilterError::List { error, .. } => Damaged::offset_in(error),
            _ => None,
        }
    }
}
