//! What becomes of each line, and why.

pub(crate) mod batch;
pub(crate) mod decision;
pub(crate) mod explain;
pub(crate) mod isa;
pub(crate) mod lines;
pub(crate) mod matcher;
pub(crate) mod place;
pub(crate) mod rule_set;
pub(crate) mod sorted;
pub(crate) mod tally;
#[cfg(test)]
mod tests;
pub(crate) mod urls;

pub use decision::{Choices, Fallback, MaxAge};
pub use explain::{Cause, Explainer};
pub use matcher::{Judge, Scratch};
pub use rule_set::{KeptRecord, RuleSet};
pub use tally::{Tally, line_hash};
