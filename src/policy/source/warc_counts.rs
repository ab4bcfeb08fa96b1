//! Counts of WARC records: policy files have them, whether archives can be read or not.

use serde::{Deserialize, Serialize};

/// Counts of WARC records, besides plain answers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WarcCounts {
    /// Records of any type.
    pub records: u64,
    /// Answers of other URLs than a robots.txt. Those that a redirect leads to are read, and counted as captures.
    pub other_pages: u64,
    /// Answers that an archive does not repeat, because it has the same one already.
    pub revisits: u64,
    /// Of these, the ones whose original is nowhere: answers of which nothing but the time is known.
    pub unresolved_revisits: u64,
    /// Files that are not whole, of which the whole lines are read.
    pub truncated: u64,
    /// Records without an HTTP answer: no answer is known.
    pub not_http: u64,
    /// Files that cannot be decoded as their headers say, and are no text: no answer is known.
    pub undecodable: u64,
}

impl WarcCounts {
    /// The counts that operators should see: answers that are not whole, or not known.
    pub fn flaws(&self) -> impl Iterator<Item = (&'static str, u64)> {
        [
            ("truncated", self.truncated),
            ("unresolved-revisits", self.unresolved_revisits),
            ("not-http", self.not_http),
            ("undecodable", self.undecodable),
        ]
        .into_iter()
        .filter(|&(_, count)| count > 0)
    }
}
