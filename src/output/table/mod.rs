//! Lines as rows of Parquet files, beside what became of them.
//!
//! A [`Table`] says which columns the files of a set have: all those of the list, as they are stored there, and after them
//! the reason, and what blocked the line, if that is asked for. The verdict is a column only where the rows of all verdicts
//! stand in one file; of others, the folder says it, as in datasets of Hive. A chunk becomes a [`frame`](frames) of each file, made by one worker alone: a
//! row group with a footer of its own. When all frames are written, the [footer](footer) of the file is made by walking
//! back over theirs. So nothing has to be kept of a file but where it ends; that readers pass over the footers of the
//! frames, because nothing refers to them, is what the format says.
//!
//! The library's plain column readers and writers are used: a value passes through as it is stored, nested or not,
//! and no type is turned into another on the way.

#[cfg(feature = "parquet")]
mod cause_columns;
#[cfg(feature = "parquet")]
mod copy;
#[cfg(feature = "parquet")]
mod fields;
#[cfg(feature = "parquet")]
mod footer;
#[cfg(feature = "parquet")]
mod frames;
#[cfg(feature = "parquet")]
mod handed;
#[cfg(feature = "parquet")]
mod merge;
mod merged;
#[cfg(feature = "parquet")]
mod reread;
#[cfg(feature = "parquet")]
mod schema;
#[cfg(feature = "parquet")]
mod share;
#[cfg(feature = "parquet")]
mod sorting;
#[cfg(feature = "parquet")]
mod spliced;
#[cfg(feature = "parquet")]
mod text;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

#[cfg(feature = "parquet")]
pub(crate) use footer::{footer, frame_footer};
#[cfg(feature = "parquet")]
pub(crate) use frames::RowSource;
#[cfg(feature = "parquet")]
pub(crate) use merge::merge_groups;
pub(crate) use merged::{Merged, Stop};
#[cfg(feature = "parquet")]
pub(crate) use reread::{TableLines, Wanted, reread};
#[cfg(feature = "parquet")]
pub(crate) use schema::Table;
#[cfg(not(feature = "parquet"))]
pub(crate) use without_parquet::{RowSource, Table, TableLines, Wanted, footer, frame_footer, merge_groups, reread};
