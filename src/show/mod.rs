//! Views for people: a page about a run, the contents of a policy, tables of it, and progress.

pub(crate) mod error;
pub mod export;
pub mod inspect;
pub(crate) mod metrics;
pub mod report;

pub use error::MetricsError;
pub use metrics::Metrics;
