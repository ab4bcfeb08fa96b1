//! Findings in a robots.txt: lines that its author probably did not mean.
//!
//! A robots.txt is never rejected, so its author never learns that half of it is ignored. [`check`] reads a file as a
//! dialect does and reports, line by line, what is dropped, what is read differently than it looks, and what has no
//! effect. Each [`Finding`] has the reason and the document that says so. The modules follow the flow of data: `lines`
//! checks each line by itself, `records` how lines belong together, and `unreachable` how rules win against each other.
//!
//! A rule is called unreachable if one other rule that wins against it matches every path that it matches
//! (`Patterns::covers`). This is never a false alarm, but rules can be missed: a rule
//! that only several others together shadow is not found, and the work of the search is limited, linear in the file
//! size. Beyond the limit, the remaining rules are compared only with equal patterns and plain prefixes
//! ([`Report::not_searched`] counts them).

mod finding;
mod kind;
mod lines;
mod preferences;
mod records;
mod report;
mod unreachable;

pub use finding::{Finding, Related};
pub use kind::{Citation, FindingKind, Severity};
pub use report::{Report, check};
