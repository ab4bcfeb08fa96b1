//! The arguments of `merge`.

use std::path::PathBuf;

/// Merge two policy files, keeping the newer entry of each origin
///
/// Updates a policy with the captures of a day, for example, without its old sources. For each origin, the entry with
/// the newer last answer wins; NEW wins if both have the same time or neither has one. A failure erases no rules: the
/// newest good answer of both files is kept with it. A redirect that could not be resolved in NEW is not looked up in
/// OLD; its origin keeps the last good answer too. For each origin, an override in NEW wins over one in OLD. The files
/// must be for the same crawlers, in the same order, and of the same dialect.
///
/// The counts in the result are those of the merged policy. Parts dropped from robots.txt files, or passed over on the
/// way, are counted only in the two input files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  robosieve merge policy.rsv today.rsv -o policy.rsv")]
pub struct MergeArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer policy file
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The policy file to write; may be OLD
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Print nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
