//! The arguments of `check` and `lint`.

use clap::builder::TypedValueParser;
use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

use super::policy::{CrawlerArgs, PolicyArgs, ReadingArgs, RequiredArgs, StatusesArgs};
use super::values::one_of;
use crate::dialect::Dialect;
use crate::lint::Severity;
use crate::policy::source::FieldNames;

/// Judge single URLs and explain the verdicts
///
/// Prints the verdict for each URL, the rule that decided it with its line number, and the user agents of its group.
/// Exits with 0 if all URLs are allowed, with 1 if any is blocked or deferred (its policy has no verdict yet), and with
/// 2 on an error, such as an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x
  robosieve check --agent examplebot --robots robots/ --json https://example.com/ https://example.org/
  robosieve check --policy policy.rsv - < urls.txt")]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// A source of robots.txt files, as for `filter`, or one robots.txt that applies to every URL
    ///
    /// A single robots.txt may come from standard input (-). With --origin it applies to that origin only.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The operator's overrides for origins (TOML)
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub statuses: StatusesArgs,
    /// Judge an unknown origin by the one with or without www., as for `filter`
    #[arg(long)]
    pub www_fallback: bool,
    #[command(flatten)]
    pub preferences: RequiredArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Print a JSON object per line for each URL and crawler
    #[arg(long)]
    pub json: bool,
    /// The URLs to judge; - reads them from standard input, one per line
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<std::ffi::OsString>,
}

/// Report lines of a robots.txt that its author probably did not mean
///
/// Reads each file as a crawler of the dialect does, and reports line by line what is ignored, what is read differently
/// than it looks, and what has no effect. Each finding cites the text that says so, and has a severity: an error is
/// read differently than it is written, a warning has no effect or not for all crawlers, a note could be better. Ends
/// with a count. Exits with 0 if there are no findings, with 1 if there are any that --severity asks for, and with 2 on
/// an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve lint robots.txt
  robosieve lint --severity warning --format sarif robots.txt > robots.sarif
  robosieve lint responses.warc.gz
  robosieve lint --dialect all --json robots/* | jq -r .kind | sort | uniq -c")]
pub struct LintArgs {
    /// The dialect in which files are read; may be repeated
    #[arg(long, value_name = "NAME", default_value = "rfc9309", value_parser = dialects())]
    pub dialect: Vec<Dialects>,
    /// The least severity of findings that count for the exit status; all are printed
    #[arg(long, value_name = "LEVEL", default_value = "note",
        value_parser = one_of(Severity::ALL.map(|severity| (severity.name(), severity))))]
    pub severity: Severity,
    /// How findings are printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: LintFormat,
    /// Print a JSON object per line for each finding; the same as --format jsonl
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// The keys of JSON Lines and columns of Parquet, if they differ, as for `compile`
    #[arg(long, value_name = "FIELD=NAME,...", hide_short_help = true)]
    pub columns: Option<FieldNames>,
    /// Print all kinds of findings with their severities, meanings and examples
    #[arg(long, conflicts_with_all = ["files", "format", "json"])]
    pub kinds: bool,
    /// The robots.txt files, or folders of them; - is standard input
    ///
    /// Of WARC archives, JSON Lines and Parquet, as for `compile`, the newest robots.txt of each origin is read. Other JSON, a table
    /// and a tar archive are refused.
    #[arg(required_unless_present = "kinds", value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// How `lint` prints findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LintFormat {
    /// Lines for people; what several dialects say of a line is one finding
    Text,
    /// A JSON object per line for each finding
    Jsonl,
    /// SARIF 2.1.0, for code hosts
    Sarif,
}

/// One dialect, or all of them.
#[derive(Debug, Clone, Copy)]
pub enum Dialects {
    All,
    One(&'static Dialect),
}

fn dialects() -> impl TypedValueParser<Value = Dialects> {
    let each = Dialect::ALL.iter().map(|dialect| (dialect.name, Dialects::One(dialect)));
    one_of(each.chain([("all", Dialects::All)]))
}
