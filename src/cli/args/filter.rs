//! The arguments of `filter`, but for those of its output.

use clap::ValueEnum;
use std::path::PathBuf;
use std::time::Duration;

use super::choices::ChoicesArgs;
use super::memory::{MEMORY, memory_of_run};
use super::output::OutputArgs;
use super::policy::{CrawlerArgs, DialectArgs, JudgedByArgs};
use super::values::{bytes, checkpoint, workers};
use crate::cli::error::Failure;
use crate::cli::help::{LISTS, LONG_RUNS, MESSAGES, ROBOTS_TXT};
use crate::cli::sources::read_once;
use crate::input::{Column, Delimiter, Shard, UrlField};

/// Split URL lists into allowed, blocked, deferred and invalid lines
///
/// Writes every line, byte for byte and in order, to exactly one of allowed.txt, blocked.txt, deferred.txt and invalid.txt in the
/// folder given by --out. There, robots-needed.tsv lists the robots.txt that deferred lines wait for, and receipt.json, written
/// last, accounts for every line.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "robosieve filter --agent <NAME> --robots <SOURCE> --out <DIR> <LIST>...
       robosieve filter --policy <FILE> --out <DIR> <LIST>...",
    after_help = "Example: robosieve filter --policy policy.rsv --out split urls.txt",
    after_long_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  zcat urls.gz | robosieve filter --agent examplebot --robots captures.jsonl --out split -
  zcat urls.gz | robosieve filter --policy policy.rsv --only allowed - | head
  robosieve filter --policy policy.rsv --out split 'lists/**/*.zst'
  find lists -name '*.gz' -print0 | robosieve filter --policy policy.rsv --count --files-from - -0"
)]
pub struct FilterArgs {
    /// URL lists, one URL a line; - is standard input
    ///
    /// A pattern such as '**/urls?.txt' that the shell has not expanded stands for its matches, in alphabetical order. Compression,
    /// CDX, CDXJ, JSON Lines and Parquet are recognised.
    #[arg(value_name = "LIST")]
    pub lists: Vec<PathBuf>,
    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub source: PolicySourceArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    #[command(flatten)]
    pub choices: ChoicesArgs,
    #[command(flatten)]
    pub long_run: LongRunArgs,
    #[command(flatten)]
    pub watching: WatchingArgs,
}

/// The lists, and where the URL is in their lines.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = LISTS)]
pub struct InputArgs {
    /// A file with the paths of more lists, one a line
    ///
    /// `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The paths in --files-from end in NUL, as `find -print0` writes them
    #[arg(short = '0', long, requires = "files_from", hide_short_help = true)]
    pub null: bool,
    /// Between fields: a character, tab, whitespace, none
    ///
    /// `\t` is a tab, too. With , or ; a field may be quoted, as in RFC 4180. Without the option, a tab inside makes a line invalid;
    /// with `none`, it is part of the URL.
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<Delimiter>,
    /// The URL's field: its number or name [default: 1]
    ///
    /// A name is one in the first line, then a header; in JSON Lines and Parquet, that of a member or column, by default url.
    #[arg(long, value_name = "N|NAME")]
    pub column: Option<Column>,
    /// The first line of each list is a header, not a URL
    ///
    /// Every file begins with it.
    #[arg(long, hide_short_help = true)]
    pub header: bool,
}

impl InputArgs {
    pub fn url_field(&self) -> UrlField {
        UrlField { delimiter: self.delimiter, column: self.column.clone(), header: self.header }
    }
}

