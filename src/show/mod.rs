//! Views for people: a report on a run, the contents of a policy, tables of its data, and metrics.

pub(crate) mod access;
pub mod diff;
mod error;
pub mod export;
mod group_kind;
pub mod inspect;
pub(crate) mod metrics;
pub mod report;
pub(crate) mod uses;

pub use error::{MetricsError, ReportError};
pub use metrics::Metrics;
