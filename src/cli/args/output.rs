//! Where the lines of a run go, and in which format.

use clap::ValueHint;
use clap::builder::PossibleValue;
use std::path::PathBuf;

use super::memory::leaving_out_repeated;
use super::values::{bytes, one_of};
use crate::cli::error::Failure;
use crate::judge::{AllowedIf, SameUrl};
use crate::outcome::Partition;
use crate::output::columns::cause_columns;
use crate::output::{FileFormat, FrameCompression, OutputMode};
use crate::preferences::PreferenceColumns;
use crate::run::{Destination, Folder, Pipe};

/// Where the lines of a run go, and in which format.
#[derive(Debug, clap::Args)]
pub struct OutputArgs {
    /// The folder for the partitions and the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Replace the files of an earlier run in --out, and nothing else
    ///
    /// These are the files that its receipt names, and its report. Any other file in the way is an error.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print the lines of these partitions: allowed, blocked...
    ///
    /// Writes them to standard output, in order, and nothing else, so that the program can be part of a pipe, like
    /// grep. Give several partitions as `allowed,deferred`, or repeat the option. Lines from a stream are judged as
    /// soon as they arrive.
    #[arg(
        long,
        value_name = "PARTITION",
        value_delimiter = ',',
        hide_possible_values = true,
        value_parser = one_of(Partition::ALL.map(|partition| (partition.name(), partition))),
        conflicts_with_all = ["out", "verdicts", "compress", "split_size", "force", "per_input", "shard"]
    )]
    pub only: Vec<Partition>,
    /// List the robots.txt to fetch in a file, each once: for pipes
    ///
    /// With --only and --verdicts on standard output: for each robots.txt that deferred lines wait for, writes a row before the first
    /// of these lines, so that a fetcher can begin: its URL, the reason, the last status, and when it was last asked. With --out,
    /// robots-needed.tsv in the folder has the same rows and counts lines. The file may be a pipe or /dev/stderr; one that something else wrote is not replaced.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "count"], hide_short_help = true)]
    pub robots_needed: Option<PathBuf>,
    /// Write one table of all lines with their verdicts
    ///
    /// Writes one file, verdicts.tsv, instead of partitions: every line in order, after a column for each --agent that
    /// says allowed, blocked, deferred or invalid. Without --out it goes to standard output.
    #[arg(long)]
    pub verdicts: bool,
    /// Write one table of all lines with the crawlers that may not fetch them
    ///
    /// Writes verdicts.tsv, with every line in order after two columns: blocked_for has the names of the crawlers that are
    /// refused, separated by commas, and deferred_for those without an answer yet. A line without a valid URL is blocked
    /// for all of them. With --format parquet, both are lists. Without --out it goes to standard output.
    #[arg(long, conflicts_with_all = ["verdicts", "only", "explain"])]
    pub blocked_for: bool,
    /// Split lines once for all crawlers: allowed if any or all may fetch them
    ///
    /// With several --agent or --agents-file, writes one set of partitions instead of one for each. With `any`, a line is
    /// allowed if at least one of the crawlers may fetch it; with `all`, if each of them may. Otherwise, with `any`, it is
    /// deferred if it is deferred for one of them, and else blocked; with `all`, it is blocked if it is blocked for one of
    /// them, and else deferred.
    #[arg(
        long,
        value_name = "WHICH",
        hide_possible_values = true,
        hide_short_help = true,
        value_parser = one_of(AllowedIf::ALL.map(|which| (which.name(), which))),
        conflicts_with_all = ["verdicts", "blocked_for", "explain"]
    )]
    pub allowed_if: Option<AllowedIf>,
    /// Judge and count lines, and print only the numbers
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
    /// For each use, adds columns with y, n or nothing: one for Content-Usage and Content-Signal lines together, in which any n
    /// counts, and one for each kind of line. They come before each allowed line, so allowed.txt becomes a table, allowed.tsv,
    /// with a header line; in verdicts.tsv, after each verdict, and in Parquet, after all other columns, they are empty for lines
    /// that may not be fetched. Preferences differ between crawlers, so each --agent has columns of its own; --blocked-for has none.
    #[arg(
        long,
        value_name = "USES",
        conflicts_with_all = ["blocked_for", "allowed_if", "count"],
        hide_short_help = true,
        value_parser = str::parse::<PreferenceColumns>
    )]
    pub preferences: Option<PreferenceColumns>,
    /// Leave out lines whose URL has occurred before
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
    /// Leave out lines whose URL an earlier run with this file has allowed, and add those that this one allows
    ///
    /// Implies --unique, whose key says which URLs are the same. The file is made by the first run. When a run is complete,
    /// a new file takes its place, with the URLs that the run allowed for any crawler; those deferred or blocked come back.
    /// It has 16 bytes per URL, and is read and written in order. The lists must be files. `robosieve seen` counts, checks
    /// and merges such files.
    #[arg(long, value_name = "FILE", hide_short_help = true, value_hint = ValueHint::FilePath)]
    pub seen: Option<PathBuf>,
    /// With --unique and --shard, also leave out lines whose URL is in an earlier shard
    ///
    /// DIR has a file of `robosieve keys` for each shard, of the same lists and with the same key, and nothing else. All shards need the
    /// same files: receipts of others are not joined.
    #[arg(long, value_name = "DIR", hide_short_help = true, requires = "unique", value_hint = ValueHint::DirPath)]
    pub keys: Option<PathBuf>,
    /// The format of the files: text or parquet
    ///
    /// Parquet has one row per line, in a dataset partitioned as in Hive (lines/verdict=allowed/part-0001.parquet and
    /// so on; with several crawlers, lines/crawler=NAME/verdict=allowed), with the column reason, and four more with
    /// --explain; with --verdicts, the column verdict as well (verdicts/part-0001.parquet). From a Parquet list, all
    /// other columns are kept, except those that an earlier run added; from any other list, the columns are url and, if
    /// the line is more than the URL, line.
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_possible_values = true,
        value_parser = one_of(FileFormat::ALL.map(|format| (format.name(), format)))
    )]
    pub format: FileFormat,
    /// Compress the files: gzip or zstd
    ///
    /// The files are named allowed.txt.gz and so on. They consist of gzip members or Zstandard frames, which every tool
    /// reads as one text.
    #[arg(
        long,
        requires = "out",
        value_name = "FORMAT",
        hide_possible_values = true,
        value_parser = one_of([
            (PossibleValue::new("gzip").alias("gz"), FrameCompression::Gzip),
            (PossibleValue::new("zstd").alias("zst"), FrameCompression::Zstd),
        ])
    )]
    pub compress: Option<FrameCompression>,
    /// Split the files into numbered ones of at most this size
    ///
    /// The files are named allowed.0001.txt, or part-0001.parquet, and so on. Lines are not cut, nor are the members or
    /// frames of compressed files or the row groups of tables: each file has at least one. A size is written as 64k,
    /// 1GiB (2^30; 1G is the same) or 1GB (10^9).
    #[arg(long, requires = "out", value_name = "SIZE", value_parser = bytes)]
    pub split_size: Option<u64>,
    /// Write separate partitions for each list
    ///
    /// They go to a folder named after the list's number and name.
    #[arg(long, requires = "out")]
    pub per_input: bool,
}

