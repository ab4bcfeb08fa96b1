//! Lines as rows of Parquet files, with their outcomes.
//!
//! A [`Table`] defines the columns of a set's files: those of the list, as they are stored there, then the reason, and what
//! blocked the line, if that is asked for. The verdict is a column only if rows of all verdicts share a file; otherwise it is the
//! name of the folder, as in Hive datasets. One worker turns a chunk into a [`frame`](frames) for each file: a row group with its
//! own footer. When all frames are written, the [footer](footer) of the file is made by walking back over theirs. So nothing is
//! kept of a file but where it ends. Readers skip the footers of the frames because nothing refers to them, as the format
//! prescribes.
//!
//! Only the library's plain column readers and writers are used: a value passes through as it is stored, nested or not, and is
//! never converted to another type.

#[cfg(feature = "parquet")]
mod cause_columns;
#[cfg(feature = "parquet")]
mod copy;
#[cfg(feature = "parquet")]
mod footer;
#[cfg(feature = "parquet")]
mod frames;
#[cfg(feature = "parquet")]
mod handed;
#[cfg(feature = "parquet")]
mod merge;
#[cfg(feature = "parquet")]
mod reread;
#[cfg(feature = "parquet")]
mod schema;
mod shared;
#[cfg(feature = "parquet")]
mod sorting;
#[cfg(feature = "parquet")]
mod spliced;
#[cfg(feature = "parquet")]
mod text;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

#[cfg(feature = "parquet")]
pub(crate) use merge::complete;
#[cfg(feature = "parquet")]
pub(crate) use reread::reread;
#[cfg(feature = "parquet")]
pub(crate) use schema::Table;
pub(crate) use shared::{RowSource, Stop, TableLines, Wanted, frame_footer};
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{Table, complete, reread};
