//! The arguments of `filter`, but for those of its output.

use clap::ValueEnum;
use std::path::PathBuf;

use super::choices::ChoicesArgs;
use super::memory::{MEMORY, memory_of_run};
use super::output::OutputArgs;
use super::policy::{DialectArgs, JudgedByArgs};
use super::values::{bytes, number_up_to, workers};
use crate::cli::error::Failure;
use crate::cli::sources::read_once;
use crate::input::{Column, Delimiter, Shard, UrlField};
use crate::robots::Agents;

/// Split URL lists into allowed, blocked, deferred and invalid lines
///
/// Writes every line of the lists, byte for byte and in order, to exactly one of allowed.txt, blocked.txt, deferred.txt
/// and invalid.txt in the folder given by --out. There, robots-needed.tsv lists the robots.txt files that deferred
/// lines wait for, and receipt.json, written last, accounts for every line.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "robosieve filter --agent <NAME> --robots <SOURCE> --out <DIR> <LIST>...
       robosieve filter --policy <FILE> --out <DIR> <LIST>...",
    disable_help_flag = true,
    after_help = "Example: robosieve filter --agent examplebot --robots robots/ --out split urls.txt\nMore: robosieve filter --help",
    after_long_help = "Examples:
  robosieve filter --agent examplebot --robots robots/ --out split urls.txt
  zcat urls.gz | robosieve filter --agent examplebot --robots captures.jsonl --out split -
  robosieve filter --policy policy.rsv --out split urls.txt
  zcat urls.gz | robosieve filter --policy policy.rsv --only allowed - | head
  robosieve filter --policy policy.rsv --out split 'lists/**/*.zst'
  find lists -name '*.gz' -print0 | robosieve filter --policy policy.rsv --out split --files-from - -0"
)]
pub struct FilterArgs {
    /// The URL lists, one URL per line; - is standard input
    ///
    /// A pattern such as 'lists/*.gz' or '**/urls?.txt' that the shell has not expanded stands for the files it
    /// matches, in alphabetical order. gzip, Zstandard and bzip2 are recognised by their content, and so are CDX and
    /// CDXJ, the indexes of web archives, JSON Lines, and Parquet, where every row is a line.
    #[arg(value_name = "LIST")]
    pub lists: Vec<PathBuf>,
    #[command(flatten, next_help_heading = "Input")]
    pub input: InputArgs,
    #[command(flatten, next_help_heading = "Policy")]
    pub source: PolicySourceArgs,
    #[command(flatten, next_help_heading = "Output")]
    pub output: OutputArgs,
    #[command(flatten, next_help_heading = "Verdicts")]
    pub choices: ChoicesArgs,
    #[command(flatten, next_help_heading = "Long runs")]
    pub long_run: LongRunArgs,
    #[command(flatten, next_help_heading = "Display")]
    pub watching: WatchingArgs,
    /// Print a summary of the options; --help prints the full text
    #[arg(short, long, action = clap::ArgAction::Help, help_heading = "Display")]
    pub help: Option<bool>,
}

/// The lists, and where the URL is in their lines.
#[derive(Debug, clap::Args)]
pub struct InputArgs {
    /// A file with the paths of more lists, one per line
    ///
    /// `-` is standard input.
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,
    /// The paths in --files-from end in NUL, as `find -print0` writes them
    ///
    /// So a path may have line feeds in it.
    #[arg(short = '0', long, requires = "files_from", hide_short_help = true)]
    pub null: bool,
    /// What separates the fields of a line: a character, `tab`, `whitespace`, `none`
    ///
    /// One of the fields is the URL. `tab` or `\t` is a tab; `whitespace` is any number of spaces and tabs, as between the padded
    /// columns of a log, and those at the start of a line do not count. With , or ; a field may be quoted, as in RFC 4180, but a
    /// record must be on one line. The output keeps the whole line. Without the option each line is a URL, and a line with a tab
    /// inside is invalid. With `none`, tabs are part of URLs, and are dropped before a URL is judged, as fetchers drop them.
    #[arg(long, value_name = "CHAR")]
    pub delimiter: Option<Delimiter>,
    /// The field with the URL: its number or its name [default: 1]
    ///
    /// A name is looked up in the first line, which then counts as a header. In JSON Lines it is a member of the objects
    /// [default: url]. In a Parquet file it is a column [default: url, or else the parts of Common Crawl's index:
    /// url_protocol, url_host_name, url_port, url_path, url_query].
    #[arg(long, value_name = "N|NAME")]
    pub column: Option<Column>,
    /// Treat the first line of each list as a header, not as a URL
    ///
    /// Every output file begins with it.
    #[arg(long)]
    pub header: bool,
}

