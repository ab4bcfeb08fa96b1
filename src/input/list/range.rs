//! The part of a list that a run reads.

use serde::{Deserialize, Serialize};

/// The part of a list that a shard read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ListRange {
    /// Where its first line begins.
    pub start: u64,
    /// The byte after its last line.
    pub end: u64,
}
