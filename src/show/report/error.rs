//! Why there is no report.

use std::io;
use std::path::PathBuf;

use crate::policy::CrawlerError;
use crate::run::verify::VerifyError;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A receipt or a partition cannot be read.
    #[error(transparent)]
    Run(#[from] VerifyError),
    /// The list of robots.txt files to fetch cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Waiting {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// The policy is not for a crawler of the run.
    #[error("the policy is not for the crawlers of the run: {0}")]
    Crawler(#[from] CrawlerError),
}
