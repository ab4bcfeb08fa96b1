//! Why a command ended with an error.

use std::io;
use std::path::PathBuf;

use super::{hints, interrupt};
use crate::origin::InvalidUrl;
use crate::output::OutputError;
use crate::policy::{
    ColumnsError, CrawlerError, ImageError, MergeError, OpenError, OverridesError, WriteError, source::SourceError,
};
use crate::run::FilterError;
use crate::run::{JoinError, VerifyError};
use crate::show::MetricsError;
use crate::show::report::ReportError;

/// Why a command ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}", hints::source(.0))]
    Source(#[from] SourceError),
    #[error(transparent)]
    Overrides(#[from] OverridesError),
    #[error("{}", hints::filter(.0))]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    #[error(
        "the metrics {} would lie in the folder {} given by --out, which has only files of the run; choose another place",
        path.display(), directory.display()
    )]
    MetricsInOutput { path: PathBuf, directory: PathBuf },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error("the receipt cannot be understood: {problem}")]
    Receipt { problem: String },
    #[error("{}", hints::join(.0))]
    Join(#[from] JoinError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error("cannot make the policy: {0}")]
    Policy(#[from] WriteError),
    #[error("cannot write the policy {}: {error}", path.display())]
    Write { path: PathBuf, error: WriteError },
    #[error("{error}{}", remedy(error))]
    Open {
        #[from]
        error: OpenError,
    },
    #[error("cannot merge: {0}")]
    Merge(#[from] MergeError),
    #[error("--agent: {0}")]
    Crawler(#[from] CrawlerError),
    #[error("--agent: {0}")]
    Columns(#[from] ColumnsError),
    #[error("{given:?} is no origin and no URL: {problem}")]
    Origin { given: String, problem: InvalidUrl },
    #[error("there is no automaton to draw: no group of the robots.txt of {origin} applies to {agent}")]
    NoAutomaton { origin: String, agent: String },
    #[error("cannot write {}: {error}", path.display())]
    Output { path: PathBuf, error: io::Error },
    #[error("cannot read {}: {error}", path.display())]
    Unreadable { path: PathBuf, error: io::Error },
    #[error("cannot print the result: {0}")]
    Print(#[from] io::Error),
    #[error("cannot print the result: {0}")]
    Json(#[from] serde_json::Error),
    #[error("{} is there, and is no {kind}; move it away, or choose another name", path.display())]
    NotReplaced { path: PathBuf, kind: &'static str },
    #[error("{} is read and cannot be written at the same time; choose another name", path.display())]
    IsInput { path: PathBuf },
    #[error(
        "nobody says whom the lines are for: give the crawler's product token with --agent NAME (* is everybody), or a policy compiled for it with --policy FILE"
    )]
    NoAgent,
    #[error(
        "there is nothing to judge by: give robots.txt files with --robots SOURCE (a folder, JSON Lines, WARC, Parquet), or a compiled policy with --policy FILE"
    )]
    NoSource,
    #[error(
        "there is no list: give files as arguments, - for standard input, or a file that names them with --files-from FILE"
    )]
    NoList,
    #[error(
        "nobody says where the lines go: --out DIR writes files and a receipt, --only PARTITION or --verdicts print lines, --count prints numbers"
    )]
    NoOutput,
    #[error(
        "the pattern {pattern} matches no file; a relative one begins in the current folder, and ** stands for folders"
    )]
    NothingMatches { pattern: String },
    #[error("{pattern} is no file, and no pattern either: {problem}")]
    Pattern { pattern: String, problem: &'static str },
    #[error("--files-from {} names no list", path.display())]
    NoLists { path: PathBuf },
    #[error("{} is {kind}, which cannot be read from a pipe; give the file", path.display())]
    Piped { path: PathBuf, kind: &'static str },
    #[error("standard input can be read once; give - for the URLs or for the robots.txt")]
    StandardInputForTwo,
    #[error("standard input cannot be both a list and --files-from")]
    StandardInputTwice,
    #[error("--files-from {}, line {line}: not UTF-8, which paths have to be on this system", path.display())]
    NotUtf8 { path: PathBuf, line: usize },
    #[error("--explain tells what blocked a line, and --only writes no blocked ones; give --only blocked with it")]
    NothingBlocked,
    #[error("--origin goes with exactly one source, a single robots.txt; {given} are given")]
    OneRobots { given: usize },
    #[error(
        "--format parquet writes files, so --out has to say where; on standard output, with --only or --verdicts, lines are text"
    )]
    TableWithoutFolder,
    #[error("--compress is for text: Parquet is compressed by itself, with Zstandard; leave --compress out")]
    CompressedTable,
    #[error("there is no command {given:?}; the commands are {known}")]
    NoCommand { given: String, known: String },
}

/// The end of the message for a policy that cannot be opened: the command that helps, unless the error already names
/// it.
fn remedy(error: &OpenError) -> &'static str {
    match error {
        OpenError::Image { problem: ImageError::Older { .. }, .. } => " with `robosieve compile`",
        _ => "",
    }
}

impl Failure {
    /// The exit status for this failure.
    pub fn status(&self) -> u8 {
        match self {
            Failure::Filter(error) if error.is_interrupted() => interrupt::STATUS,
            _ => 2,
        }
    }

    /// Whether this only means that the reader of the output is gone.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Failure::Print(error) | Failure::Filter(FilterError::Output(OutputError::StandardOutput(error))) => {
                error.kind() == io::ErrorKind::BrokenPipe
            }
            Failure::Json(error) => error.io_error_kind() == Some(io::ErrorKind::BrokenPipe),
            _ => false,
        }
    }
}
