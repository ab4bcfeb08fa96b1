//! The arguments of `robosieve report`.

use clap::ValueHint;
use std::path::PathBuf;

use super::workers::workers;
use super::{PolicyArgs, ReadingArgs};

/// Make a page about a run: what became of the lines, why, and how fast
///
/// Writes one HTML file that needs nothing else: no network, no other file. With the policy of the run (or the robots.txt
/// sources it was made from) the blocked lines are read again, and the page says which origins and which rules they were
/// blocked by; a line costs several times what it cost in the run. Memory is bounded: of more than 131,072 origins or
/// rules, the frequent ones are counted, and the page says how exactly.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve report split
  robosieve report split --policy policy.rsv
  robosieve report split --robots robots/ --robots captures.jsonl -o today.html")]
pub struct ReportArgs {
    /// The folder that a run wrote to
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// Where the robots.txt files of the run came from, as `filter` takes them
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin that the single robots.txt given by --robots is for
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The operator's own word for origins, as the run had it
    #[arg(long, requires = "robots", value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The page [default: report.html in DIR]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// How many rows tables of the most frequent have
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub top: usize,
    /// Workers [default: one for each processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
}
