//! What several of the tests use.

pub mod archives;
pub mod compression;
#[cfg(feature = "parquet")]
pub mod explained;
pub mod interruptions;
pub mod page;
pub mod program;
pub mod results;
#[cfg(feature = "parquet")]
pub mod tables;
