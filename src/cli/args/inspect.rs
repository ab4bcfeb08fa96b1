//! The arguments of `inspect`.

use crate::robots::Agents;
use clap::ValueHint;

use super::policy::PolicyFileArgs;

/// Show what a policy file contains, or its entry for one origin
///
/// Without an origin: the statuses of the origins, their groups, how much of their lifetime is left, the overrides,
/// and the size of each section of the file. With an origin: its state, and for each crawler the group that was chosen
/// and why, its rules with line numbers, its crawl delay, and its other records. Exits with 0 on success, with 1 if the
/// policy has no entry for the origin, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve inspect policy.rsv
  robosieve inspect policy.rsv https://example.com/some/page
  robosieve inspect policy.rsv --json | jq .lifetimes
  robosieve inspect policy.rsv https://example.com --agent examplebot --dot | dot -Tsvg > automaton.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL on it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// Show only this crawler: one that the policy was compiled for, or a list of them in order of preference [default:
    /// all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// Print one JSON object, or null if the origin has no entry
    #[arg(long)]
    pub json: bool,
    /// Print the automaton of the crawler's group in Graphviz's DOT language
    #[arg(long, requires = "origin", conflicts_with_all = ["json", "now"])]
    pub dot: bool,
    /// The maximum length of lists, such as the most shared groups and the origins with overrides
    #[arg(long, default_value_t = 10, value_name = "N", conflicts_with = "origin")]
    pub top: usize,
    /// The time at which ages are judged, as RFC 3339 [default: the time of the run]
    #[arg(long, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
}
