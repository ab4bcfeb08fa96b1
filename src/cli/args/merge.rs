//! The arguments of `merge`.

use std::path::PathBuf;

/// Merge policy files into one
///
/// The result has the answers of all of them, and is, byte for byte, the policy that `compile` would make of all their sources at
/// once, whatever the order and the number of files. For each URL, the newest answer of each kind is kept, so a failure erases no
/// rules, and redirects are followed anew. Where the overrides of two files contradict each other, the stricter one counts. The
/// files must be for the same crawlers, in the same order, and of the same dialect.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve merge policy.rsv today.rsv -o policy.rsv
  robosieve merge part-*.rsv -o policy.rsv")]
pub struct MergeArgs {
    /// The policy files
    #[arg(value_name = "POLICY", required = true)]
    pub policies: Vec<PathBuf>,
    /// The policy file to write; may be one of those merged
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Replace the overrides of all policies by those in this TOML file
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
