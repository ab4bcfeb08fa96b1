//! Why a command ended with an error.

use std::io;
use std::path::PathBuf;

use super::process;
#[cfg(feature = "parquet")]
use crate::formats::columnar::NO_ROOM;
use crate::formats::compression::WindowTooLarge;
use crate::formats::error::{FileError, in_words};
use crate::formats::{shortened, shown};
use crate::input::{ListError, ListNamesError, UrlFieldError};
use crate::judge::choices_text::StatusesError;
use crate::origin::InvalidUrl;
use crate::output::OutputError;
use crate::policy::source::{SourceError, TextForm};
use crate::policy::{CrawlerError, CrawlersError, ImageError, MergeError, OpenError, OverridesError, WriteError};
use crate::robots::{AgentError, BodyProblem};
use crate::run::{self, FilterError, JoinError, SeenError, VerifyError};
use crate::show::diff::DiffError;
use crate::show::{MetricsError, ReportError};

/// Why a command ended with an error.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    #[error("{}", source_message(.0))]
    Source(#[from] SourceError),
    #[error("--agent: {0}")]
    Agent(#[from] AgentError),
    #[error(transparent)]
    Overrides(#[from] OverridesError),
    #[error("--statuses: {0}")]
    Statuses(#[from] StatusesError),
    #[error("{}", filter_message(.0))]
    Filter(#[from] FilterError),
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    #[error(
        "the metrics file {} would be in the --out folder {}, which is for the run's files only; choose another place",
        shown(path),
        shown(directory)
    )]
    MetricsInOutput { path: PathBuf, directory: PathBuf },
    #[error(transparent)]
    Report(#[from] ReportError),
    #[error(
        "--against names a policy, so the policy of the run is needed, too: give it with --policy FILE or --robots SOURCE"
    )]
    AgainstWithoutPolicy,
    #[error("--against names {given} earlier runs; a run is compared with one, so give one folder or receipt")]
    SeveralRuns { given: usize },
    #[error(
        "--against: {} is neither a policy file nor the folder or receipt of a run; if it was one, it is damaged",
        shown(path)
    )]
    NotEarlier { path: PathBuf },
    #[error("the receipt cannot be understood: {problem}")]
    Receipt { problem: String },
    #[error("{}", join_message(.0))]
    Join(#[from] JoinError),
    #[error(transparent)]
    Seen(#[from] SeenError),
    #[error(transparent)]
    Verify(#[from] VerifyError),
    #[error("cannot compile the policy: {0}")]
    Policy(#[from] WriteError),
    #[error("cannot write the policy {}: {error}", shown(path))]
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
    #[error("--agent or --agents-file: {0}")]
    Crawlers(#[from] CrawlersError),
    #[error("--agents-file: {}: {}", shown(path), shortened(problem))]
    AgentsFile { path: PathBuf, problem: String },
    #[error("{given:?} is neither an origin nor a URL: {problem}")]
    Origin { given: String, problem: InvalidUrl },
    #[error(transparent)]
    Diff(#[from] DiffError),
    #[error("an origin alone has no history: name policy files before it")]
    NoPolicies,
    #[error("{option} is for --what {of}, not {table}")]
    NotOfTable { option: &'static str, of: &'static str, table: &'static str },
    #[error("{} is no robots.txt: {problem}", shown(path))]
    NotText { path: PathBuf, problem: BodyProblem },
    #[error("there is no automaton to draw: no group of the robots.txt of {origin} applies to {agent}")]
    NoAutomaton { origin: String, agent: String },
    #[error(transparent)]
    File(#[from] FileError),
    #[error("cannot print the result: {}", in_words(.0))]
    Print(#[from] io::Error),
    #[error("{} exists and is not {kind}; move it, or choose another name", shown(path))]
    NotReplaced { path: PathBuf, kind: &'static str },
    #[error(
        "{} exists, and text does not show who made it; choose another name, or replace it with --force",
        shown(path)
    )]
    TextExists { path: PathBuf },
    #[error("{} is a file of the run in {}; choose another name", shown(path), shown(run))]
    IsOfRun { path: PathBuf, run: PathBuf },
    #[error("{} is an input and cannot also be the output; choose another name", shown(path))]
    IsInput { path: PathBuf },
    #[error(
        "no crawler given: use --agent NAME (* for every crawler), --agents-file FILE, or a policy with --policy FILE"
    )]
    NoAgent,
    #[error(
        "no rules given: use --robots SOURCE (a folder, JSON Lines, WARC, Parquet), or a compiled policy with --policy FILE"
    )]
    NoSource,
    #[error("no list given: name files as arguments, - for standard input, or a file of names with --files-from FILE")]
    NoList,
    #[error(
        "no output given: --out DIR writes files and a receipt, --only PARTITION, --verdicts or --blocked-for print lines, --count \
         prints numbers"
    )]
    NoOutput,
    #[error(
        "the pattern {pattern} matches no file; a relative pattern starts in the current folder, and ** matches folders"
    )]
    NothingMatches { pattern: String },
    #[error("{pattern} is neither a file nor a pattern: {problem}")]
    Pattern { pattern: String, problem: &'static str },
    #[error("--files-from: {}", names_message(.0))]
    ListNames(#[from] ListNamesError),
    #[error(
        "standard input can be read only once, so - can be given once: as a list, as URLs, for --files-from or as a source"
    )]
    StandardInputTwice,
    #[error(
        "--follow follows policy files: give them with --policy FILE; robots.txt files are read once, so compile them first"
    )]
    FollowWithoutPolicy,
    #[error(
        "--follow is for --only, --verdicts and --blocked-for on standard output: with --out, the receipt names the one policy that \
         judged all lines"
    )]
    FollowWithReceipt,
    #[error(
        "--follow is for --only, --verdicts and --blocked-for on standard output: --count counts the lines by one policy"
    )]
    FollowWithCount,
    #[error("--explain needs blocked lines; use --only blocked")]
    NothingBlocked,
    #[error("--preferences needs allowed lines; use --only allowed")]
    NothingAllowed,
    #[error("--origin needs exactly one source, a single robots.txt; {given} were given")]
    OneRobots { given: usize },
    #[error("--format parquet writes files, so it needs --out; on standard output, --only and --verdicts print text")]
    TableWithoutFolder,
    #[error("--path-columns is for tables, but text has no columns; add --format parquet")]
    PathColumnsOfText,
    #[error("--compress is for text only: Parquet files are always compressed, with Zstandard; leave --compress out")]
    CompressedTable,
    #[error("unknown command {given:?}; the commands are {known}")]
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
    pub fn status(&self) -> u8 {
        if self.is_interrupted() { process::INTERRUPTED } else { 2 }
    }

    /// Whether the run ended only because it was asked to.
    pub fn is_interrupted(&self) -> bool {
        matches!(self, Failure::Filter(error) if error.kind() == run::ErrorKind::Interrupted)
    }

    /// Whether this only means that the reader of the output is gone.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Failure::Print(error) | Failure::Filter(FilterError::Output(OutputError::StandardOutput(error))) => {
                error.kind() == io::ErrorKind::BrokenPipe
            }
            _ => false,
        }
    }
}

