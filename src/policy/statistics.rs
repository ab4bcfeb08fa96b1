//! Statistics of a policy and its sources.

use serde::{Deserialize, Serialize};

use super::source;
use crate::robots::NoteCounts;

/// How many captures were read, and what became of them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureCounts {
    /// Captures read.
    pub read: u64,
    /// Captures that lost to one of the same URL that is newer, or of the same time but exact.
    pub older: u64,
    /// Captures of the same URL and time as another; the smaller hash of the answer decided.
    pub same_time: u64,
    /// Captures whose URL is not a robots.txt; they only serve redirects.
    pub not_robots_txt: u64,
    /// Entries of a directory passed over because they are not files named by a host or an origin.
    pub unnamed_files: u64,
    /// Origins whose last answer failed and whose rules are from an earlier one.
    pub last_good_kept: u64,
}

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
