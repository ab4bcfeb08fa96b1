//! Counts of odd URLs.

use serde::{Deserialize, Serialize};

/// Counts of odd URLs. Those of paths include every URL with a valid origin, whatever is known of that origin.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlCounts {
    /// Those with a tab inside, before any fragment; they need not be valid.
    pub tabs: u64,
    /// Those whose path has a segment `.` or `..`.
    pub dot_segments: u64,
    /// Those whose path is fetched, and so judged, otherwise than written
    /// ([`UrlPath::rewrites`](crate::dialect::UrlPath::rewrites)).
    pub rewritten: u64,
    /// Those whose path was brought into normal form first. Rules that settle a path before the first byte that would change make
    /// this unnecessary.
    pub normalised: u64,
}

impl UrlCounts {
    /// Adds the counts of other URLs.
    pub fn add(&mut self, other: &UrlCounts) {
        self.tabs += other.tabs;
        self.dot_segments += other.dot_segments;
        self.rewritten += other.rewritten;
        self.normalised += other.normalised;
    }

    /// The counts of URLs that were judged for several crawlers. Only normalising depends on the crawler, and is summed.
    pub fn of_crawlers(counts: impl IntoIterator<Item = UrlCounts>) -> UrlCounts {
        let mut counts = counts.into_iter();
        let first = counts.next().unwrap_or_default();
        let normalised = first.normalised + counts.map(|other| other.normalised).sum::<u64>();
        UrlCounts { normalised, ..first }
    }
}
