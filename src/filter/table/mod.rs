//! Lines as rows of Parquet files, beside what became of them.
//!
//! A [`Table`] says which columns the files of a set have: all those of the list, as they are stored there, and behind them
//! the verdict and the reason, and what blocked the line, if that is asked for. A chunk becomes a [`frame`](frames) of each file, made by one worker with nobody's help: a
//! row group with a footer of its own. When all frames are written, the [footer](footer) of the file is made by walking
//! back over theirs. So nothing has to be kept of a file but where it ends; that readers pass over the footers of the
//! frames, because nothing refers to them, is what the format says.
//!
//! The library's plain column readers and writers are used: a value passes through as it is stored, nested or not,
//! and no type is turned into another on the way.

mod cause_columns;
mod copy;
mod footer;
mod frames;
mod line_columns;
mod reread;
mod schema;
mod span_columns;
mod text;

pub(super) use footer::{concatenated, footer, frame_footer};
pub(super) use frames::Source;
pub(super) use line_columns::{LineColumns, LineReader};
pub(super) use reread::{TableLines, Wanted, reread};
pub(super) use schema::Table;
pub(super) use span_columns::readable;

/// How every file begins.
pub(super) const HEAD: &[u8] = b"PAR1";
