//! Findings in a robots.txt: lines that its author probably did not mean.
//!
//! A robots.txt is never refused, so nobody tells its author that half of it is ignored. [`lint`] reads a file as a
//! dialect does and reports, line by line, what is dropped, what is read otherwise than it looks, and what has no effect;
//! each [`Finding`] with the reason and the text that says so. It goes the way of the data: `lines` looks at each line
//! alone, `records` at how lines stand together, `unreachable` at how rules win against each other.
//!
//! A rule is called unreachable if one other rule that wins against it matches every path that it matches
//! ([`Patterns::covers`](crate::rules::Patterns::covers)). That is never a false alarm. It can miss one: a rule that
//! only several others together leave no path is not found, and the search has a bound on its work, linear in the file,
//! beyond which the remaining rules are only compared with their equals and with plain prefixes
//! ([`Report::not_searched`] counts them).

mod citation;
mod crawl_delay;
mod finding;
mod keys;
mod kind;
mod lines;
mod records;
mod report;
mod shadows;
mod unreachable;

#[doc(hidden)]
pub use citation::Citation;
pub use finding::Finding;
#[doc(hidden)]
pub use finding::Related;
pub use kind::{FindingKind, Severity};
pub use report::{Report, lint};
