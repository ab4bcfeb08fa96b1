//! Where the lines of a run go, and how they are written.

use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

use super::super::failure::Failure;
use super::units::bytes;
use crate::outcome::Partition;
use crate::output::{Form, Format, FrameFormat};
use crate::run::{Destination, Folder, Pipe};

/// Where the lines of a run go, and how they are written.
#[derive(Debug, clap::Args)]
pub struct OutputArgs {
    /// The folder for the partitions and the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: Option<PathBuf>,
    /// Replace the files of an earlier run in it, and nothing else
    ///
    /// Those that its receipt names, and its report. Any other file that is in the way is an error.
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print the lines of some partitions: allowed, blocked...
    ///
    /// To standard output, in their order, and nothing else: to stand in a pipe, as grep does. Several are given as
    /// `allowed,deferred`, or one by one. What a stream gives is judged as soon as there is a line of it.
    #[arg(
        long,
        value_name = "PARTITION",
        value_delimiter = ',',
        hide_possible_values = true,
        conflicts_with_all = ["out", "verdicts", "compress", "split_size", "force", "per_input", "shard"]
    )]
    pub only: Vec<Only>,
    /// Write one table of all lines after their verdicts
    ///
    /// One file, verdicts.tsv, instead of partitions: every line in its order, after a column for each --agent that says
    /// allowed, blocked, deferred or invalid. Without --out it goes to standard output.
    #[arg(long)]
    pub verdicts: bool,
    /// Judge and count, write nothing, and print the numbers
    #[arg(long, conflicts_with_all = ["out", "only", "verdicts", "compress", "split_size", "force", "per_input"])]
    pub count: bool,
    /// With --count, print the receipt
    #[arg(long, requires = "count")]
    pub json: bool,
    /// Tell what blocked each blocked line
    ///
    /// In three columns before it: rule, line (of the robots.txt), captured (when that robots.txt was fetched); empty where
    /// no rule decided, or nobody knows. blocked.txt becomes a table, blocked.tsv, with a head line; in verdicts.tsv the
    /// columns stand after each verdict. A rule of more than 200 bytes is cut, and ends in three dots; in a rule, a tab is
    /// \t, a backslash \\. With --format parquet, the columns are rule, rule_line, agent (of the User-agent line that the
    /// rule stands below) and captured, after verdict and reason; they are null instead of empty, nothing is escaped, and
    /// what is not UTF-8 in a rule is percent-encoded. A sixteenth of --memory (of tables, half of that) is for rules (or, if that is more, what the
    /// two largest groups of rules take for each worker and crawler).
    #[arg(long, conflicts_with = "count")]
    pub explain: bool,
    /// Leave out lines whose URL was there before
    ///
    /// In the same list or an earlier one: of each URL, the first line stays. URLs are the same if they are so byte for byte,
    /// without spaces and control characters around them; lines without a valid URL are never left out. The receipt counts
    /// what was left out. What was seen is kept as hashes of 128 bits in a nameless file in the folder given by --out, or else
    /// in TMPDIR: 24 to 48 bytes a URL, and 72 for the moment in which it grows. It takes no memory but the page cache, so it
    /// should fit there to be fast. With --resume, the lists are read again up to where the run goes on. It does not go with
    /// --shard.
    #[arg(long)]
    pub unique: bool,
    /// The format of the files: text or parquet
    ///
    /// Parquet has a row a line, in a dataset that is partitioned as Hive does it (lines/verdict=allowed/part-0001.parquet and
    /// so on; of several crawlers, lines/crawler=NAME/verdict=allowed), with the column reason, and with --explain four more;
    /// with --verdicts, the column verdict as well (verdicts/part-0001.parquet). Of a Parquet list, all other columns are kept,
    /// but for those that an earlier run added; of any other, the columns are url and, where the URL is not all of it, line.
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_possible_values = true)]
    pub format: OutputFormat,
    /// Compress the files: gzip or zstd
    ///
    /// allowed.txt.gz and so on, made of members (gzip) or frames (Zstandard), which every tool reads as one text.
    #[arg(long, requires = "out", value_name = "FORMAT", hide_possible_values = true)]
    pub compress: Option<Compress>,
    /// Cut the files into numbered ones of at most this size
    ///
    /// allowed.0001.txt, or part-0001.parquet, and so on. Lines are not cut, of compressed files neither are members or frames, nor are row groups
    /// of tables: a file has one at least. Sizes are such as 64k, 1GiB (2^30; 1G is the same) or 1GB (10^9).
    #[arg(long, requires = "out", value_name = "SIZE", value_parser = bytes)]
    pub split_size: Option<u64>,
    /// Give each list partitions of its own
    ///
    /// In a folder named by the list's number and name.
    #[arg(long, requires = "out")]
    pub per_input: bool,
}

/// A partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Only {
    Allowed,
    Blocked,
    Deferred,
    Invalid,
}

impl From<Only> for Partition {
    fn from(only: Only) -> Partition {
        match only {
            Only::Allowed => Partition::Allowed,
            Only::Blocked => Partition::Blocked,
            Only::Deferred => Partition::Deferred,
            Only::Invalid => Partition::Invalid,
        }
    }
}

/// A format of files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    Text,
    Parquet,
}

impl From<OutputFormat> for Format {
    fn from(format: OutputFormat) -> Format {
        match format {
            OutputFormat::Text => Format::Text,
            OutputFormat::Parquet => Format::Parquet,
        }
    }
}

/// How files are compressed.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Compress {
    #[value(alias = "gz")]
    Gzip,
    #[value(alias = "zst")]
    Zstd,
}

impl From<Compress> for FrameFormat {
    fn from(compress: Compress) -> FrameFormat {
        match compress {
            Compress::Gzip => FrameFormat::Gzip,
            Compress::Zstd => FrameFormat::Zstd,
        }
    }
}

impl OutputArgs {
    /// Makes sure that no option does nothing.
    pub fn check(&self) -> Result<(), Failure> {
        if self.out.is_none() && self.only.is_empty() && !self.verdicts && !self.count {
            return Err(Failure::NoOutput);
        }
        if self.explain && !self.only.is_empty() && !self.only.contains(&Only::Blocked) {
            return Err(Failure::NothingBlocked);
        }
        match (self.format, &self.out, self.compress) {
            (OutputFormat::Text, ..) | (_, Some(_), None) => Ok(()),
            (OutputFormat::Parquet, None, _) => Err(Failure::TableWithoutFolder),
            (OutputFormat::Parquet, Some(_), Some(_)) => Err(Failure::CompressedTable),
        }
    }

    /// Whether lines are printed on the standard output.
    pub fn prints_lines(&self) -> bool {
        matches!(self.destination(), Some(Destination::Pipe(_)))
    }

    /// Where lines go, unless they are only counted.
    pub fn destination(&self) -> Option<Destination> {
        let Some(directory) = self.out.clone() else {
            let only: Vec<Partition> = self.only.iter().map(|only| (*only).into()).collect();
            let only = (!only.is_empty()).then_some(Pipe::Only(only));
            return only.or(self.verdicts.then_some(Pipe::Verdicts)).map(Destination::Pipe);
        };
        Some(Destination::Folder(Folder {
            directory,
            form: if self.verdicts { Form::Verdicts } else { Form::Partitions },
            format: self.format.into(),
            compress: self.compress.map(FrameFormat::from),
            split_size: self.split_size,
            force: self.force,
            per_input: self.per_input,
        }))
    }
}
