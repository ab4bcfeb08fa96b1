//! The library: one program, so that it is linked once.

mod architecture;
mod cases;
mod chunks;
mod claims;
mod conformance;
mod corpus;
mod hostile;
mod mapping;
mod oracle;
#[cfg(feature = "warc")]
mod parts;
mod policy;
#[cfg(unix)]
mod power_cuts;
mod properties;
mod runs;
mod support;
mod union;
