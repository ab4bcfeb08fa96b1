//! The arguments of `export`.

use crate::robots::Agents;
use clap::ValueEnum;
use std::path::PathBuf;

use super::policy::PolicyFileArgs;

/// Write a table of what a policy file knows beside the rules
///
/// One row an origin (and crawler, or sitemap), in the order of the origins. TSV begins with the names of the columns; in a
/// value, a tab is written \t, a line feed \n, a carriage return \r, a backslash \\; where there is no value, nothing
/// stands. JSON Lines leave out what there is no value for.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve export policy.rsv --what delays
  robosieve export policy.rsv --what status --format parquet -o status.parquet")]
pub struct ExportArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// Which table
    #[arg(long, value_name = "TABLE")]
    pub what: What,
    /// How it is written
    #[arg(long, default_value = "tsv", value_name = "FORMAT")]
    pub format: ExportFormat,
    /// Only for this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// The file; it gets its name when it is complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A table.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum What {
    /// Crawl delays: as written, in seconds as far as they are in effect, and the pages a day that they leave
    Delays,
    /// Sitemaps with their lines
    Sitemaps,
    /// Whose group applies to each crawler, its User-agent line, and how many rules it has
    Agents,
    /// OriginStatus, HTTP status and times of the last answer and of the last good one, and the operator's word
    Status,
}

/// How a table is written.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExportFormat {
    /// Tab-separated values
    Tsv,
    /// JSON Lines
    Jsonl,
    /// Parquet
    #[cfg(feature = "parquet")]
    Parquet,
}
