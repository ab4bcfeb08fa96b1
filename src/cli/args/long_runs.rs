//! The arguments for long runs.

use clap::ValueEnum;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::values::{bytes, number_up_to, workers};
use crate::input::Shard;
use crate::run::LongRun;

/// Seconds in a day.
const DAY: usize = 86_400;

/// The options for long runs: shards, resuming, budgets.
#[derive(Debug, clap::Args)]
pub struct LongRunArgs {
    /// Resume the interrupted run in --out, or start a new one
    ///
    /// Continues after Ctrl-C, a full disk or a lost machine, starts if there is no run yet, and does nothing if the
    /// run is complete. The lists, the policy and all options that affect the files must be the same as at the start;
    /// --threads may differ, and --now need not be repeated. The files become the same, byte for byte, as without the
    /// interruption.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,
    /// Skip parts of lists and sources that cannot be read
    ///
    /// In the sources given by --robots, passes over what `compile --skip-bad` does.
    ///
    /// Skips a list that cannot be opened, the rest of one that is damaged or truncated, and the rest of a damaged row
    /// group of Parquet. A line cut by damage is skipped, too. Lines read before the damage was detected are judged: a
    /// checksum comes only at the end of a gzip member, a Zstandard frame or a bzip2 stream, so the last lines before
    /// the damage may be corrupt. With --format parquet, all columns of a Parquet list are checked first, which takes
    /// longer. The receipt counts and names each skipped part, and each is a warning on standard error. It is still an
    /// error if none of the lists can be opened, or if a list changes while it is read. The option may also be added
    /// when a run is resumed with --resume.
    #[arg(long)]
    pub skip_bad: bool,
    /// Read only the I-th of N equal parts of the lists
    ///
    /// For the tasks of an array job, each with its own folder; `robosieve join` combines the receipts and proves that
    /// nothing is missing. A line belongs to the part in which it begins. A compressed list or a Parquet file is read
    /// whole by the part that contains its middle, so provide several of them. The lists must be files, and --now must
    /// be the same for all parts.
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
    /// The memory budget, such as 512M or 2GiB
    ///
    /// Covers what the run allocates on purpose: workers and their chunks, the longest line, the window of a
    /// decompressor, origins until they go to disk, robots.txt files being compiled, and rules kept for --explain. With
    /// less, chunks and row groups are smaller, and there are fewer workers if not all fit: 1 GiB holds 16 for one
    /// crawler, 4 with --format parquet, 8 with --explain. A line or the window of a Zstandard list that does not fit
    /// is an error. Memory-mapped files do not count: the system can reclaim their memory. Not bounded are about 4 KiB per
    /// list, and what a crafted Parquet file can claim; a control group or ulimit bounds these.
    #[arg(long, default_value = "1G", value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// The number of worker threads [default: one per processor]
    ///
    /// The files do not depend on it.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers)]
    pub threads: usize,
    /// The number of seconds between checkpoints
    ///
    /// A checkpoint makes the work so far durable, so that the run can be resumed from there. They are less frequent if
    /// the disk is slow. A run that reads standard input or a pipe cannot be resumed.
    #[arg(long, requires = "out", default_value_t = 5, value_name = "SECONDS", hide_short_help = true,
        value_parser = seconds)]
    pub checkpoint: u64,
    /// The size in bytes of a chunk of lines, the unit of work
    ///
    /// With --format parquet, only the URLs count, and a row group consists of one or more chunks [default: 1M, or 12M
    /// with --format parquet; less if --memory has no room for that].
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true)]
    pub chunk_size: Option<u64>,
}

impl LongRunArgs {
    /// Converts to the library's type, for a run that stops once `interrupt` is set.
    pub fn long_run(&self, interrupt: Option<Arc<AtomicBool>>) -> LongRun {
        let LongRunArgs { shard, resume, skip_bad, memory, .. } = *self;
        LongRun { shard, resume, skip_bad, checkpoint: Duration::from_secs(self.checkpoint), interrupt, memory }
    }
}

/// The options for progress and logs.
#[derive(Debug, clap::Args)]
pub struct WatchingArgs {
    /// Print nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Print more
    ///
    /// Shows the policy and the lists, the reasons with each line of progress, and the parts dropped from robots.txt
    /// files. JSON always has all of it.
    #[arg(short, long)]
    pub verbose: bool,
    /// The format of standard error: text or json
    ///
    /// Text is for people: a bar on a terminal, otherwise lines. JSON is for machines: an object per line, with `event`
    /// start, resume, policy, progress, warning, finish, interrupted or error.
    #[arg(long, default_value = "text", value_name = "FORMAT", hide_possible_values = true)]
    pub log: Log,
    /// The interval between lines of progress if there is no bar
    ///
    /// A duration such as 30s or 5m. A run that is shorter prints none.
    #[arg(long, hide_short_help = true, default_value = "10s", value_name = "DURATION", value_parser = interval)]
    pub progress_every: Duration,
    /// Write the metrics of the run to a file for Prometheus
    ///
    /// The file is in Prometheus's text format, for a textfile collector. It is rewritten every five seconds, or as
    /// often as --progress-every if that is shorter, and once more when the run ends, even in failure. It cannot be in
    /// the folder given by --out.
    #[arg(long, value_name = "FILE")]
    pub metrics: Option<PathBuf>,
}

/// The format of standard error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Log {
    Text,
    Json,
}

/// Parses the number of seconds between checkpoints.
fn seconds(given: &str) -> Result<u64, String> {
    number_up_to(given, DAY).map(|seconds| seconds as u64)
}

fn interval(given: &str) -> Result<Duration, String> {
    // jiff accepts fractions, too: 0.5s, 100ms.
    let wanted = |_: jiff::Error| "expected a duration, such as 30s or 5m".to_owned();
    let duration: jiff::SignedDuration = given.parse().map_err(wanted)?;
    match Duration::try_from(duration) {
        // Longer than any run, but short enough to add to an `Instant`.
        Ok(duration) if !duration.is_zero() => Ok(duration.min(Duration::from_secs(1 << 32))),
        _ => Err("expected a duration above zero, such as 30s".to_owned()),
    }
}
