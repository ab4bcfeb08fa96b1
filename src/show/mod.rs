//! What people look at: a page about a run, what is in a policy, tables of it, and how far a run is.

pub(crate) mod error;
pub mod export;
pub mod inspect;
pub(crate) mod metrics;
pub mod report;

pub use error::MetricsError;
pub use metrics::Metrics;
