//! Lists as rows of Parquet files, with their outcomes.
//!
//! A [`TableSchema`] defines the columns of a set's files: the columns of the list, as stored there, then the reason
//! and, if causes are wanted, what blocked the line. The verdict is a column only if rows of all verdicts share a file;
//! otherwise it is the name of the folder, as in Hive datasets. One worker makes a batch of [rows] of a chunk for each
//! file. Rows [wait](waiting) until they fill a [row group](row_group), which a worker encodes with its own footer.
//! When all groups are written, the [footer](row_group) of the file is assembled by walking back over the footers of
//! the groups. So the only state of a file is where it ends. Readers skip the footers of the groups, because nothing in
//! the file refers to them.

#[cfg(feature = "parquet")]
mod metadata;
#[cfg(feature = "parquet")]
mod path_fields;
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
pub(crate) use path_fields::path_columns_of;
#[cfg(feature = "parquet")]
pub(crate) use reread::reread;
#[cfg(feature = "parquet")]
pub(crate) use row_group::complete;
#[cfg(feature = "parquet")]
pub(crate) use rows::FileRows;
#[cfg(feature = "parquet")]
pub(crate) use schema::TableSchema;
pub use shared::DroppedKey;
pub(crate) use shared::{StoredRows, TableLines, TakenRows, Wanted, frame_footer};
#[cfg(feature = "parquet")]
pub(crate) use waiting::{FullGroup, WaitingRows};
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{FileRows, FullGroup, TableSchema, WaitingRows, complete, path_columns_of, reread};
