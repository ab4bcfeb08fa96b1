//! Lists of URLs: lines of text, CSV, CDX, CDXJ or JSON, also compressed, or Parquet; cut into chunks on line boundaries.

pub(crate) mod chunks;
pub(crate) mod error;
mod folder_of_tables;
pub(crate) mod layout;
pub(crate) mod list;
mod named_lists;
pub(crate) mod path_columns;
pub(crate) mod shard;
pub(crate) mod url_parts;

pub use error::{SkippedPart, SkippedRows};
pub use folder_of_tables::{matched, with_tables};
pub(crate) use layout::Delimiter;
pub use layout::{Column, Layout, UrlField};
#[cfg(unix)]
pub use list::fill_lost_pages;
pub use list::{FileState, ListRange, STANDARD_INPUT};
pub use named_lists::NameEnd;
pub use named_lists::lists_named_in;
pub use path_columns::PathColumns;
pub use shard::Shard;
pub use url_parts::UrlParts;
