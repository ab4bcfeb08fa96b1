//! The arguments of `check`.

use clap::ValueHint;
use std::path::PathBuf;

use super::crawler::CrawlerArgs;
use super::policy::PolicyArgs;

/// Judge single URLs, and say why
///
/// Prints the verdict for each URL, the rule that decided, its line, and the agent of its group. Exits with 0 if all are
/// allowed, with 1 if any is blocked, or deferred because its policy has no verdict now, and with 2 on an error, such as
/// an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x
  robosieve check --policy policy.rsv https://example.com/private/x")]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawler: CrawlerArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// The robots.txt; - is standard input. It is taken as that of every URL given
    #[arg(long, required_unless_present = "policy", conflicts_with = "policy", value_name = "FILE")]
    pub robots: Option<PathBuf>,
    /// The URLs
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<std::ffi::OsString>,
}
