//! Policies, lists and runs, and how the library is laid out: one program, so that it is linked once.

mod architecture;
mod chunks;
mod live;
mod mapping;
#[cfg(feature = "warc")]
mod parts;
mod policy;
#[cfg(unix)]
mod power_cuts;
mod random_cases;
mod runs;
mod union;