/// The options that define the policy.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = ROBOTS_TXT)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "agents_file" => arg.hide_short_help(true),
    "agent" => arg.long_help("The crawler's product token, or *; repeatable\n\n\
        Googlebot-News,Googlebot is one crawler: the first name that has a group of its own counts, then `*`. Several crawlers have \
        files of their own, such as allowed.NAME.txt. Not needed if --policy has only one."),
    _ => arg,
}))]
pub struct PolicySourceArgs {
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    #[command(flatten)]
    pub rules: JudgedByArgs,
    /// Compare with the verdicts by an older policy; repeatable
    ///
    /// verdicts.tsv then has a column `was`, or was.NAME for each crawler, and the receipt the numbers by both policies.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub against: Vec<PathBuf>,
    /// With --against: leave out lines that are in the same partition by both policies
    #[arg(long, requires = "against", hide_short_help = true)]
    pub only_changed: bool,
    /// Go on with the new policy if it is replaced
    ///
    /// For pipes, without --out: lines that arrive after another file was renamed to that of --policy are judged by it or, if it
    /// cannot be used, still by the old one. Without --now, ages are judged at the time when it was opened.
    #[arg(long)]
    pub follow: bool,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

impl FilterArgs {
    /// Checks that lists, a policy and an output are given, and that no option is without effect.
    pub fn check(&self) -> Result<(), Failure> {
        let PolicySourceArgs { crawlers, rules, .. } = &self.source;
        rules.check(crawlers)?;
        if self.lists.is_empty() && self.input.files_from.is_none() {
            let message = "no list given: name files as arguments, - for standard input, or a file of names with --files-from FILE";
            return Err(message.into());
        }
        if self.source.follow && rules.policy.policy.is_empty() {
            let message = "--follow follows policy files: give them with --policy FILE; robots.txt files are read once, so compile them first";
            return Err(message.into());
        }
        if self.source.follow && self.output.count {
            let message = "--follow is for --only, --verdicts and --blocked-for on standard output: --count counts the lines by one policy";
            return Err(message.into());
        }
        if self.source.follow && !self.output.prints_lines() {
            let message = "--follow is for --only, --verdicts and --blocked-for on standard output: with --out, the receipt names the one \
                           policy that judged all lines";
            return Err(message.into());
        }
        // A file that names lists may name it, too.
        read_once(self.lists.iter().chain(&self.input.files_from).chain(&rules.robots).map(PathBuf::as_path))?;
        self.output.check()
    }
}

/// The options for long runs: shards, resuming, budgets.
#[derive(Debug, Clone, Copy, clap::Args)]
#[command(next_help_heading = LONG_RUNS)]
pub struct LongRunArgs {
    /// Resume the interrupted run in --out, or start one
    ///
    /// All that affects the files must be as at the start; --now need not be repeated. The files become the same, byte for byte.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,
    /// Skip parts of lists and sources that are damaged
    ///
    /// Of lists, those that cannot be opened, and all after the place where damage was noticed; lines before it may be corrupt. Of
    /// --robots, what `compile --skip-bad` passes over. The receipt names each part.
    #[arg(long)]
    pub skip_bad: bool,
    /// Read only the I-th of N equal parts of the lists
    ///
    /// All need the same --now, and lists that are files; compressed ones and Parquet are not divided. See also `robosieve join`.
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
    /// The memory budget, such as 512M or 2GiB
    #[arg(long, default_value = MEMORY, long_help = memory_of_run(), value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// The number of workers [default: one per processor]
    ///
    /// The files do not depend on it.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
    /// The time between checkpoints for --resume
    ///
    /// A duration (10s, 100ms, 2h, 7d, or seconds); more on a slow disk.
    #[arg(long, requires = "out", default_value = "5s", value_name = "DURATION", hide_short_help = true,
        value_parser = checkpoint)]
    pub checkpoint: Duration,
}

/// The options for progress and logs.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = MESSAGES)]
pub struct WatchingArgs {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more
    ///
    /// The policy and lists, reasons with progress, and dropped parts of robots.txt files.
    #[arg(short, long)]
    pub verbose: bool,
    /// How messages are written: text or json
    ///
    /// JSON is an object a line, with `event` start, resume, policy, progress, warning, finish, interrupted or error.
    #[arg(long, default_value = "text", value_name = "FORMAT", hide_possible_values = true, hide_short_help = true)]
    pub log: Log,
    /// Write metrics for Prometheus's textfile collector to a file
    ///
    /// Every five seconds, and when the run ends, even in failure; not in the folder given by --out.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub metrics: Option<PathBuf>,
}

/// The format of standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    Text,
    Json,
}
