//! The arguments of `filter`.

use crate::formats::time::timestamp;
use crate::input::{Column, Delimiter, UrlField};
use crate::judge::{Choices, Fallback, MaxAge};
use crate::robots::Agents;
use clap::builder::TypedValueParser;
use std::path::PathBuf;

use super::super::error::Failure;
use super::long_runs::{LongRunArgs, WatchingArgs};
use super::output::OutputArgs;
use super::policy::{DialectArgs, PolicyArgs, ReadingArgs, RequiredArgs, StatusesArgs};
use super::values::{one_of, unreachable_for};

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
    pub verdicts: VerdictArgs,
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
    /// The character that separates the fields of a line
    ///
    /// One of the fields is the URL. `tab` or `\t` is a tab. With , or ; a field may be quoted, as in RFC 4180, but a
    /// record must be on one line. The output keeps the whole line.
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
    /// Where the URL is in a line.
    pub fn url_field(&self) -> UrlField {
        UrlField { delimiter: self.delimiter, column: self.column.clone(), header: self.header }
    }
}

/// The options that define the policy.
#[derive(Debug, clap::Args)]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
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
    /// A source of robots.txt files: folder, JSON Lines, WARC...
    ///
    /// May be repeated. A folder (each file is named after a host or a percent-encoded origin); JSON Lines (url or
    /// origin, status, location, body or body_base64, fetched_at, expires, unreachable_since); a WARC archive; Parquet;
    /// or, with --origin, a single robots.txt. gzip, Zstandard and bzip2 are recognised by their content.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt given by --robots
    #[arg(long, requires = "robots", value_name = "ORIGIN", hide_short_help = true)]
    pub origin: Option<String>,
    #[command(flatten)]
    pub policy: PolicyArgs,
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
    /// Before each chunk of lines, which in a pipe are those that have arrived, the run looks whether the name of a --policy leads
    /// to another file. If so, it opens that one, says so on standard error, and judges by it from then on; the other files stay
    /// open. Replace policies by renaming, as `compile` and `merge` do. A file that cannot be used is reported, and the one before
    /// it stays in use. --overrides is read once. Without --now, ages are judged at the time when a policy is opened. For --only
    /// and --verdicts without --out: a receipt names one policy.
    #[arg(long, hide_short_help = true)]
    pub follow: bool,
    /// The operator's overrides for origins (TOML)
    ///
    /// They take precedence over robots.txt files, and with --policy also over the overrides it was compiled with. The
    /// file has a table for each origin with crawl-delay, verdict ("allow-all" or "forbid-all"), robots-txt or
    /// robots-txt-file, and paused-until.
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub dialect: DialectArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
}

