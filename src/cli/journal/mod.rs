//! Messages about a run on standard error, for people or for machines.

mod json;
mod output;
mod text;
mod watch;

pub use output::{Journal, usage};
pub use watch::{watch, watch_compiling, watch_work};
