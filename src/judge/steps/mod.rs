//! The steps of a batch.

mod front;
mod key;
mod look;
mod probe;
mod route;
mod tidy;
mod walk;

pub(super) use front::Front;
pub(super) use key::Key;
pub(super) use look::Look;
pub(super) use probe::Probe;
pub(super) use route::Route;
pub(super) use tidy::Tidy;
