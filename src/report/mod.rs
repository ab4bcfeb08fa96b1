//! One page about a run: what became of the lines, why, and how fast.
//!
//! The page is HTML in one file, which needs nothing from anywhere else: no network, no other file. Most of it is the
//! receipt and the list of what is still to be fetched. Which rules blocked the lines, and of which origins, is not known
//! by then, because a run should not count that for every line; so it is counted afterwards, when a policy is given:
//! [`Report::explain`] reads the blocked lines again, on all cores, and explains each.

mod blocked;
mod chart;
mod html;
mod page;
mod sections;
mod tops;
mod waiting;

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use blocked::Blocked;
use waiting::Waiting;

use crate::filter::{NEEDED, Receipt, VerifyError, read_receipt};
use crate::inspect::Summary;
use crate::policy::{Crawler, CrawlerError, Policy, replace};
use crate::regular_file;

/// The name of the page, unless another is wanted.
pub use crate::filter::REPORT;

/// What is known of a run.
#[derive(Debug, Clone)]
pub struct Report {
    directory: PathBuf,
    receipt: Receipt,
    waiting: Waiting,
    explained: Option<Explained>,
    /// How many rows a table of the most frequent has.
    most: usize,
}

/// What a policy adds.
#[derive(Debug, Clone)]
struct Explained {
    /// Whether it is the one that the run had.
    is_same: bool,
    summary: Summary,
    /// For each crawler of the receipt.
    blocked: Vec<Blocked>,
}

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// A receipt or a partition that cannot be read.
    #[error(transparent)]
    Run(#[from] VerifyError),
    /// The list of what is to be fetched cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Waiting {
        /// The file.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// A crawler of the run that the policy is not for.
    #[error("the policy is not for the crawlers of the run: {0}")]
    Crawler(#[from] CrawlerError),
}

impl Report {
    /// Reads what a run left in a folder; tables of the most frequent have so many rows.
    ///
    /// # Errors
    ///
    /// [`ReportError`] where there is no receipt of a complete run, or something cannot be read.
    pub fn read(directory: &Path, most: usize) -> Result<Report, ReportError> {
        let receipt = read_receipt(directory)?;
        let waiting = Waiting::read(directory, most);
        let waiting = waiting.map_err(|error| ReportError::Waiting { path: directory.join(NEEDED), error })?;
        Ok(Report { directory: directory.to_owned(), receipt, waiting, explained: None, most })
    }

    /// What the run said of itself.
    pub fn receipt(&self) -> &Receipt {
        &self.receipt
    }

    /// Reads the blocked lines again, and explains them by a policy, which should be that of the run; `threads` of 0 are as
    /// many as there are processors.
    ///
    /// # Errors
    ///
    /// [`ReportError`] where they cannot be read, or the policy is not for the run's crawlers.
    pub fn explain(&mut self, policy: &Policy, threads: usize) -> Result<(), ReportError> {
        let agents = self.receipt.crawlers();
        let crawlers = agents.iter().map(|agents| policy.crawler(Some(agents)));
        let crawlers: Vec<Crawler> = crawlers.collect::<Result<_, _>>()?;
        let run = (&self.receipt, self.directory.as_path());
        let blocked = crawlers.iter().enumerate().map(|crawler| Blocked::read(run, crawler, policy, threads));
        self.explained = Some(Explained {
            is_same: policy.checksum() == self.receipt.policy_checksum.0,
            summary: Summary::of(policy, &crawlers, self.receipt.options.choices.now, 0),
            blocked: blocked.collect::<Result<_, _>>()?,
        });
        Ok(())
    }

    /// Lines that were blocked, and that the policy given does not block: it is another one, then.
    pub fn not_blocked(&self) -> u64 {
        let blocked = self.explained.iter().flat_map(|explained| &explained.blocked);
        blocked.map(|blocked| blocked.not_blocked).sum()
    }

    /// The page.
    pub fn page(&self) -> String {
        page::page(self)
    }

    /// Writes the page to a file, which gets its name when it is complete.
    ///
    /// # Errors
    ///
    /// What the system says; or where the file is there and is no such page, which nobody wants to lose.
    pub fn write_file(&self, path: &Path) -> io::Result<()> {
        let mut start = Vec::new();
        match regular_file::open(path) {
            Ok(file) => file.take(page::START.len() as u64).read_to_end(&mut start)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => 0,
            Err(error) => return Err(error),
        };
        if !start.is_empty() && start != page::START.as_bytes() {
            return Err(io::Error::new(
                io::ErrorKind::AlreadyExists,
                "it is there, and it is no report; choose another name",
            ));
        }
        replace(path, |file: &mut File| file.write_all(self.page().as_bytes()))
    }
}