impl InputArgs {
    pub fn url_field(&self) -> UrlField {
        UrlField { delimiter: self.delimiter, column: self.column.clone(), header: self.header }
    }
}

/// The options that define the policy.
#[derive(Debug, clap::Args)]
pub struct PolicySourceArgs {
    /// The crawler's product token, or * for every crawler; repeat for more
    ///
    /// A list in order of preference, such as Googlebot-News,Googlebot, is one crawler with several names: the first
    /// name that has its own group is used, then `*`. If the option is repeated, the lines are split separately for
    /// each crawler: allowed.NAME.txt, blocked.NAME.txt and so on (`default` for `*`). With --policy, name crawlers
    /// that it was compiled for, or lists of them; not needed if there is only one.
    #[arg(long, value_name = "NAME")]
    pub agent: Vec<Agents>,
    /// A file of crawlers' names: one a line, or JSON; they are added to those of --agent
    ///
    /// In a text, a # begins a comment. JSON is a list of names, or an object with an object for each name. A name with other
    /// characters than a product token, such as bigsur.ai, is cut as crawlers cut it in a robots.txt, with a warning; names that are then
    /// equal are one crawler.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub agents_file: Option<PathBuf>,
    #[command(flatten)]
    pub rules: JudgedByArgs,
    /// An older policy file: compare each verdict with the one it would have had; may be repeated
    ///
    /// Each line is judged by both policies, which have the same dialect and crawlers. Partitions are by the newer one; verdicts.tsv
    /// has a column `was` (with several crawlers, was.NAME) after the verdicts of now; the receipt has the numbers by both policies,
    /// and of the lines that changed. Ages of the older policy are not judged. Several files count as if they had been merged.
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub against: Vec<PathBuf>,
    /// Leave out lines whose verdict is the same by both policies
    ///
    /// With --against. A line stays if it is in another partition than before for any of the crawlers. The receipt counts the lines
    /// left out.
    #[arg(long, requires = "against", hide_short_help = true)]
    pub only_changed: bool,
    /// Go on with the new file if a policy is replaced: for pipes
    ///
    /// Before each chunk of lines (in a pipe: the lines that have arrived), the run checks whether a --policy path leads to another
    /// file. If so, it opens that file, reports it on standard error, and judges by it from then on; the other files stay open. Replace policies by renaming, as `compile` and `merge` do. A file that cannot be used is reported, and the one before
    /// it stays in use. --overrides is read once. Without --now, ages are judged at the time when a policy is opened. For --only,
    /// --verdicts and --blocked-for without --out: elsewhere one policy judges all lines.
    #[arg(long, hide_short_help = true)]
    pub follow: bool,
    #[command(flatten)]
    pub dialect: DialectArgs,
}

