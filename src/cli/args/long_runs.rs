//! The arguments of runs that take long.

use clap::value_parser;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::units::bytes;
use super::workers::workers;
use crate::input::Shard;
use crate::run::LongRun;

/// The seconds of a day.
const DAY: u64 = 86_400;

/// The options of long runs: shards, resuming, budgets.
#[derive(Debug, clap::Args)]
pub struct LongRunArgs {
    /// Go on where a run into --out was interrupted, or begin
    ///
    /// Goes on after Ctrl-C, a full disk, a lost machine; begins if there is no run yet; does nothing if it is complete. The
    /// lists, the policy and all options must be those that it was begun with, but for --threads; --now is. The files become
    /// the same, byte for byte, as without the interruption.
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,
    /// Go on without what cannot be read of lists
    ///
    /// All of a list that cannot be opened, the rest of one that is damaged or cut short, the rest of a damaged row group of
    /// Parquet. The line that is cut by damage is left out. What was read before the damage showed is judged: a checksum
    /// tells only at the end of a gzip member, a Zstandard frame or a bzip2 stream, so the last lines before the damage may
    /// be other ones than they were. With --format parquet, all columns of a Parquet list are tried first, which takes
    /// longer. The receipt counts and names each part that is left out, and each is a warning on the standard error. Lists
    /// none of which can be opened are an error all the same, and so is one that is changed while it is read. It may be given
    /// to a run that goes on with --resume, too.
    #[arg(long)]
    pub skip_bad: bool,
    /// Read only the I-th of N equal parts of the lists
    ///
    /// For the tasks of an array job, each with a folder of its own: `robosieve join` puts the receipts together, and proves
    /// that nothing is missing. A line is in the part where it begins; a list that is compressed, or a Parquet file, is read whole
    /// by the part that its middle is in, so give several of them. The lists must be files, and --now must be the same for all
    /// parts.
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
    /// The memory budget, such as 512M or 2GiB
    ///
    /// For what the run allocates on purpose: workers and their chunks, the longest line, the window of a decompressor,
    /// origins until they go to disk, robots.txt files that are compiled at a time, rules kept for --explain. With less,
    /// chunks are smaller, and so are row groups; where not all workers have room, there are fewer: 1 GiB has room for 16 of
    /// one crawler, for 4 with --format parquet, for 8 with --explain. A line or the window of a Zstandard list that has no
    /// room is an error. Files that are mapped do not count: the system can take their memory back. Not bounded are what is
    /// known of the origins of --robots until their policy is made, some 600 bytes each (give --policy instead), some 4 KiB
    /// for each list, and what a Parquet file made for it claims; a control group or ulimit bounds these.
    #[arg(long, default_value = "1G", value_name = "SIZE", value_parser = bytes)]
    pub memory: u64,
    /// Workers [default: one for each processor]
    ///
    /// Files do not depend on how many there are.
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
    /// How often what is done is made durable, in seconds
    ///
    /// A run can be resumed from there; less often if the disk is slow. A run that reads standard input or a pipe cannot be
    /// resumed.
    #[arg(long, requires = "out", default_value_t = 5, value_name = "SECONDS", hide_short_help = true,
        value_parser = value_parser!(u64).range(..=DAY))]
    pub checkpoint: u64,
    /// Bytes of a chunk of lines, the unit of work
    ///
    /// With --format parquet, of the URLs alone; row groups are made of one or more [default: 1M, with --format parquet 12M; less
    /// where --memory has no room for that].
    #[arg(long, value_name = "SIZE", value_parser = bytes, hide_short_help = true)]
    pub chunk_size: Option<u64>,
}

impl LongRunArgs {
    /// The same for the library, for a run that stops once `interrupt` is set.
    pub fn long_run(&self, interrupt: Option<Arc<AtomicBool>>) -> LongRun {
        let LongRunArgs { shard, resume, skip_bad, memory, .. } = *self;
        LongRun { shard, resume, skip_bad, checkpoint: Duration::from_secs(self.checkpoint), interrupt, memory }
    }
}
