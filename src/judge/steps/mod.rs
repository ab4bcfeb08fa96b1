//! The steps of a batch.

mod front;
mod key;
mod look;
mod probe;
mod route;
mod tidy;
mod walk;
