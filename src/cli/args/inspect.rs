//! The arguments of `inspect`.

use crate::robots::Agents;
use clap::ValueHint;

use super::policy::PolicyFileArgs;

/// Say what is in a policy file, or what it knows of an origin
///
/// Without an origin: how the origins stand, which groups they have, how much of their lifetime is left, what the operator
/// says, and how large the parts of the file are. With one: its state, and for each crawler the group that was chosen, why,
/// its rules with their lines, its crawl delay, and what else stands beside them. Exits with 0, with 1 if the policy has
/// no entry for the origin, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve inspect policy.rsv
  robosieve inspect policy.rsv https://example.com/some/page
  robosieve inspect policy.rsv --json | jq .lifetimes
  robosieve inspect policy.rsv https://example.com --agent examplebot --dot | dot -Tsvg > automaton.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL of it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// Only this crawler: one that the policy was compiled for, or a list of them in order of preference
    /// [default: all of them]
    #[arg(long, value_name = "NAME")]
    pub agent: Option<Agents>,
    /// Print one JSON object; without an entry for the origin, null
    #[arg(long)]
    pub json: bool,
    /// Print the automaton of the crawler's group in Graphviz's language
    #[arg(long, requires = "origin", conflicts_with = "json")]
    pub dot: bool,
    /// How many entries lists have: of the most shared groups, and of the origins that the operator has something to say of
    #[arg(long, default_value_t = 10, value_name = "N", conflicts_with = "origin")]
    pub top: usize,
    /// The time that age is judged at, as RFC 3339 [default: the time of the run]
    #[arg(long, value_name = "TIME")]
    pub now: Option<jiff::Timestamp>,
}
