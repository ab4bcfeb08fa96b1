//! One page about a run: what became of the lines, why, and how fast.
//!
//! The page is HTML in one file, which needs nothing from anywhere else: no network, no other file. Most of it is the
//! receipt and the list of what is still to be fetched. Which rules blocked the lines, and of which origins, is not known
//! by then, because a run should not count that for every line; so it is counted afterwards, when a policy is given:
//! [`Report::explain`] reads the blocked lines again, on all cores, and explains each.

mod blocked;
mod chart;
mod error;
mod facts;
mod html;
mod meanings;
mod page;
mod sections;
mod tops;
mod waiting;

/// The name of the page, unless another is wanted.
pub use crate::output::folder::REPORT;
pub use error::ReportError;
pub use facts::Report;
