//! The arguments of `check`.

use clap::ValueHint;
use std::path::PathBuf;

use super::crawler::CrawlerArgs;
use super::policy::PolicyArgs;
use super::reading::ReadingArgs;

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
    pub reading: ReadingArgs,
    /// Print a JSON object per line for each URL and crawler
    #[arg(long)]
    pub json: bool,
    /// The URLs to judge; - reads them from standard input, one per line
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<std::ffi::OsString>,
}
