//! An HTML report on a run: where the lines went, why, and how fast.
//!
//! The report is one file that loads nothing from the network or from other files. Most of it comes from the receipt
//! and the list of robots.txt files still to be fetched. These do not say which rules blocked the lines, and on which
//! origins, because a run should not spend time on that for every line. It is counted afterwards if a policy is given:
//! [`Report::explain`] reads the lines again, on all cores, and finds what decided on each. An earlier policy is compared
//! by the functions of `diff`, and an earlier run by its receipt.

mod changes;
mod crawlers;
mod decided;
mod facts;
mod greatest;
mod html;
mod meanings;
mod page;
mod policy_changes;
mod reread;
mod run_before;
mod top_keys;
mod unreachable;

/// The default file name of the report.
#[cfg(feature = "cli")]
pub use crate::output::folder::REPORT;
pub use facts::Report;
#[cfg(feature = "cli")]
pub(crate) use page::REPORT_PAGE;
