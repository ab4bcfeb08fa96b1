//! A position in a run's lists.

use serde::{Deserialize, Serialize};

/// Where in the lists of a run a chunk begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Position {
    /// The list, counted from 0.
    pub list: usize,
    /// The byte of its text, or the row.
    pub at: u64,
}
