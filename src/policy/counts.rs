//! Counts of captures.

use serde::{Deserialize, Serialize};

/// The fate of the captures.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CaptureCounts {
    /// All that were read.
    pub read: u64,
    /// Those replaced by a newer one of the same URL.
    pub older: u64,
    /// Those of the same URL and time as another; the smaller hash of the body decided.
    pub same_time: u64,
    /// Those whose URL is no robots.txt; they only serve redirects.
    pub not_robots_txt: u64,
    /// Files of a directory whose names are neither a host nor an origin, and were passed over.
    pub unnamed_files: u64,
    /// Origins whose last answer was a failure and whose rules are an earlier answer's.
    pub last_good_kept: u64,
}
