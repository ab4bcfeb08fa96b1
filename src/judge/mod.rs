//! What becomes of each line, and why.

pub(crate) mod batch;
pub(crate) mod decision;
pub(crate) mod explain;
pub(crate) mod isa;
pub(crate) mod lines;
pub(crate) mod matcher;
pub(crate) mod place;
mod plain;
pub(crate) mod rule_set;
pub(crate) mod scratch;
pub(crate) mod sorted;
pub(crate) mod space;
mod steps;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
mod text_urls;
pub(crate) mod urls;

pub use decision::{Choices, Fallback, MaxAge};
pub use explain::{Cause, Explainer};
pub use matcher::Judge;
pub use rule_set::{KeptRecord, RuleSet};
pub use scratch::Scratch;
pub use tally::{Tally, line_hash};
