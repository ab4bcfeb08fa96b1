//! The arguments of `export`.

use crate::robots::Agents;
use clap::ValueEnum;
use std::path::PathBuf;

use super::policy::PolicyFileArgs;

/// Export data other than rules from a policy file as a table
///
/// Writes one row per origin (and crawler, or sitemap), in the order of the origins. TSV begins with a line of column
/// names; in a value, a tab is written \t, a line feed \n, a carriage return \r, and a backslash \\; a missing value is
/// an empty field. JSON Lines omit missing values.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve export policy.rsv --what delays
  robosieve export policy.rsv --what status --format parquet -o status.parquet")]
pub struct ExportArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The table to export
    #[arg(long, value_name = "TABLE")]
    pub what: ExportContent,
    /// The output format
    #[arg(long, default_value = "tsv", value_name = "FORMAT")]
    pub format: ExportFormat,
    /// Export only this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// The file to write, named only when complete [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
}

/// A table.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExportContent {
    /// Crawl delays: as written, in seconds if in effect, and the pages per day that they allow
    Delays,
    /// Sitemaps with their line numbers
    Sitemaps,
    /// The group that applies to each crawler: its kind, its first User-agent line, and its number of rules
    Agents,
    /// Standing, HTTP status and times of the last answer, standing and times of the last good one, and overrides
    Status,
}

/// The format of a table.
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
