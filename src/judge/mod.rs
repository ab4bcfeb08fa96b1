//! Judges lines: finds the outcome of each, and its cause.
//!
//! The lines of a chunk get their outcomes, each a partition and a reason, in `batch`, the hot path; `slow` is the plain
//! definition of the same. `decision` decides about an origin before a path is looked at, `place` sorts lines into the pieces
//! of their partitions.

pub(crate) mod batch;
pub(crate) mod decision;
mod error;
pub(crate) mod explain;
pub(crate) mod isa;
pub(crate) mod lines;
pub(crate) mod matcher;
pub(crate) mod place;
mod plain;
mod routes;
pub(crate) mod rule_set;
pub(crate) mod scratch;
mod slow;
pub(crate) mod sorted;
pub(crate) mod space;
mod steps;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
mod text_urls;
pub(crate) mod urls;
pub(crate) mod view;

pub use decision::{Choices, Fallback, MaxAge};
pub use error::MatcherError;
pub use explain::{Cause, Explainer};
pub use matcher::Matcher;
pub use rule_set::{KeptRecord, RuleSet};
pub use scratch::Scratch;
pub use tally::{Tally, line_hash};
pub use view::Judge;
