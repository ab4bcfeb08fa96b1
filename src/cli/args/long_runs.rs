//! The arguments of runs that take long.

use robosieve::filter::Shard;

/// What makes a long run many runs, or one that can be left alone.
#[derive(Debug, clap::Args)]
pub struct LongRunArgs {
    /// Read only the I-th of N equal parts of the lists, for the tasks of an array job, each with a folder of its own:
    /// `robosieve join` puts the receipts together, and proves that nothing is missing. A line is in the part where it
    /// begins. The lists must be files that are not compressed, and --now must be the same for all parts
    #[arg(long, requires = "out", requires = "now", value_name = "I/N")]
    pub shard: Option<Shard>,
}