impl FilterArgs {
    /// Checks that lists, a policy and an output are given, and that no option is without effect.
    pub fn check(&self) -> Result<(), Failure> {
        let PolicySourceArgs { agent, agents_file, rules, .. } = &self.source;
        rules.check(agent, agents_file)?;
        if self.lists.is_empty() && self.input.files_from.is_none() {
            return Err(Failure::NoList);
        }
        if self.source.follow && rules.policy.policy.is_empty() {
            return Err(Failure::FollowWithoutPolicy);
        }
        if self.source.follow && self.output.count {
            return Err(Failure::FollowWithCount);
        }
        if self.source.follow && !self.output.prints_lines() {
            return Err(Failure::FollowWithReceipt);
        }
        // A file that names lists may name it, too.
        read_once(self.lists.iter().chain(&self.input.files_from).chain(&rules.robots).map(PathBuf::as_path))?;
        self.output.check()
    }
}

const DAY: usize = 86_400;

/// The options for long runs: shards, resuming, budgets.
#[derive(Debug, Clone, Copy, clap::Args)]
pub struct LongRunArgs {
    /// Resume the interrupted run in --out, or start a new one
    ///
    /// Continues after Ctrl-C, a full disk or a lost machine, starts if there is no run yet, and does nothing if the
    /// run is complete. The lists, the policy and all options that affect the files must be the same as at the start;
    /// --threads may differ, and --now need not be repeated. The files become the same, byte for byte, as without the
    /// interruption.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,
    /// Skip parts of lists and sources that cannot be read
    ///
    /// In the sources given by --robots, passes over what `compile --skip-bad` does.
    ///
    /// Skips a list that cannot be opened, the rest of one that is damaged or truncated, and the rest of a damaged row
    /// group of Parquet. A line cut by damage is skipped, too. Lines read before the damage was detected are judged: a
    /// checksum comes only at the end of a gzip member, a Zstandard frame or a bzip2 stream, so the last lines before
    /// the damage may be corrupt. With --format parquet, all columns of a Parquet list are checked first, which takes
    /// longer. The receipt counts and names each skipped part, and each is a warning on standard error. It is still an
    /// error if none of the lists can be opened, or if a list changes while it is read. The option may also be added
    /// when a run is resumed with --resume.
    #[arg(long)]
    pub skip_bad: bool,
    /// Read only the I-th of N equal parts of the lists
    ///
    /// For the tasks of an array job, each with its own folder; `robosieve join` combines the receipts and proves that
    /// nothing is missing. A line belongs to the part in which it begins. A compressed list or a Parquet file is read
    /// whole by the part that contains its middle, so provide several of them. The lists must be files, and --now must
    /// be the same for all parts.
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
    /// The memory budget, such as 512M or 2GiB
    #[arg(long, default_value = MEMORY, long_help = memory_of_run(), value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// The number of worker threads [default: one per processor]
    ///
    /// The files do not depend on it.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
    /// The number of seconds between checkpoints
    ///
    /// A checkpoint makes the work so far durable, so that the run can be resumed from there. They are less frequent if
    /// the disk is slow. A run that reads standard input or a pipe cannot be resumed.
    #[arg(long, requires = "out", default_value_t = 5, value_name = "SECONDS", hide_short_help = true,
        value_parser = seconds)]
    pub checkpoint: u64,
}

/// The options for progress and logs.
#[derive(Debug, clap::Args)]
pub struct WatchingArgs {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more
    ///
    /// Shows the policy and the lists, the reasons with each line of progress, and the parts dropped from robots.txt
    /// files. JSON always has all of it.
    #[arg(short, long)]
    pub verbose: bool,
    /// The format of standard error: text or json
    ///
    /// Text is for people: a bar on a terminal, otherwise lines. JSON is for machines: an object per line, with `event`
    /// start, resume, policy, progress, warning, finish, interrupted or error.
    #[arg(long, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub log: Log,
    /// Write the metrics of the run to a file for Prometheus
    ///
    /// The file is in Prometheus's text format, for a textfile collector. It is rewritten every five seconds, and once more
    /// when the run ends, even in failure. It cannot be in the folder given by --out.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

/// The format of standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    Text,
    Json,
}

fn seconds(given: &str) -> Result<u64, String> {
    number_up_to(given, DAY).map(|seconds| seconds as u64)
}
