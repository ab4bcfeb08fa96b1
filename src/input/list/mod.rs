//! URL lists: files, pipes and standard input. They are opened at the start, read in turn, and cut into chunks on line
//! boundaries.
//!
//! The kind of a list is recognised by its content. An uncompressed text is memory-mapped; one that is compressed, or comes through a
//! pipe, is decoded into buffers; a Parquet file is read as a table.

mod content;
#[cfg(feature = "parquet")]
pub(crate) mod line_columns;
mod line_ends;
#[cfg(unix)]
mod lost_pages;
mod opened;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod regular;
mod short_lines;
#[cfg(feature = "parquet")]
mod table;
mod text;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

pub use crate::formats::STANDARD_INPUT;
pub(crate) use line_ends::{Buffer, Patience};
#[cfg(unix)]
pub use lost_pages::fill_lost_pages;
pub use opened::ListRange;
pub(crate) use opened::{List, Opening, common_head};
#[cfg(feature = "parquet")]
pub(crate) use parquet::{ParquetList, TableRows, in_group};
pub(crate) use reader::{LIST_FORMAT, ListReader, Next, ReadLimits, Text};
pub use regular::FileState;
pub(crate) use regular::Maps;
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{ParquetList, TableRows};
