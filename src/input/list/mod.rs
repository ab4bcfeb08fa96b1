//! URL lists: files, pipes and standard input. They are opened at the start, read in turn, and cut into chunks on line
//! boundaries.
//!
//! The kind of a list is recognised by its content. An uncompressed file is memory-mapped; a list that is compressed, or comes
//! through a pipe, is read as a stream.

#[cfg(feature = "parquet")]
pub(crate) mod line_columns;
#[cfg(unix)]
mod lost_pages;
mod opened;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod regular;
#[cfg(feature = "parquet")]
mod table;
mod text;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

#[cfg(unix)]
pub use lost_pages::fill_lost_pages;
pub use opened::ListRange;
pub(crate) use opened::{List, common_head};
#[cfg(feature = "parquet")]
pub(crate) use parquet::{ParquetList, TableRows, in_group};
pub(crate) use reader::{Buffer, LIST_FORMAT, ListReader, Next, Patience, Text, Wanted, line_boundary};
pub use regular::{FileState, STANDARD_INPUT};
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{ParquetList, TableRows};
