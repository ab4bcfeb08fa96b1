//! Where the lines of a run go, and how they are written.

use clap::{ValueEnum, ValueHint};
use std::path::PathBuf;

use super::super::failure::Failure;
use robosieve::outcome::Partition;
use robosieve::output::{Form, Format, FrameFormat};
use robosieve::run::{Destination, Folder, Pipe};

/// Where the lines of a run go, and how they are written.
#[derive(Debug, clap::Args)]
pub struct OutputArgs {
    /// The folder for the partitions and the receipt
    #[arg(
        long,
        value_name = "DIR",
        required_unless_present_any = ["count", "only", "verdicts"],
        value_hint = ValueHint::DirPath
    )]
    pub out: Option<PathBuf>,
    /// Judge and count, but write nothing; the receipt goes to standard output
    #[arg(long, conflicts_with_all = ["out", "only", "verdicts", "compress", "split_size", "force", "per_input"])]
    pub count: bool,
    /// Write the lines of one partition to standard output, in their order, and nothing else: to stand in a pipe, as grep
    /// does. What a stream gives is judged as soon as there is a line of it
    #[arg(
        long,
        value_name = "PARTITION",
        conflicts_with_all = ["out", "verdicts", "compress", "split_size", "force", "per_input", "shard"]
    )]
    pub only: Option<Only>,
    /// Write one file, verdicts.tsv, instead of partitions: every line in its order, after a column for each --agent that
    /// says allowed, blocked, deferred or invalid. Without --out it goes to standard output
    #[arg(long)]
    pub verdicts: bool,
    /// What the files of lines are: text, or Parquet (allowed.parquet and so on), a row a line, with the columns verdict and
    /// reason, and with --explain four more. Of a Parquet list, all other columns are kept; of any other, the columns are url
    /// and, where the URL is not all of it, line
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub format: OutputFormat,
    /// Tell what blocked each blocked line, in three columns before it: rule, line (of the robots.txt), captured (when that
    /// robots.txt was fetched); empty where no rule decided, or nobody knows. blocked.txt becomes a table, blocked.tsv, with
    /// a head line; in verdicts.tsv the columns stand after each verdict. A rule of more than 200 bytes is cut, and ends in
    /// three dots; in a rule, a tab is \t, a backslash \\. With --format parquet, the columns are rule, rule_line, agent (of
    /// the User-agent line that the rule stands below) and captured, after verdict and reason; they are null instead of
    /// empty, nothing is escaped, and what is not UTF-8 in a rule is percent-encoded.
    /// It costs 1 to 6 microseconds of a core for each blocked line, and a sixteenth of --memory is for rules (or, if that is
    /// more, what the two largest groups of rules take for each worker and crawler)
    #[arg(long, conflicts_with = "count")]
    pub explain: bool,
    /// Leave out lines whose URL was there before, in the same list or an earlier one: of each, the first line stays. URLs are
    /// the same if they are so byte for byte, without spaces and control characters around them; lines without a valid URL
    /// are never left out. The receipt counts what was left out. What was seen is kept as hashes of 128 bits in a nameless file in the folder
    /// given by --out, or else in TMPDIR: 24 to 48 bytes a URL, and 72 for the moment in which it grows. It takes no
    /// memory but the page cache, so it should fit there to be fast. With --resume, the lists are read again up to where the
    /// run goes on. It does not go with --shard
    #[arg(long)]
    pub unique: bool,
    /// Compress the files of lines: allowed.txt.gz and so on. They are made of members (gzip) or frames (Zstandard), which
    /// every tool reads as one text
    #[arg(long, requires = "out", value_name = "FORMAT")]
    pub compress: Option<Compress>,
    /// Cut the files of lines into numbered ones, allowed.0001.txt and so on, of so many bytes at most (k, M and G are
    /// powers of 1024). Lines are not cut, of compressed files neither are members or frames, nor are row groups of tables:
    /// a file has one at least
    #[arg(long, requires = "out", value_name = "BYTES", value_parser = bytes)]
    pub split_size: Option<u64>,
    /// Replace the files of an earlier run in the folder given by --out
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Give each list partitions of its own, in a folder named by its number and name
    #[arg(long, requires = "out")]
    pub per_input: bool,
}

/// A partition.
#[derive(Debug, Clone, Copy, ValueEnum)]
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

/// What files are.
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
    /// gzip
    Gz,
    /// Zstandard
    Zst,
}

impl From<Compress> for FrameFormat {
    fn from(compress: Compress) -> FrameFormat {
        match compress {
            Compress::Gz => FrameFormat::Gzip,
            Compress::Zst => FrameFormat::Zstd,
        }
    }
}

/// A number of bytes: `500`, `64k`, `100M`, `2G`.
pub(super) fn bytes(given: &str) -> Result<u64, String> {
    let (digits, unit) = match given.find(|c: char| !c.is_ascii_digit()) {
        Some(at) => given.split_at(at),
        None => (given, ""),
    };
    let factor: u64 = match unit {
        "" => 1,
        "k" | "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => return Err("a number of bytes is wanted, such as 500, 64k, 100M or 2G".to_owned()),
    };
    let number: u64 =
        digits.parse().map_err(|error| format!("{error}; wanted is a number such as 500, 64k or 100M"))?;
    number
        .checked_mul(factor)
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| "that is no size that anything can have".to_owned())
}

impl OutputArgs {
    /// Makes sure that no option does nothing.
    pub fn check(&self) -> Result<(), Failure> {
        match self.only {
            Some(Only::Allowed | Only::Deferred | Only::Invalid) if self.explain => {
                return Err(Failure::NothingBlocked);
            }
            _ => {}
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
            let only = self.only.map(|only| Pipe::Only(only.into()));
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
