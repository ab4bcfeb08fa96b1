//! Counts of captures.

use serde::{Deserialize, Serialize};

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
