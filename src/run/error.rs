//! Why a run ends without a result, and why shards cannot be joined.

use std::io;
use std::path::PathBuf;

use super::opaque::{Error, ErrorKind};
use super::seen_file::SeenError;
use super::verify::VerifyError;
use crate::formats::error::{FileError, in_words};
use crate::formats::shown;
use crate::input::error::ListError;
use crate::output::error::OutputError;
use crate::policy::CrawlerError;

is_opaque!(FilterError as Error: FilterError::kind);
is_opaque!(JoinError as Error: |problem| match problem {
    JoinError::Receipt(_) | JoinError::Contradiction { .. } | JoinError::Unreadable(_) | JoinError::Damaged { .. } => {
        ErrorKind::Receipt
    }
    JoinError::Output(_) | JoinError::Replaced { .. } => ErrorKind::Output,
    _ => ErrorKind::Shards,
});

/// Why a [run](super::Job::run) ended without a result: the job contradicts itself, an input or output failed, or the run was
/// interrupted. If the work so far can be resumed, the error is within [`FilterError::Kept`].
#[derive(Debug, thiserror::Error)]
pub(crate) enum FilterError {
    /// A list cannot be read.
    #[error(transparent)]
    List(#[from] ListError),
    /// The output failed.
    #[error(transparent)]
    Output(OutputError),
    /// None of the lists can be read, so skipping them would leave nothing.
    #[error("none of the lists can be read; the first one, {}: {problem}", shown(path))]
    AllUnreadable {
        /// The first list.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A list is where the run would write.
    #[error("the output would replace the list {}; choose another folder", shown(path))]
    ListInOutput {
        /// The list.
        path: PathBuf,
    },
    /// There is no crawler to judge for.
    #[error("no crawler is given; name at least one")]
    NoCrawler,
    /// The policy lacks a crawler of the job, which was taken from another policy.
    #[error(transparent)]
    Crawler(CrawlerError),
    /// A newer policy came with matchers for other crawlers than those of the job.
    #[error(
        "the newer policy came with matchers for other crawlers than those of the run; give one for each, in order"
    )]
    OtherCrawlers,
    /// An option for each crawler was given, but lines are split once for all crawlers.
    #[error(
        "lines that are split once for all crawlers have no verdicts, rules or preferences of each; split them for each instead"
    )]
    NotOfEach,
    /// Standard output was to get partitions, but of several crawlers.
    #[error(
        "standard output takes partitions of one crawler only; {given} were given, so split lines for any or all of them \
         together, or use a separate run for each"
    )]
    SeveralCrawlers {
        /// The number of crawlers.
        given: usize,
    },
    /// The compared policies have different dialects, so verdicts would differ for other reasons than changed
    /// robots.txt files.
    #[error("the policies to compare have different dialects, {now} and {was}; compile one of them again")]
    OlderDialect {
        /// The dialect of the policy of the run.
        now: &'static str,
        /// The dialect of the older policy.
        was: &'static str,
    },
    /// The policy to compare with lacks a crawler of the run.
    #[error("the policy to compare with: {0}")]
    OlderCrawler(CrawlerError),
    /// A shard cannot leave out duplicates if it does not know the URLs of the other shards.
    #[error(
        "a shard does not know the URLs of the others, so duplicates across shards would remain; write the keys of all shards first \
         (robosieve keys), and give the folder that they are in"
    )]
    UniqueShard,
    /// Keys of shards were given, but this run is not a shard, or does not leave out duplicates.
    #[error("keys of shards are only for a shard that leaves out duplicates")]
    KeysOfNoShard,
    /// Several shards would replace one file of seen URLs.
    #[error(
        "each shard would replace the file of seen URLs by one without those of the others; leave them out in one run"
    )]
    SeenShard,
    /// URLs are to be compared by the keys of an index, but a list has no such keys.
    #[error(
        "the list {} has no keys to compare: only an index of web archives has one in each line (CDXJ, or CDX whose first column is N), \
         and none is made from URLs, because no library makes those that indexes have; compare what is fetched, or bytes",
        shown(path)
    )]
    NoKeys {
        /// The list.
        path: PathBuf,
    },
    /// The file of seen URLs cannot be used.
    #[error(transparent)]
    Seen(#[from] SeenError),
    /// The keys of the shards cannot be used.
    #[error(transparent)]
    Keys(SeenError),
    /// The file of seen URLs would be among those of the run.
    #[error(
        "the file of seen URLs {} is in the folder of the output, which is for the run's files only; choose another place",
        shown(path)
    )]
    SeenInOutput {
        /// The file.
        path: PathBuf,
    },
    /// A file of seen URLs was given, but duplicates of this run are not left out.
    #[error("a run that leaves out URLs of earlier runs must also leave out its own duplicates")]
    SeenTwice,
    /// URLs of earlier runs cannot be left out of a list that can be read only once.
    #[error(
        "the list {} can be read only once, and leaving out URLs of earlier runs takes two passes; give it as a file",
        shown(path)
    )]
    SeenStream {
        /// The list.
        path: PathBuf,
    },
    /// A writer for lines was given, but no lines are printed.
    #[error("only a run that prints lines can print them elsewhere; this one has a folder, or only counts")]
    PrintsNothing,
    /// The policy may be replaced during the run, but the receipt would name only one.
    #[error("a receipt names one policy, so only a run that prints lines can go on with another")]
    Followed,
    /// There is no disk space for the URLs that were seen.
    #[error("cannot reserve {bytes} bytes in {} for the URLs seen so far: {}", shown(folder), in_words(error))]
    Unique {
        /// The folder.
        folder: PathBuf,
        /// How many bytes are needed.
        bytes: u64,
        /// The system's error.
        error: io::Error,
    },
    /// There is too little memory for a single worker.
    #[error(
        "{given} bytes of memory are too few for this run, which needs at least {least}: for {part} alone, {needed}"
    )]
    TooLittleMemory {
        /// The memory given.
        given: u64,
        /// What takes most of it in a worker.
        part: &'static str,
        /// The memory needed for that.
        needed: u64,
        /// The memory needed at least, for all of the run.
        least: u64,
    },
    /// A checkpoint or receipt cannot be read.
    #[error("cannot read {}: {}; start the run again from the beginning", shown(path), in_words(error))]
    Checkpoint {
        /// Its path.
        path: PathBuf,
        /// The problem.
        error: io::Error,
    },
    /// The run was asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// The run failed, and can be resumed once the cause is removed.
    #[error("{error}; the work so far is kept in {}; resume the run to continue", shown(path))]
    Kept {
        /// Why it failed.
        error: Box<FilterError>,
        /// Its folder.
        path: PathBuf,
    },
    /// The checksums of the lines read and the lines written differ.
    #[error(
        "the lines written are not those read: their checksums differ; this is a bug in robosieve, please report it"
    )]
    Unbalanced,
    /// The system grants no thread for the checkpoints.
    #[error("cannot start a thread: {}", in_words(.0))]
    Thread(io::Error),
}

