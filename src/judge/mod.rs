//! Judges lines: finds the outcome of each, and its cause.
//!
//! `batch`, the hot path, finds the outcomes of a chunk's lines, each a partition and a reason; `slow` is their plain
//! definition. `pieces` sorts lines into the pieces of their partitions.
//!
//! A line's partition is decided in one of these places:
//!
//! - by the state of its origin: `decision`, before a path is examined; `view` has the same decisions in a
//!   table by class of origin, from which `steps` reads them; `choices` has the operator's meanings of statuses;
//! - by rules: `judge_path` in `slow`; in the hot path, the front and, for the few paths that pass it, the walk in `steps`;
//! - by the path `/robots.txt`, which takes precedence over everything but overrides: `unless_always_allowed` in `slow`
//!   allows it;
//! - by the preferences that the run requires, for lines that are allowed so far: `required`, in `batch::judge`, after
//!   the lines of a call were judged;
//! - for an origin that is not in the policy: `unfetched` in `decision`;
//! - for a URL that is not valid: `From<InvalidUrl>` in `outcome.rs`;
//! - for a line without a URL by its layout: `find_outcomes` in `run/worker.rs`.

pub(crate) mod batch;

#[cfg(test)]
#[cfg(all(feature = "batch", unix))]
mod changing;
pub(crate) mod choices;
#[cfg(feature = "batch")]
pub(crate) mod choices_text;
pub(crate) mod decision;
pub(crate) mod explain;
pub(crate) mod isa;
#[cfg(feature = "batch")]
pub(crate) mod line_keys;
#[cfg(feature = "batch")]
pub(crate) mod line_urls;
pub(crate) mod lines;
mod live;
pub(crate) mod matcher;
mod others;
pub(crate) mod outcomes;
pub(crate) mod pieces;
mod preferred;
pub(crate) mod required;
pub(crate) mod rule_set;
pub(crate) mod same_url;
pub(crate) mod scratch;
mod slow;
mod steps;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
pub(crate) mod urls;
pub(crate) mod view;

pub use choices::{Choices, Fallback, MaxAge, Statuses};
pub use explain::{Cause, Explainer};
pub use live::LiveMatcher;
pub use matcher::{Matcher, Matchers};
pub use outcomes::{AllowedIf, Outcomes, Refusals, Refused};
pub use preferred::PagePreferences;
pub use rule_set::RuleSet;
pub use same_url::{NoKey, SameUrl};
pub use scratch::Scratch;
pub use tally::{Tally, line_hash};
pub use urls::UrlCounts;
pub use view::JudgeView;
