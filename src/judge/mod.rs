//! Judges lines: finds the outcome of each, and its cause.
//!
//! The lines of a chunk get their outcomes, each a partition and a reason, in `batch`, the hot path; `slow` is the plain
//! definition of the same. `place` sorts lines into the pieces of their partitions.
//!
//! A line's partition is decided in one of these places:
//!
//! - by the state of its origin: `decision`, before a path is looked at; `Routes` in `view` has the same decisions in a table by
//!   class of origin, from which `steps` reads them; what the operator says of a status is
//!   looked up in `said`;
//! - by rules: `judge_path` in `slow`; in the hot path, the front and, for the few paths that pass it, the walk in `steps`;
//!   `blocked` in `slow` allows `/robots.txt` whatever they say;
//! - by what the run requires of preferences, for lines that are allowed so far: `required`, after all lines were judged;
//! - for an origin that the policy does not know: `unfetched` in `decision`;
//! - for a URL that is not valid: `From<InvalidUrl>` in `outcome.rs`;
//! - for a line in which its layout finds no URL: `run/worker.rs`.

pub(crate) mod batch;
pub(crate) mod batch_arrays;

mod changed;
#[cfg(test)]
#[cfg(unix)]
mod changing;
pub(crate) mod choices;
pub(crate) mod decision;
mod error;
pub(crate) mod explain;
mod fallback;
pub(crate) mod isa;
pub(crate) mod lines;
pub(crate) mod matcher;
mod matchers;
mod others;
pub(crate) mod outcomes;
mod page_preferences;
pub(crate) mod place;
mod preferred;
pub(crate) mod preferred_lines;
pub(crate) mod refusals;
pub(crate) mod required;
pub(crate) mod rule_set;
mod said;
pub(crate) mod same_url;
pub(crate) mod scratch;
mod slow;
mod statuses;
mod steps;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
pub(crate) mod urls;
pub(crate) mod view;

pub use choices::{Choices, MaxAge};
pub use error::{MatcherError, MaxAgeError, StatusProblem, StatusesError};
pub use explain::{Cause, Explainer};
pub use fallback::Fallback;
pub use matcher::Matcher;
pub use matchers::Matchers;
pub use outcomes::{AllowedIf, Outcomes};
pub use page_preferences::PagePreferences;
pub use refusals::{Refusals, Refused};
pub use rule_set::{KeptRecord, RuleSet};
pub use same_url::{NoKey, SameUrl};
pub use scratch::Scratch;
pub use statuses::Statuses;
pub use tally::{Tally, line_hash};
pub use urls::UrlCounts;
pub use view::Judge;
