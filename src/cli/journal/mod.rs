//! Messages about a run on standard error, for people or for machines.

mod bar;
mod compiling;
mod json;
mod output;
mod text;
mod watch;

pub use compiling::watch_compiling;
pub use output::{Journal, usage};
pub use watch::watch;
