//! The arguments of `robosieve report`.

use clap::ValueHint;
use std::path::PathBuf;

use super::values::workers;
use super::{PolicyArgs, ReadingArgs};

/// Write an HTML report on a run: where the lines went, why, and how fast
///
/// Writes one self-contained file, which loads nothing from the network or from other files. With the policy of the run
/// (or the robots.txt sources it was made from), the blocked lines are read again, and the report shows which origins
/// and which rules they were blocked by; a line costs several times what it cost in the run. Memory is bounded: above
/// 131,072 origins or rules, only frequent ones are counted, and the report says how accurately.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve report split
  robosieve report split --policy policy.rsv
  robosieve report split --robots robots/ --robots captures.jsonl -o today.html")]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
pub struct ReportArgs {
    /// The output folder of the run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// A source of the run's robots.txt files, as for `filter`
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt given by --robots
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// The overrides that the run used
    #[arg(long, requires = "robots", value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// The file to write [default: report.html in DIR]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// The number of rows in tables of the most frequent items
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub top: usize,
    /// The number of worker threads [default: one per processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
}
