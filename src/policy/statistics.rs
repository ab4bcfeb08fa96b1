//! Statistics of the sources of a policy.

use serde::{Deserialize, Serialize};

use super::counts::CaptureCounts;
use super::source;
use crate::robots::NoteCounts;

/// How a policy came about.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Statistics {
    /// Captures read, and what became of them.
    pub captures: CaptureCounts,
    /// Counts of records of WARC files.
    pub warc: source::WarcCounts,
    /// Origins with an entry.
    pub origins: u64,
    /// Of these, the ones that the operator has something to say of.
    pub overridden: u64,
    /// Distinct automata.
    pub automata: u64,
    /// Of these, the ones whose verdict is the same for every path.
    pub constant: u64,
    /// Of these, DFAs.
    pub dfa: u64,
    /// Of these, the ones that go by cursors, because a DFA would outgrow its budget.
    pub cursors: u64,
    /// Bytes that all automata take.
    pub automata_bytes: u64,
    /// Counts of lines that were dropped or cut in the robots.txt files.
    pub notes: NoteCounts,
}