impl From<serde_json::Error> for Failure {
    /// Of what is printed as JSON, only the writing fails.
    fn from(error: serde_json::Error) -> Failure {
        Failure::Print(error.into())
    }
}

// The options that help with errors of the library, which does not know the options.

fn filter_message(error: &FilterError) -> String {
    match error {
        FilterError::Kept { error, path } => {
            let path = shown(path);
            format!(
                "{}; the work so far is kept in {path}; run the same command with --resume to continue",
                filter_message(error)
            )
        }
        _ => format!("{error}{}", options(error)),
    }
}

fn options(error: &FilterError) -> &'static str {
    match error {
        FilterError::List(error) => for_list(error),
        FilterError::Output(error) => for_output(error),
        FilterError::ListInOutput { .. } => " (--out)",
        FilterError::TooLittleMemory { .. } => " (--memory)",
        FilterError::NoKeys { .. } => " (--unique=surt)",
        FilterError::Seen(_) | FilterError::SeenStream { .. } | FilterError::SeenInOutput { .. } => " (--seen)",
        FilterError::SeenTwice => " (--seen, --unique)",
        FilterError::UniqueShard | FilterError::KeysOfNoShard => " (--unique, --shard, --keys)",
        FilterError::Keys(_) => " (--keys)",
        FilterError::SeenShard => " (--seen, --shard)",
        FilterError::Unique { .. } => " (--unique, --robots-needed, TMPDIR)",
        FilterError::Checkpoint { .. } => " (--force, without --resume)",
        _ => "",
    }
}