impl OutputArgs {
    /// Checks that an output is given and that no option is without effect.
    pub fn check(&self) -> Result<(), Failure> {
        if self.out.is_none() && self.only.is_empty() && !self.verdicts && !self.blocked_for && !self.count {
            return Err(Failure::NoOutput);
        }
        let is_written = |partition| self.only.is_empty() || self.only.contains(&partition);
        if self.explain && !is_written(Partition::Blocked) {
            return Err(Failure::NothingBlocked);
        }
        if self.preferences.is_some() && !is_written(Partition::Allowed) {
            return Err(Failure::NothingAllowed);
        }
        match (self.format, &self.out, self.compress) {
            (FileFormat::Text, ..) | (_, Some(_), None) => Ok(()),
            (FileFormat::Parquet, None, _) => Err(Failure::TableWithoutFolder),
            (FileFormat::Parquet, Some(_), Some(_)) => Err(Failure::CompressedTable),
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
        }))
    }
}

fn explain_help() -> String {
    format!(
        "Show what blocked each blocked line\n\n\
         Adds columns before the line: {}. They are empty if no rule decided or the value is unknown. blocked.txt becomes a table, \
         blocked.tsv, with a header line; in verdicts.tsv the columns follow each verdict. A text of more than 200 bytes is cut and \
         ends in three dots; in a text, a tab is written \\t and a backslash \\\\. With --format parquet, the columns follow verdict and \
         reason; they are null instead of empty, nothing is escaped, and bytes of a rule that are not UTF-8 are percent-encoded. A \
         sixteenth of --memory (half of that for tables) is reserved for rules, or, if that is more, what the two largest groups of \
         rules take for each worker and crawler.",
        cause_columns()
    )
}
