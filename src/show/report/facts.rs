//! The data of a report.

use std::path::{Path, PathBuf};

use super::blocked::Blocked;
use super::waiting::OriginsToFetch;
use crate::output::folder::NEEDED;
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
            summary: Summary::of(policy, &crawlers, self.receipt.options.choices.now, 0),
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
