//! The steps of a batch.

mod origin;
mod tidy;
mod verdict;

pub(super) use origin::{KeyStep, LookStep, ProbeStep};
pub(super) use tidy::TidyStep;
pub(super) use verdict::{FrontStep, RouteStep};
