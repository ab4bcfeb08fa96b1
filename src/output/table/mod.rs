//! Lists as rows of Parquet files, with their outcomes.
//!
//! A [`TableSchema`] defines the columns of a set's files: those of the list, as they are stored there, then the reason, and what
//! blocked the line, if that is asked for. The verdict is a column only if rows of all verdicts share a file; otherwise it is the
//! name of the folder, as in Hive datasets. One worker makes a batch of the [rows] of a chunk for each file. They [wait](waiting)
//! until there are enough for a [row group](row_group), which a worker encodes with a footer of its own. When all groups are
//! written, the [footer](row_group) of the file is made by walking back over theirs. So nothing is kept of a file but where it ends.
//! Readers skip the footers of the groups because nothing refers to them, as the format prescribes.

#[cfg(feature = "parquet")]
mod reread;
#[cfg(feature = "parquet")]
mod row_group;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod schema;
mod shared;
#[cfg(feature = "parquet")]
mod waiting;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

#[cfg(feature = "parquet")]
pub(crate) use reread::reread;
#[cfg(feature = "parquet")]
pub(crate) use row_group::complete;
#[cfg(feature = "parquet")]
pub(crate) use rows::FileRows;
#[cfg(feature = "parquet")]
pub(crate) use schema::TableSchema;
pub(crate) use shared::{StoredRows, TableLines, TakenRows, Wanted, frame_footer};
#[cfg(feature = "parquet")]
pub(crate) use waiting::{FullGroup, WaitingRows};
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{FileRows, FullGroup, TableSchema, WaitingRows, complete, reread};
