//! The arguments of commands about receipts.

use clap::ValueHint;
use std::path::PathBuf;

use super::workers::workers;

/// Prove the receipt of a run again
///
/// Reads every file that the receipt in DIR speaks of and computes its lines, bytes and checksums again, and makes sure
/// that the receipt fits together: partitions, lists and reasons each add up to the input. Of tables (Parquet) it proves
/// the lines, or the URLs of rows, and their verdicts, and not what stands in the other columns. Exits with 0 if everything is
/// as the receipt says, with 1 if not (the table says which file is changed, damaged or missing), and with 2 if the receipt
/// itself cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve verify split
  robosieve verify split --inputs")]
pub struct VerifyArgs {
    /// The folder that a run wrote to
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    /// Read the lists again, too
    ///
    /// Their paths are those that the run was given, so relative ones count from where it was started. What came through
    /// standard input or a pipe is not there any more, and its line of the table says so. What --skip-bad left out is left out
    /// again.
    #[arg(long)]
    pub inputs: bool,
    /// Workers [default: one for each processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
}

/// Put the receipts of all shards of a job together
///
/// Makes sure that the folders are those of all runs with --shard of one job: the same lists, policy and options, each
/// part once, no line left out or read twice. Writes a receipt for all of them to the folder given by --out, with the
/// checksums that an undivided run has, and robots-needed.tsv with each origin once. The partitions stay where they are;
/// with --concat they are copied into one. The receipt names the folders as seen from its own, so that all of them can be
/// moved together. Exits with 0 if that is done, and with 2 if something is missing or does not
/// fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve join --out all part-*
  robosieve join --out all --concat part-*")]
pub struct JoinArgs {
    /// The folder for the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Copy the partitions, too: one after the other they are those of an undivided run
    ///
    /// Texts become one file each; tables stay the files that they are, with numbers that follow each other.
    #[arg(long)]
    pub concat: bool,
    /// Replace the files of an earlier run in the folder given by --out
    #[arg(long)]
    pub force: bool,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// The folders of the shards, in any order
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
}
