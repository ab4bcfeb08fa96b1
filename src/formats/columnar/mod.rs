//! Columns of Parquet files, some rows at a time.
//!
//! The library's plain column readers read them, so its Arrow half is not needed. A [`Column`] stands at the top of a file,
//! and has at most one value a row. What the footer declares is checked when a file is opened; what a page claims is the
//! library's to believe, so a file made for it can cost memory.

mod file;
mod positioned;

pub use file::panics_are_caught;
pub(crate) use file::{BATCH, Column, Group, Malformed, ParquetFile, Time, Values, find, guarded, names, skip_rows};
