//! Counts of WARC records. Policy files include them even if the program is built without WARC support.

use serde::{Deserialize, Serialize};

/// Counts of WARC records, besides plain answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct WarcCounts {
    /// Records of any type.
    pub records: u64,
    /// Answers for URLs other than a robots.txt. Those that a redirect leads to are read and counted as captures.
    pub other_pages: u64,
    /// Answers that an archive does not repeat because it already has an identical one.
    pub revisits: u64,
    /// Revisits whose original is nowhere: answers of which only the time is known.
    pub unresolved_revisits: u64,
    /// Files of which the archive keeps only the beginning, because they are too long; their whole lines are read.
    pub truncated: u64,
    /// Files that did not arrive whole or are damaged; they have no verdict.
    pub incomplete: u64,
    /// Records without an HTTP answer; they count as no answer.
    pub not_http: u64,
    /// Files that are neither encoded as their headers say nor text; they count as no answer.
    pub undecodable: u64,
    /// Records that are damaged or malformed; the answers that they may be count as incomplete.
    pub bad_records: u64,
}

impl WarcCounts {
    /// The counts that operators should see: answers that are incomplete or unknown.
    pub fn flaws(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("truncated", self.truncated),
            ("incomplete", self.incomplete),
            ("unresolved-revisits", self.unresolved_revisits),
            ("not-http", self.not_http),
            ("undecodable", self.undecodable),
            ("bad-records", self.bad_records),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
    }
}
