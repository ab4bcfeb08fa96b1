//! The origins that lines wait for, from `robots-needed.tsv`.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::path::Path;

use crate::formats::regular_file;
use crate::origin;
use crate::outcome::Reason;
use crate::output::folder::NEEDED;
use crate::output::missing_robots;

/// The origins to fetch. Memory is bounded by the number of distinct reasons and statuses, and by the number of origins
/// requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginsToFetch {
    /// How many origins and lines wait, by cause.
    pub reasons: BTreeMap<WaitCause, WaitCounts>,
    /// The origins with the most waiting lines.
    pub origins: Vec<WaitingOrigin>,
}

/// Why lines wait for a robots.txt: the reason, and the HTTP status of its fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitCause {
    pub reason: Reason,
    pub status: Option<u16>,
}

/// The number of origins to fetch, and of lines that wait for them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WaitCounts {
    pub origins: u64,
    pub lines: u64,
}

/// An origin that lines wait for. The greatest has the most waiting lines; among equals, it is the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitingOrigin {
    pub lines: u64,
    pub origin: Reverse<String>,
    pub cause: WaitCause,
}

impl OriginsToFetch {
    /// Reads the list in a run's folder. The `most` origins with the most waiting lines are kept by name.
    pub fn read(directory: &Path, most: usize) -> io::Result<OriginsToFetch> {
        let file = match regular_file::open(&directory.join(NEEDED)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OriginsToFetch::default()),
            opened => opened?,
        };
        let mut waiting = OriginsToFetch::default();
        let mut top = BinaryHeap::new();
        for row in missing_robots::rows(file) {
            let (url, found) = row?;
            let origin = origin::of_robots_url(&url).map_or(url.clone(), str::to_owned);
            let cause = WaitCause { reason: found.reason, status: found.status };
            let counts = waiting.reasons.entry(cause).or_default();
            counts.origins += 1;
            counts.lines = counts.lines.saturating_add(found.lines);
            top.push(Reverse(WaitingOrigin { lines: found.lines, origin: Reverse(origin), cause }));
            if top.len() > most {
                top.pop();
            }
        }
        waiting.origins = top.into_sorted_vec().into_iter().map(|Reverse(origin)| origin).collect();
        Ok(waiting)
    }
}
