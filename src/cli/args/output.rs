//! Where the lines of a run go, and in which format.

use clap::ValueHint;
use clap::builder::PossibleValue;
use std::path::PathBuf;

use super::memory::leaving_out_repeated;
use super::values::{bytes, one_of};
use crate::cli::error::Failure;
use crate::cli::help::OUTPUT;
use crate::input::PathColumns;
use crate::judge::{AllowedIf, SameUrl};
use crate::outcome::Partition;
use crate::output::columns::cause_columns;
use crate::output::{FileFormat, FrameCompression, OutputMode};
use crate::preferences::PreferenceColumns;
use crate::run::{Destination, Folder, Pipe};

/// Where the lines of a run go, and in which format.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = OUTPUT)]
pub struct OutputArgs {
    /// The folder for the partitions and the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Replace the files of an earlier run in --out
    ///
    /// Any other file in the way is an error.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print only these partitions, such as allowed
    ///
    /// Separated by commas, or repeat the option. Lines of a stream are judged as soon as they arrive.
    #[arg(
        long,
        value_name = "PARTITION",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = one_of(Partition::ALL.map(|partition| (partition.name(), partition))),
        conflicts_with_all = ["out", "verdicts", "compress", "split_size", "force", "per_input", "shard"]
    )]
    pub only: Vec<Partition>,
    /// For pipes: list the robots.txt to fetch, each once
    ///
    /// A row before the first line that waits for it: its URL, the reason, the last status, and when it was last asked. FILE may be
    /// a pipe or /dev/stderr. With --out, it is robots-needed.tsv.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "count"])]
    pub robots_needed: Option<PathBuf>,
    /// One table of all lines with their verdicts
    ///
    /// verdicts.tsv in --out, or else standard output; each line follows a column for each crawler.
    #[arg(long)]
    pub verdicts: bool,
    /// One table of all lines with the crawlers refused
    ///
    /// As --verdicts, but the columns are blocked_for and deferred_for, with crawlers separated by commas.
    #[arg(long, conflicts_with_all = ["verdicts", "only", "explain"])]
    pub blocked_for: bool,
    /// Split lines once for all crawlers: allowed if `any` or `all` of them may fetch them
    #[arg(
        long,
        value_name = "WHICH",
        hide_possible_values = true,
        hide_short_help = true,
        value_parser = one_of(AllowedIf::ALL.map(|which| (which.name(), which))),
        conflicts_with_all = ["verdicts", "blocked_for", "explain"]
    )]
    pub allowed_if: Option<AllowedIf>,
    /// Judge and count lines; print only the numbers
    #[arg(long, conflicts_with_all = ["out", "only", "verdicts", "blocked_for", "compress", "split_size", "force", "per_input"])]
    pub count: bool,
    /// With --count, print the receipt as JSON
    #[arg(long, requires = "count", hide_short_help = true)]
    pub json: bool,
    /// Show what blocked each blocked line
    #[arg(long, long_help = explain_help(), conflicts_with = "count")]
    pub explain: bool,
    /// Show what sites say about uses of allowed pages: train-ai,search,ai-input
    ///
    /// Columns with y, n or nothing before each allowed line, in allowed.tsv: for each use one of all that is said, in which any n
    /// counts, then one of Content-Usage and one of Content-Signal.
    #[arg(
        long,
        value_name = "USES",
        conflicts_with_all = ["blocked_for", "allowed_if", "count"],
        hide_short_help = true,
        value_parser = str::parse::<PreferenceColumns>
    )]
    pub preferences: Option<PreferenceColumns>,
    /// Leave out lines whose URL occurred before
    #[arg(
        long,
        long_help = leaving_out_repeated(),
        value_name = "KEY",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = SameUrl::Fetched.name(),
        hide_possible_values = true,
        value_parser = one_of(SameUrl::ALL.map(|same| (same.name(), same)))
    )]
    pub unique: Option<SameUrl>,
    /// Leave out what earlier runs with FILE allowed
    ///
    /// Then add what this run allows. The first run makes FILE. Implies --unique, whose KEY must stay the same. The lists must be
    /// files.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub seen: Option<PathBuf>,
    /// With --unique and --shard, also leave out lines whose URL is in an earlier shard
    ///
    /// DIR has the file of `robosieve keys` for each shard, and nothing else.
    #[arg(long, value_name = "DIR", hide_short_help = true, requires = "unique", value_hint = ValueHint::DirPath)]
    pub keys: Option<PathBuf>,
    /// text or parquet
    ///
    /// Parquet has a row for each line, with the reason, in lines/verdict=allowed and so on, or in
    /// lines/crawler=NAME/verdict=allowed.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_possible_values = true,
        value_parser = one_of(FileFormat::ALL.map(|format| (format.name(), format)))
    )]
    pub format: FileFormat,
    /// Compress the files, to allowed.txt.gz and so on: gzip or zstd
    #[arg(
        long,
        requires = "out",
        value_name = "FORMAT",
        hide_possible_values = true,
        hide_short_help = true,
        value_parser = one_of([
            (PossibleValue::new("gzip").alias("gz"), FrameCompression::Gzip),
            (PossibleValue::new("zstd").alias("zst"), FrameCompression::Zstd),
        ])
    )]
    pub compress: Option<FrameCompression>,
    /// Split the files into numbered ones of at most this size: 64k, 1GiB (2^30; 1G is the same), 1GB (10^9)
    ///
    /// Lines, frames and row groups are not cut.
    #[arg(long, requires = "out", value_name = "SIZE", hide_short_help = true, value_parser = bytes)]
    pub split_size: Option<u64>,
    /// Write separate partitions for each list, to a folder named after its number and name
    #[arg(long, requires = "out", hide_short_help = true)]
    pub per_input: bool,
    /// With Parquet lists in folders such as day=2026-01-31: keep these as `columns`, or as `folders`, or `ignored`
    ///
    /// Of columns, the files have the texts, decoded. Folders are below those of the verdict, and lists of the same must follow each
    /// other.
    #[arg(
        long,
        requires = "out",
        value_name = "HOW",
        default_value = "columns",
        hide_possible_values = true,
        hide_short_help = true,
        value_parser = one_of(PathColumns::ALL.map(|how| (how.name(), how)))
    )]
    pub path_columns: PathColumns,
}

