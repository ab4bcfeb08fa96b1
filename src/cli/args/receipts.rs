//! The arguments of commands about receipts.

use std::path::PathBuf;

/// Prove the receipt of a run again
///
/// Reads every file that the receipt in DIR speaks of and computes its lines, octets and checksums again, and makes sure
/// that the receipt fits together: partitions, lists and reasons each add up to the input. Exits with 0 if everything is
/// as the receipt says, with 1 if not (the table says where), and with 2 if something cannot be read.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve verify split
  robosieve verify split --inputs")]
pub struct VerifyArgs {
    /// The folder that a run wrote to
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
    /// Read the lists again, too. Their paths are those that the run was given, so relative ones count from where it was
    /// started. Standard input is not there any more, and its line of the table says so
    #[arg(long)]
    pub inputs: bool,
    /// Workers [default: one for each processor]
    #[arg(long, default_value_t = 0, hide_default_value = true, value_name = "N")]
    pub threads: usize,
}
