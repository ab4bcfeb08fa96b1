//! `robosieve inspect`.

mod entry;
mod numbers;
mod run;
mod summary;

pub use run::run;