impl OutputArgs {
    /// Checks that an output is given and that no option is without effect.
    pub fn check(&self) -> Result<(), Failure> {
        if self.out.is_none() && self.only.is_empty() && !self.verdicts && !self.blocked_for && !self.count {
            let message = "no output given: --out DIR writes files and a receipt, --only PARTITION, --verdicts or --blocked-for print lines, \
                           --count prints numbers";
            return Err(message.into());
        }
        let is_written = |partition| self.only.is_empty() || self.only.contains(&partition);
        if self.explain && !is_written(Partition::Blocked) {
            return Err("--explain needs blocked lines; use --only blocked".into());
        }
        if self.preferences.is_some() && !is_written(Partition::Allowed) {
            return Err("--preferences needs allowed lines; use --only allowed".into());
        }
        if self.path_columns != PathColumns::default() && self.format != FileFormat::Parquet {
            return Err("--path-columns is for tables, but text has no columns; add --format parquet".into());
        }
        match (self.format, &self.out, self.compress) {
            (FileFormat::Text, ..) | (_, Some(_), None) => Ok(()),
            (FileFormat::Parquet, None, _) => {
                Err("--format parquet writes files, so it needs --out; on standard output, --only and --verdicts print text".into())
            }
            (FileFormat::Parquet, Some(_), Some(_)) => {
                Err("--compress is for text only: Parquet files are always compressed, with Zstandard; leave --compress out".into())
            }
        }
    }

    fn form(&self) -> OutputMode {
        match (self.verdicts, self.blocked_for) {
            (true, _) => OutputMode::Verdicts,
            (false, true) => OutputMode::BlockedFor,
            (false, false) => OutputMode::Partitions,
        }
    }

    /// Whether lines are printed to standard output.
    pub fn prints_lines(&self) -> bool {
        matches!(self.destination(), Some(Destination::Pipe(_)))
    }

    /// The destination of the lines; `None` if they are only counted.
    pub fn destination(&self) -> Option<Destination> {
        let Some(directory) = self.out.clone() else {
            let only = (!self.only.is_empty()).then(|| Pipe::Only(self.only.clone()));
            let verdicts = self.verdicts.then_some(Pipe::Verdicts);
            return only.or(verdicts).or(self.blocked_for.then_some(Pipe::BlockedFor)).map(Destination::Pipe);
        };
        Some(Destination::Folder(Folder {
            directory,
            form: self.form(),
            format: self.format,
            compress: self.compress,
            split_size: self.split_size,
            force: self.force,
            per_input: self.per_input,
            path_columns: self.path_columns,
        }))
    }
}

fn explain_help() -> String {
    let columns = cause_columns();
    format!("Show what blocked each blocked line\n\nBefore it, in blocked.tsv or verdicts.tsv: {columns}.")
}