/// The options for lines without a definite verdict.
#[derive(Debug, clap::Args)]
#[command(mut_arg("statuses", |arg| arg.hide_short_help(true)))]
pub struct VerdictArgs {
    /// Never fetched: allow, block or defer
    ///
    /// The partition of URLs whose robots.txt was never fetched.
    #[arg(long, default_value = "defer", value_name = "WHAT", hide_possible_values = true, value_parser = one_of(DEFINITE))]
    pub on_unfetched: Fallback,
    /// Unreachable: allow, block, defer or use
    ///
    /// The partition of URLs whose robots.txt answers 5xx or not at all, does not arrive whole, or redirects to an unknown
    /// place. `use` applies the last good one.
    #[arg(long, default_value = "defer", value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_unreachable: Fallback,
    /// Treat a robots.txt unreachable this long as missing
    ///
    /// A duration such as 30d, the example in RFC 9309. If no robots.txt has arrived for that long at the time of --now, only
    /// 5xx, incomplete responses or none, everything is allowed. Takes precedence over --on-unreachable. At most 90d: a policy
    /// knows no more of earlier failures [default: never].
    #[arg(long, value_name = "AGE", value_parser = unreachable_for)]
    pub unreachable_as_unavailable: Option<u64>,
    /// An HTML page: allow, block, defer or use
    ///
    /// The partition of URLs whose robots.txt, with status 200, looks like an HTML page, as some servers send for every path.
    /// `use` reads it as a robots.txt, which mostly has no rules in it.
    #[arg(long, default_value = "use", value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_html: Fallback,
    /// Too old: allow, block, defer or use [default: use]
    ///
    /// The partition of URLs whose robots.txt is older than --max-age. `use` applies it anyway, and counts the lines as
    /// stale. Without --max-age, the limit is the dialect's own lifetime.
    #[arg(long, value_name = "WHAT", hide_possible_values = true, value_parser = fallback())]
    pub on_stale: Option<Fallback>,
    /// The maximum age of a robots.txt, such as 7d, or `dialect`
    ///
    /// A duration such as 36h or 7d, or `dialect` for the dialect's own lifetime [default: any age].
    #[arg(long, value_name = "AGE", value_parser = str::parse::<MaxAge>)]
    pub max_age: Option<MaxAge>,
    #[command(flatten)]
    pub statuses: StatusesArgs,
    /// Judge an unknown origin by the one with or without www.
    ///
    /// A URL of https://a.example is judged by the robots.txt of https://www.a.example, and the other way round, if its own origin is
    /// not in the policy at all. Scheme and port are the same. The receipt counts such lines.
    #[arg(long, hide_short_help = true)]
    pub www_fallback: bool,
    #[command(flatten)]
    pub preferences: RequiredArgs,
    /// The time at which ages are judged [default: now]
    ///
    /// An RFC 3339 time, such as 2026-01-12T12:00:00Z.
    #[arg(long, value_name = "TIME", hide_short_help = true, value_parser = timestamp)]
    pub now: Option<jiff::Timestamp>,
}

impl FilterArgs {
    /// Checks that lists, a policy and an output are given, and that no option is without effect.
    pub fn check(&self) -> Result<(), Failure> {
        let PolicySourceArgs { agent, agents_file, robots, policy, .. } = &self.source;
        if policy.policy.is_empty() && robots.is_empty() {
            return Err(Failure::NoSource);
        }
        if policy.policy.is_empty() && agent.is_empty() && agents_file.is_none() {
            return Err(Failure::NoAgent);
        }
        if self.lists.is_empty() && self.input.files_from.is_none() {
            return Err(Failure::NoList);
        }
        if self.source.follow && policy.policy.is_empty() {
            return Err(Failure::FollowWithoutPolicy);
        }
        if self.source.follow && !self.output.prints_lines() {
            return Err(Failure::FollowWithReceipt);
        }
        self.output.check()
    }
}

impl VerdictArgs {
    /// Converts to the library's type, with ages judged at `now`. Reads the file of statuses, if there is one.
    pub fn choices(&self, now: i64) -> Result<Choices, Failure> {
        Ok(Choices {
            on_unfetched: self.on_unfetched,
            on_unreachable: self.on_unreachable,
            unreachable_as_unavailable: self.unreachable_as_unavailable,
            on_html: self.on_html,
            on_stale: self.on_stale.unwrap_or(Fallback::Use),
            max_age: self.max_age.or(self.on_stale.map(|_| MaxAge::Dialect)),
            statuses: self.statuses.read()?,
            www_fallback: self.www_fallback,
            require: self.preferences.require.unwrap_or_default(),
            content_signal: self.preferences.content_signal.scope(),
            now,
        })
    }
}

/// What to do with lines whether or not there are earlier rules.
const DEFINITE: [(&str, Fallback); 3] =
    [("allow", Fallback::Allow), ("block", Fallback::Block), ("defer", Fallback::Defer)];

/// A parser for what to do with lines whose origin may have earlier rules.
fn fallback() -> impl TypedValueParser<Value = Fallback> {
    one_of(DEFINITE.into_iter().chain([("use", Fallback::Use)]))
}
