//! Lists of URLs: text, compressed, delimited, CDXJ or Parquet, cut into chunks on line boundaries.

pub(crate) mod buffer;
pub(crate) mod chunks;
pub(crate) mod error;
pub(crate) mod layout;
pub(crate) mod list;
pub(crate) mod position;
pub(crate) mod scan;
pub(crate) mod shard;
pub(crate) mod skipped;

pub use error::{DelimiterError, ListError, ShardError, UrlFieldError};
pub use layout::{Column, Delimiter, Layout, UrlField};
#[cfg(unix)]
pub use list::fill_lost_pages;
pub use list::{FileState, ListRange, STANDARD_INPUT};
pub use shard::Shard;
pub use skipped::{SkippedPart, SkippedRows};
