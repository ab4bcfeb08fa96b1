//! Views for people: a report on a run, the contents of a policy, tables of its data, and metrics.

pub(crate) mod access;
pub mod diff;
pub mod export;
pub mod inspect;
pub(crate) mod metrics;
pub mod report;

#[cfg(feature = "cli")]
pub(crate) use metrics::Metrics;
