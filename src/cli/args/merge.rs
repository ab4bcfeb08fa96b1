//! The arguments of `merge`.

use std::path::PathBuf;

/// Merge two policy files into one, with the newest entry of each origin
///
/// So a day's captures update a policy without its old sources. Of each origin the entry counts whose last answer is
/// newer, that of NEW where both are of one time or have none. A failure erases no rules: the newest good answer of both
/// files stands beside it. A redirect that could not be resolved in NEW is not looked for in OLD; its origin keeps the last
/// good answer too. What the operator says of an origin in NEW counts, else what OLD has. The files must be for the same
/// crawlers, in the same order, and of one dialect.
///
/// Counts are those of the policy that results: of what was dropped from robots.txt files, or passed over on the way, the
/// two files tell themselves.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  robosieve merge policy.rsv today.rsv -o policy.rsv")]
pub struct MergeArgs {
    /// The older policy file
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// The newer one
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
    /// The policy file that is made; it may be OLD
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Say nothing but errors
    #[arg(short, long)]
    pub quiet: bool,
}