impl From<OutputError> for FilterError {
    /// An error of a list stays an error of the list.
    fn from(error: OutputError) -> FilterError {
        match error {
            OutputError::List(error) => FilterError::List(error),
            error => FilterError::Output(error),
        }
    }
}

impl FilterError {
    /// Whether the lines read or written cannot be trusted, so that the run must not be resumed. A truncated list is
    /// not such a case: it must be restored before the run can be resumed, and the lines up to the checkpoint were in
    /// it when they were read.
    pub(crate) fn invalidates_checkpoint(&self) -> bool {
        matches!(self, FilterError::List(ListError::Changed { .. }) | FilterError::Unbalanced)
    }

    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            FilterError::Interrupted => ErrorKind::Interrupted,
            FilterError::Kept { error, .. } => error.kind(),
            FilterError::List(_) | FilterError::AllUnreadable { .. } => ErrorKind::List,
            FilterError::Output(_) | FilterError::Unbalanced => ErrorKind::Output,
            FilterError::Seen(_) | FilterError::Keys(_) => ErrorKind::Seen,
            FilterError::Checkpoint { .. } => ErrorKind::Receipt,
            FilterError::Unique { .. } | FilterError::Thread(_) => ErrorKind::System,
            _ => ErrorKind::Job,
        }
    }
}

/// Why shards cannot be joined.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinError {
    /// A receipt cannot be read.
    #[error(transparent)]
    Receipt(#[from] VerifyError),
    /// A receipt of a whole run.
    #[error("{} is not a shard, but a run over whole lists", shown(path))]
    NoShard {
        /// Its folder.
        path: PathBuf,
    },
    /// A receipt contradicts itself.
    #[error("the receipt in {} contradicts itself: {problem}", shown(path))]
    Contradiction {
        /// Its folder.
        path: PathBuf,
        /// The contradiction.
        problem: String,
    },
    /// Shards of different jobs.
    #[error("{} and {} are shards of different jobs: they differ in {what}", shown(path), shown(other))]
    Differ {
        /// The folder of one shard.
        path: PathBuf,
        /// The folder of the other shard.
        other: PathBuf,
        /// The difference.
        what: &'static str,
    },
    /// A shard was given twice.
    #[error("{} and {} are both shard {number}", shown(path), shown(other))]
    Twice {
        /// One folder.
        path: PathBuf,
        /// The other folder.
        other: PathBuf,
        /// The shard's number.
        number: u32,
    },
    /// Shards are missing.
    #[error(
        "of {of} shards, these are missing: {}{}",
        missing.iter().map(u32::to_string).collect::<Vec<_>>().join(", "),
        if *more > 0 { format!(" and {more} more") } else { String::new() }
    )]
    Missing {
        /// The first of their numbers.
        missing: Vec<u32>,
        /// How many more are missing.
        more: usize,
        /// How many shards there should be.
        of: u32,
    },
    /// Shards omit a part of a list, or read it twice.
    #[error("the shards leave a gap or overlap in the list {list}, at {}", shown(path))]
    Gap {
        /// The folder of the shard.
        path: PathBuf,
        /// The list.
        list: String,
    },
    /// The partitions are split into parts and cannot be concatenated.
    #[error(
        "the partitions of these shards are split into numbered files, which cannot be concatenated; join only the receipts"
    )]
    Numbered,
    /// The output would replace a shard.
    #[error("the output would replace the shard in {}; choose another folder", shown(path))]
    Replaced {
        /// The shard's folder.
        path: PathBuf,
    },
    /// A file of a shard cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// A file of a shard is not as its receipt says.
    #[error("{}: {problem}", shown(path))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The output failed.
    #[error(transparent)]
    Output(#[from] OutputError),
}
