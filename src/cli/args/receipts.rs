//! The arguments of commands about receipts.

use clap::ValueHint;
use std::path::PathBuf;

use super::values::workers;

/// Verify the receipt of a run
///
/// Reads every file that the receipt in DIR names and recomputes its lines, bytes and checksums, and checks that the
/// receipt is consistent: partitions, lists and reasons each add up to the input. For tables (Parquet) it proves the
/// lines, or the URLs of rows, and their verdicts, but not the contents of the other columns. Exits with 0 if
/// everything matches the receipt, with 1 if not (the table shows which file is changed, damaged or missing), and with
/// 2 if the receipt itself cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve verify split
  robosieve verify split --inputs")]
pub struct VerifyArgs {
    /// The output folder of the run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub directory: PathBuf,
    /// Read the lists again, too
    ///
    /// Their paths are those given to the run, so relative ones count from where it was started. A list that came
    /// through standard input or a pipe is gone, and its line of the table says so. Parts skipped by --skip-bad are
    /// skipped again.
    #[arg(long)]
    pub inputs: bool,
    /// The number of worker threads [default: one per processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N", value_parser = workers())]
    pub threads: usize,
}

/// Combine the receipts of all shards of a job
///
/// Checks that the folders are those of all runs with --shard of one job: the same lists, policy and options, each part
/// once, no line left out or read twice. Writes one receipt for all of them to the folder given by --out, with the
/// checksums of an undivided run, and robots-needed.tsv with each origin once. The partitions stay where they are; with
/// --concat they are copied into one. The receipt names the folders relative to its own, so that all of them can be
/// moved together. Exits with 0 on success, and with 2 if something is missing or does not fit.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve join --out all part-*
  robosieve join --out all --concat part-*")]
pub struct JoinArgs {
    /// The folder for the receipt
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub out: PathBuf,
    /// Copy the partitions, too, so that they are those of an undivided run
    ///
    /// Texts become one file each; tables remain separate files, numbered consecutively.
    #[arg(long)]
    pub concat: bool,
    /// Replace the files of an earlier run in the folder given by --out
    #[arg(long)]
    pub force: bool,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
    /// The folders of the shards, in any order
    #[arg(required = true, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub shards: Vec<PathBuf>,
}
