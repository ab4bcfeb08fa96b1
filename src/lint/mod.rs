//! Findings in a robots.txt: lines that its author probably did not mean.
//!
//! A robots.txt is never rejected, so its author never learns that half of it is ignored. [`check`] reads a file as a
//! dialect does and reports, line by line, what is dropped, what is read differently than it looks, and what has no
//! effect. Each [`Finding`] has the reason and the document that says so. A proposal is checked last, with the automata of the file that
//! has it.
//!
//! Automata decide on the effect of a line: those of all rules that apply to a crawler, with the line and without it, are compared
//! for all paths that can be asked for. Each finding is proved; what limited work cannot decide is not reported, and
//! [`Report::undecided`] counts it.
//!
//! A rule is called unreachable if one other rule that wins against it matches every path that it matches. This is never a false
//! alarm, but rules can be missed: a rule that only several others together shadow is not found, and the work of the search is
//! limited, linear in the file size. Beyond the limit, the remaining rules are compared only with equal patterns and plain prefixes
//! ([`Report::not_searched`] counts them).

// The modules follow the flow of data: `lines` checks each line by itself (`rule`, `side_records`; `meant` knows what the author meant),
// `records` how lines belong together, `unreachable` how rules win against each other, and `inherited` and `redundant` what lines come to.
mod audience;
mod effects;
mod finding;
mod inherited;
mod kind;
mod lines;
mod meant;
mod proposals;
mod records;
mod redundant;
mod report;
mod rule;
mod side_records;
mod unreachable;

pub(crate) use finding::Citation;
pub use finding::Finding;
pub use kind::{FindingKind, Severity};
pub use report::{Report, check};
