//! Why output cannot be written.

use std::io;
use std::path::Path;

use crate::error::About;
use crate::error::run::{Error, ErrorKind};
#[cfg(feature = "parquet")]
use crate::formats::columnar::Malformed;
use crate::formats::error::in_words;
use crate::formats::shown;

/// Turns the system's error into one that says which file, or folder of files, cannot be written.
pub(crate) fn unwritable(path: &Path) -> impl Fn(io::Error) -> Error + Copy + use<'_> {
    ErrorKind::Output.with_file("write", path)
}

/// The error for lines that cannot be compressed.
#[expect(clippy::needless_pass_by_value, reason = "it is for map_err")]
pub(crate) fn not_compressed(error: io::Error) -> Error {
    ErrorKind::Output.of(format!("cannot compress the output: {}", in_words(&error)))
}

/// The error for a run in a folder that cannot be resumed.
pub(crate) fn not_resumable(folder: &Path, problem: &str) -> Error {
    let folder = shown(folder);
    let message = format!("the run in {folder} cannot be resumed: {problem}; start it again from the beginning");
    ErrorKind::Output.of(message).about(About::NotResumable)
}

/// The error for lists with different columns, whose rows cannot share a table.
pub(crate) fn columns_differ(one: &Path, other: &Path) -> Error {
    let (one, other) = (shown(one), shown(other));
    let message = format!(
        "the lists {one} and {other} have different columns, so one table cannot hold the rows of both; give each list its own partitions"
    );
    ErrorKind::Output.of(message).about(About::OwnPartitions)
}

#[cfg(feature = "parquet")]
impl From<Malformed> for Error {
    fn from(Malformed(problem): Malformed) -> Error {
        ErrorKind::Output.of(format!("cannot write the rows: {problem}"))
    }
}
