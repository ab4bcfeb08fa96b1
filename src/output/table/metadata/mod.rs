//! The key-value metadata of the files of a table.

mod arrow;
mod columns;
mod descriptions;
mod file_metadata;
mod json;

pub(super) use columns::Columns;
pub(super) use descriptions::OUR_COLUMNS;
pub(super) use file_metadata::FileMetadata;
