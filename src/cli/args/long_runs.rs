//! The arguments of runs that take long.

use clap::value_parser;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::output::octets;
use robosieve::filter::{LongRun, Shard};

/// The seconds of a day.
const DAY: u64 = 86_400;

/// What makes a long run many runs, or one that can be left alone.
#[derive(Debug, clap::Args)]
pub struct LongRunArgs {
    /// Read only the I-th of N equal parts of the lists, for the tasks of an array job, each with a folder of its own:
    /// `robosieve join` puts the receipts together, and proves that nothing is missing. A line is in the part where it
    /// begins. The lists must be files that are not compressed, and --now must be the same for all parts
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
    /// Go on with the run in the folder given by --out where it was interrupted, by Ctrl-C, a full disk, a lost machine;
    /// or begin, if there is none, or do nothing, if it is complete. The lists, the policy and all options must be those
    /// that it was begun with, but for --threads; --now is. The files become the same, octet for octet, as without the
    /// interruption
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,
    /// Leave out what cannot be read of a list, and go on: all of one that cannot be opened; the rest of one that is
    /// damaged or gives a read error, but for gzip members, Zstandard frames and bzip2 streams behind it that are whole;
    /// the rest of a row group of Parquet. With --format parquet, where all columns of such a list are needed, all are
    /// tried first, which takes longer, and of a damaged row group only the rows of the chunk that the damage is in are
    /// left out: a smaller --chunk-size loses fewer. Behind a thousand such places in one list, or ten thousand in all, the
    /// rest of a list is left out at the next one. Lines that were cut by damage are not judged. What was read before the
    /// damage showed is: a checksum tells only at the end of a member, if it has one, so lines of a damaged one, up to all
    /// of it, may be other ones than they were. Of a list that is cut short while it is read, the rest is left out. The
    /// receipt has each part that was left out, with its place and the reason, and each is a warning on the standard error;
    /// lists none of which can be opened are an error all the same, and so is one that is changed otherwise while it is
    /// read. It may be given to a run that goes on with --resume, too
    #[arg(long)]
    pub skip_bad: bool,
    /// How often what is done is made durable, so that a run can be resumed from there; less often if the disk is slow. A
    /// run that reads standard input or a pipe cannot be resumed
    #[arg(long, requires = "out", default_value_t = 5, value_name = "SECONDS", value_parser = value_parser!(u64).range(..=DAY))]
    pub checkpoint: u64,
    /// How much memory the run may take beside the files that are mapped, which the system can take back (k, M and G are
    /// powers of 1024). With less, chunks are smaller, and so are row groups; where not all workers have room, there are
    /// fewer: 1 GiB has room for 16 of one crawler, for 4 with --format parquet, for 8 with --explain. Origins that wait go
    /// to disk earlier; a line, the window of a Zstandard list or the pages of a Parquet list that have no room are an
    /// error. What is known of the origins of --robots until their policy is made, some 600 octets each, and of the revisits
    /// of WARC archives, has three quarters of it, before lists are read; where that is too little, it is an error, so
    /// `compile` first if there are many. So is a robots.txt of some MiB whose rules may take more than is left while they
    /// are compiled. A file of --overrides may have as many octets as a 256th part of it, and its replacements together a
    /// sixteenth. Of lists, paths, head lines, footers, totals and what came of pipes are counted: some 4 KiB for each list,
    /// and 2 KiB more for each further crawler. The receipt or checkpoint of an earlier run, which is read to be replaced or
    /// to go on, may have five eighths of it; those of the same lists are shorter
    #[arg(long, default_value = "1G", value_name = "BYTES", value_parser = octets)]
    pub memory: u64,
}

impl LongRunArgs {
    /// The same for the library, for a run that stops once `interrupt` is set.
    pub fn long_run(&self, interrupt: Option<Arc<AtomicBool>>) -> LongRun {
        let LongRunArgs { shard, resume, skip_bad, memory, .. } = *self;
        LongRun { shard, resume, skip_bad, checkpoint: Duration::from_secs(self.checkpoint), interrupt, memory }
    }
}
