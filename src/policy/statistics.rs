//! Statistics of a policy and its sources.

use serde::{Deserialize, Serialize};

use super::counts::CaptureCounts;
use super::source;
use crate::robots::NoteCounts;

/// How a policy was made.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Captures read, and what became of them.
    pub captures: CaptureCounts,
    /// Counts of WARC records.
    pub warc: source::WarcCounts,
    /// Origins with an entry.
    pub origins: u64,
    /// Origins with an override.
    pub overridden: u64,
    /// Distinct automata.
    pub automata: u64,
    /// Automata whose verdict is the same for every path.
    pub constant: u64,
    /// Automata that are DFAs.
    pub dfa: u64,
    /// Automata that use cursors, because a DFA would exceed its budget.
    pub cursors: u64,
    /// Size of all automata in bytes.
    pub automata_bytes: u64,
    /// Counts of lines dropped or cut in the robots.txt files.
    pub notes: NoteCounts,
}
