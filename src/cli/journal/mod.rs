//! Messages about a run on standard error, for people or for machines.
//!
//! Nobody may be there to read it: that is no error, for the receipt has it all.

mod bar;
mod compiling;
mod json;
mod pace;
mod text;
mod voice;
mod watch;

pub use compiling::watch_compiling;
pub use voice::{Journal, usage};
pub use watch::watch;
