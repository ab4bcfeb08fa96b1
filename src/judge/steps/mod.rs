//! The steps of a batch.

mod front;
mod key;
mod look;
mod probe;
mod route;
mod tidy;
mod walk;

pub(super) use front::FrontStep;
pub(super) use key::KeyStep;
pub(super) use look::LookStep;
pub(super) use probe::ProbeStep;
pub(super) use route::RouteStep;
pub(super) use tidy::TidyStep;
