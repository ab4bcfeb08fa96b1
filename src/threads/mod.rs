//! Threads that live no longer than the call that asked for them.
//!
//! A process may fork between two calls, and the child then has only the thread that forked: to wait for any other is to wait
//! forever. So a call that has work for several threads starts them and ends by joining them.

#[cfg(not(feature = "batch"))]
mod alone;
mod beside;
#[cfg(feature = "batch")]
mod pool;
mod stop;

#[cfg(not(feature = "batch"))]
pub(crate) use alone::{Soon, asked, both, map, number, on, sort_by_key, worth_starting};
pub use beside::at_once;
pub(crate) use beside::with_one_beside;
#[cfg(feature = "batch")]
pub(crate) use pool::{Scope, Soon, asked, both, map, number, on, scope, sort_by_key, worth_starting};
pub(crate) use stop::is_stop;
pub use stop::{Stopped, check, stoppable};