fn for_list(error: &ListError) -> &'static str {
    match error {
        ListError::HeadsDiffer { .. } => " (--per-input)",
        ListError::LineTooLong { .. } => " (--memory, --skip-bad)",
        ListError::Unreadable(FileError { error, .. }) if is_window(error) => " (--memory)",
        ListError::Parquet { problem, .. } if has_no_room(problem) => " (--memory, --skip-bad)",
        ListError::NotDivisible { .. } => " (--shard)",
        ListError::UrlField { error, .. } => match error {
            UrlFieldError::NoUrl { .. } | UrlFieldError::Kind { .. } => " (--column)",
            UrlFieldError::NoDelimiter => " (--delimiter)",
            UrlFieldError::Index => " (--column, --header)",
            _ => "",
        },
        _ => "",
    }
}

fn for_output(error: &OutputError) -> &'static str {
    match error {
        OutputError::InUse { .. } | OutputError::NotFolder { .. } => " (--out)",
        OutputError::ColumnsDiffer { .. } => " (--per-input)",
        OutputError::ColumnTaken { .. } => " (--format text, or --path-columns ignored for a folder's)",
        OutputError::PathColumnTaken { .. } => " (--path-columns ignored)",
        OutputError::PathColumnsDiffer { .. } => " (--per-input, --path-columns ignored)",
        OutputError::FoldersApart { .. } => " (--path-columns columns)",
        OutputError::NotEmpty { .. } => " (--out, --force)",
        OutputError::Unfinished { .. } => " (--resume, --force)",
        OutputError::NotResumable { .. } => " (--force, without --resume)",
        _ => "",
    }
}

fn source_message(error: &SourceError) -> String {
    let options = match error {
        SourceError::Unreadable(FileError { error, .. }) if is_window(error) => " (--memory)",
        SourceError::Parquet { problem, .. } if has_no_room(problem) => " (--memory, --skip-bad)",
        SourceError::NoColumn { .. } | SourceError::NoKey { .. } => " (--columns)",
        SourceError::Line { line: 1, .. } => " (--origin, if the file is a robots.txt)",
        SourceError::NotRobots { form, .. } => match form {
            TextForm::JsonLines => {
                "; if its lines are answers, name their keys: --columns url=KEY,status=KEY,body=KEY,fetched_at=KEY"
            }
            TextForm::Json => "; of answers, JSON Lines are read, with one object a line",
            TextForm::Table => "; of answers, JSON Lines, WARC and Parquet are read",
        },
        _ => "",
    };
    format!("{error}{options}")
}

fn names_message(error: &ListNamesError) -> String {
    let option = if matches!(error, ListNamesError::Nul { .. }) { " (-0)" } else { "" };
    format!("{error}{option}")
}

fn join_message(error: &JoinError) -> String {
    let options = match error {
        JoinError::Differ { .. } => " (all shards need the same options and the same --now)",
        JoinError::Numbered => " (the runs used --split-size; leave --concat out)",
        JoinError::Replaced { .. } => " (--out)",
        JoinError::NoShard { .. } => " (--shard)",
        JoinError::Damaged { .. } => "; `robosieve verify` shows more",
        _ => "",
    };
    format!("{error}{options}")
}

/// Whether the window of compressed data did not fit in memory, and would in more.
fn is_window(error: &io::Error) -> bool {
    WindowTooLarge::of(error).is_some_and(WindowTooLarge::is_of_budget)
}

/// Whether a Parquet file cannot be read because its pages are larger than there is memory for.
fn has_no_room(problem: &str) -> bool {
    problem.contains(NO_ROOM)
}

/// What such a problem says; without Parquet there is none.
#[cfg(not(feature = "parquet"))]
const NO_ROOM: &str = "\0";
