//! The data of a report.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::io;
use std::path::{Path, PathBuf};

use super::blocked::Blocked;
use crate::formats::regular_file;
use crate::origin;
use crate::outcome::Reason;
use crate::output::folder::NEEDED;
use crate::output::missing_robots;
use crate::output::receipt::Receipt;
use crate::policy::{Crawler, Policy};
use crate::run::stored::StoredRun;
use crate::run::verify::read_receipt;
use crate::show::error::ReportError;
use crate::show::inspect::Summary;

/// The data about a run that a report shows.
#[derive(Debug, Clone)]
pub struct Report {
    directory: PathBuf,
    pub(crate) receipt: Receipt,
    pub(crate) waiting: OriginsToFetch,
    pub(crate) explained: Option<Explained>,
    /// The number of rows in tables of the most frequent items.
    pub(crate) most: usize,
}

/// The data that a policy adds.
#[derive(Debug, Clone)]
pub(crate) struct Explained {
    /// Whether it is the policy of the run.
    pub(crate) is_same: bool,
    pub(crate) summary: Summary,
    /// One for each crawler of the receipt.
    pub(crate) blocked: Vec<Blocked>,
}

impl Report {
    /// Reads the results of a run from its folder. Tables of the most frequent items have at most `most` rows.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if there is no receipt of a complete run, or something cannot be read.
    pub fn read(directory: &Path, most: usize) -> Result<Report, ReportError> {
        let receipt = read_receipt(directory)?;
        let waiting = OriginsToFetch::read(directory, most);
        let waiting = waiting.map_err(|error| ReportError::Waiting { path: directory.join(NEEDED), error })?;
        Ok(Report { directory: directory.to_owned(), receipt, waiting, explained: None, most })
    }

    /// Reads the blocked lines again and explains them by a policy, which should be that of the run. If `threads` is 0,
    /// there is one per processor.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if the lines cannot be read, or the policy is not for the run's crawlers.
    pub fn explain(&mut self, policy: &Policy, threads: usize) -> Result<(), ReportError> {
        let agents = self.receipt.crawlers();
        let crawlers = agents.iter().map(|agents| policy.crawler(Some(agents)));
        let crawlers: Vec<Crawler> = crawlers.collect::<Result<_, _>>()?;
        let run = StoredRun::new(&self.receipt, &self.directory, threads);
        let blocked = crawlers.iter().enumerate().map(|(place, crawler)| Blocked::read(run, place, crawler, policy));
        self.explained = Some(Explained {
            is_same: policy.checksum() == self.receipt.policy_checksum.0,
            summary: Summary::of(policy, &crawlers, self.receipt.options.choices.now, 0)?,
            blocked: blocked.collect::<Result<_, _>>()?,
        });
        Ok(())
    }

    /// The number of blocked lines that the given policy does not block. If there are any, it is not the policy of the
    /// run.
    pub fn not_blocked(&self) -> u64 {
        let blocked = self.explained.iter().flat_map(|explained| &explained.blocked);
        blocked.map(|blocked| blocked.not_blocked).sum()
    }
}

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
