//! Reads rows of Parquet files as batches of columns.
//!
//! Columns are read as they are stored: what the schema says of their meaning is left to who reads them. The footer is
//! checked when a file is opened. The library trusts the claims of pages, so a file crafted for the purpose can cost memory.

mod file;
mod malformed;
mod values;

pub(crate) use file::{Batches, ParquetFile, RowRange, find, names, written};
pub use malformed::panics_are_caught;
pub(crate) use malformed::{Malformed, guarded};
pub(crate) use values::{Kind, ValueColumn, leaf, leaves};
