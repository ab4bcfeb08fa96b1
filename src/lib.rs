//! robosieve
#![deny(missing_docs)]
pub mod automaton;
pub mod dialect;
pub mod filter;
pub mod origin;
pub mod pattern;
pub mod policy;
pub mod robots;
mod rule_set;
pub use dialect::Dialect;
pub use pattern::Verdict;
pub use rule_set::{Explanation, KeptRecord, KeptRule, RuleSet};
