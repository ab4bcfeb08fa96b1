//! Reads columns of Parquet files, some rows at a time.
//!
//! The library's plain column readers are used, so its Arrow half is not needed. A [`Column`] is at the top level of a file and
//! has at most one value a row. The footer is checked when a file is opened. The library trusts the claims of pages, so a file
//! crafted for the purpose can cost memory.

mod file;
mod positioned;

pub use file::panics_are_caught;
pub(crate) use file::{BATCH, Column, Malformed, ParquetFile, RowGroup, Values, find, guarded, names, skip_rows};
