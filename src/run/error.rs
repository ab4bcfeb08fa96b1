//! Why a run ends without a result, and why shards cannot be joined.

use std::io;
use std::path::PathBuf;

use super::verify::VerifyError;
use crate::input::error::ListError;
use crate::output::error::OutputError;

/// Why a run ended without a result.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FilterError {
    /// A list that cannot be read.
    #[error(transparent)]
    List(#[from] ListError),
    /// An error of the output.
    #[error(transparent)]
    Output(OutputError),
    /// Lists of which nothing can be read, so that nothing would be left.
    #[error("none of the lists can be read, so nothing of them would be left; the first one, {}: {problem}", path.display())]
    AllUnreadable {
        /// The first list.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A list that stands where the run would write.
    #[error("the list {} would be replaced by the output; choose another folder for it", path.display())]
    ListInOutput {
        /// The list.
        path: PathBuf,
    },
    /// One partition of several crawlers.
    #[error(
        "one partition can only be that of one crawler; {given} are asked for, so ask for each in a run of its own"
    )]
    SeveralCrawlers {
        /// How many there are.
        given: usize,
    },
    /// Lines that are to be left out where several runs share a job.
    #[error(
        "a shard cannot leave out what was seen before: none knows the URLs of the others, so what two of them have would stay twice; \
         leave lines out in one run over all lists, and divide what it keeps"
    )]
    UniqueShard,
    /// No room for the URLs that were seen.
    #[error("cannot make room for {bytes} bytes in {}, for the URLs that were seen: {error}", folder.display())]
    Unique {
        /// The folder.
        folder: PathBuf,
        /// How many bytes are needed.
        bytes: u64,
        /// The system's error.
        error: io::Error,
    },
    /// Too little memory for one worker.
    #[error("{given} bytes of memory are too few for this run, which takes at least {least}")]
    TooLittleMemory {
        /// How much is given.
        given: u64,
        /// How much it takes.
        least: u64,
    },
    /// A checkpoint that cannot be read.
    #[error("cannot read the checkpoint {}: {error}; begin the run anew", path.display())]
    Checkpoint {
        /// The checkpoint.
        path: PathBuf,
        /// The problem.
        error: io::Error,
    },
    /// A run that was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// A run that failed, and can go on when the cause is removed.
    #[error("{error}\nwhat was done until then is kept in {}: resume the run to go on from there", path.display())]
    Kept {
        /// Why it failed.
        error: Box<FilterError>,
        /// Its folder.
        path: PathBuf,
    },
    /// The checksums of what was read and what was written differ.
    #[error(
        "what was written is not what was read: the checksums differ; this is a defect of robosieve, please report it"
    )]
    Unbalanced,
    /// The workers could not be started.
    #[error("cannot start the workers: {0}")]
    Workers(#[from] rayon::ThreadPoolBuildError),
}

impl From<OutputError> for FilterError {
    /// An error of a list stays one.
    fn from(error: OutputError) -> FilterError {
        match error {
            OutputError::List(error) => FilterError::List(error),
            error => FilterError::Output(error),
        }
    }
}

impl FilterError {
    /// Whether what was read or written is not to be trusted, so that nothing can go on from it. A list that
    /// was cut short is no reason for it: it must be again what it was before a run goes on, and what a checkpoint keeps was
    /// read of it as it stood.
    pub(crate) fn is_distrust(&self) -> bool {
        matches!(self, FilterError::List(ListError::Changed { .. }) | FilterError::Unbalanced)
    }

    /// Whether the run only stopped because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        match self {
            FilterError::Interrupted => true,
            FilterError::Kept { error, .. } => error.is_interrupted(),
            _ => false,
        }
    }
}

/// Why shards cannot be joined.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JoinError {
    /// A receipt that cannot be read.
    #[error(transparent)]
    Receipt(#[from] VerifyError),
    /// A receipt of a whole run.
    #[error("{} is no shard: that was a run over all of its lists", path.display())]
    NoShard {
        /// Its folder.
        path: PathBuf,
    },
    /// A receipt that contradicts itself.
    #[error("the receipt in {} contradicts itself: {problem}", path.display())]
    Contradiction {
        /// Its folder.
        path: PathBuf,
        /// The contradiction.
        problem: String,
    },
    /// Shards of different jobs.
    #[error("{} and {} are not of one job: they differ in {what}", path.display(), other.display())]
    Differ {
        /// The folder of one.
        path: PathBuf,
        /// The folder of the other.
        other: PathBuf,
        /// In what.
        what: &'static str,
    },
    /// A shard that is given twice.
    #[error("{} and {} are both shard {number}", path.display(), other.display())]
    Twice {
        /// One folder.
        path: PathBuf,
        /// The other folder.
        other: PathBuf,
        /// The shard's number.
        number: u32,
    },
    /// Shards that are not there.
    #[error(
        "of {of} shards, these are missing: {}{}",
        missing.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        if *more > 0 { format!(" and {more} more") } else { String::new() }
    )]
    Missing {
        /// The first of their numbers.
        missing: Vec<u32>,
        /// How many more there are.
        more: usize,
        /// How many there should be.
        of: u32,
    },
    /// Shards that leave something of a list out, or read it twice.
    #[error("{} does not begin in the list {list} where the shard before it ends, or the last one not at its end", path.display())]
    Gap {
        /// The folder of the shard.
        path: PathBuf,
        /// The list.
        list: String,
    },
    /// Partitions that were cut into parts and should be put together.
    #[error(
        "the partitions of these shards are cut into numbered parts; join the receipts alone, which leaves them so"
    )]
    Numbered,
    /// An output in the place of a shard.
    #[error("the output would replace the shard in {}; choose another folder for it", path.display())]
    Replaced {
        /// The shard's folder.
        path: PathBuf,
    },
    /// A list of robots.txt with a row that is none.
    #[error("{}:{line}: that is no row of robots.txt to fetch", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
    },
    /// A file of a shard that cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A file of a shard that is not as its receipt says.
    #[error("{}: {problem}; `robosieve verify` tells more", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// An error of the output.
    #[error(transparent)]
    Output(#[from] OutputError),
}
