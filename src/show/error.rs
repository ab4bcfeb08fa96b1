//! Errors of views.

use std::path::PathBuf;

use crate::formats::error::FileError;
use crate::formats::shown;
use crate::policy::{CrawlerError, WriteError};
use crate::run::verify::VerifyError;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReportError {
    /// A receipt or a partition cannot be read.
    #[error(transparent)]
    Run(#[from] VerifyError),
    /// The list of robots.txt files to fetch cannot be read.
    #[error(transparent)]
    Waiting(#[from] FileError),
    /// The policy is not for a crawler of the run.
    #[error("the policy is not for the crawlers of the run: {0}")]
    Crawler(#[from] CrawlerError),
    /// Lines were split once for all crawlers, so no crawler's rules explain them.
    #[error(
        "the run split lines once for all of its crawlers, so the rules of one do not explain them; report without a policy"
    )]
    NotOfEach,
    /// The layers of the policy cannot be merged.
    #[error("cannot merge the policies: {0}")]
    Layers(#[from] WriteError),
}

/// A problem with the metrics file.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MetricsError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] FileError),
    /// The file cannot be replaced as a whole, because it is not a regular file.
    #[error("{} is a folder, a pipe or a device; metrics need a regular file, which each update replaces", shown(path))]
    NoFile {
        /// The path of the existing file.
        path: PathBuf,
    },
    /// The file contains something else.
    #[error("{} is not a robosieve metrics file; choose another name", shown(path))]
    Foreign {
        /// The file.
        path: PathBuf,
    },
}
