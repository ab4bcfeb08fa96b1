//! The arguments of `check`.

use clap::ValueHint;
use std::path::PathBuf;

use super::crawler::CrawlerArgs;
use super::policy::PolicyArgs;
use super::reading::ReadingArgs;

/// Judge single URLs, and say why
///
/// Prints the verdict for each URL, the rule that decided, its line, and the agents of its group. Exits with 0 if all are
/// allowed, with 1 if any is blocked, or deferred because its policy has no verdict now, and with 2 on an error, such as
/// an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x
  robosieve check --agent examplebot --robots robots/ --json https://example.com/ https://example.org/
  robosieve check --policy policy.rsv - < urls.txt")]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Where robots.txt files come from, as `filter` takes them; or one robots.txt, which is taken as that of every URL
    ///
    /// A single robots.txt may be standard input (-). With --origin it is only that of one origin.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin that the single robots.txt is for
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The operator's own word for origins (TOML)
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Print a JSON object for each URL and crawler, one a line
    #[arg(long)]
    pub json: bool,
    /// The URLs; - is standard input, one a line
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<std::ffi::OsString>,
}
