//! Why there is no report.

use std::path::PathBuf;

use crate::formats::error::FileError;
use crate::formats::shown;
use crate::policy::{CrawlerError, WriteError};
use crate::run::verify::VerifyError;
use crate::show::diff::DiffError;

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// A receipt or a partition cannot be read.
    #[error(transparent)]
    Run(#[from] VerifyError),
    /// The list of robots.txt files to fetch cannot be read.
    #[error(transparent)]
    Waiting(#[from] FileError),
    /// The list of robots.txt files to fetch is not that of the run.
    #[error(
        "{} names {found} robots.txt, but the receipt beside it says {recorded}; it is damaged or of another run",
        shown(path)
    )]
    OtherWaiting { path: PathBuf, found: u64, recorded: u64 },
    /// An earlier receipt that contradicts itself, or is of a run that cannot be compared with this one.
    #[error("{}: its receipt cannot be compared with that of the run: {problem}", shown(path))]
    Incomparable { path: PathBuf, problem: String },
    /// An earlier policy cannot be compared with that of the run.
    #[error("cannot compare the policy of the run with an older one: {0}")]
    Diff(#[from] DiffError),
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
