//! What is wrong with a list, and the parts of lists that a run skips because they cannot be read, instead of ending there.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::{fmt, io};

use crate::error::run::{Error, ErrorKind};
use crate::error::{About, Problem};
use crate::formats::error::{CutShort, Malformed, in_words};
use crate::formats::shown;

/// The error for a list that cannot be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> Error {
    match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(&CutShort { at, had }) => {
            let message = format!(
                "the list {} was cut short while it was read, at byte {at} of {had}; restore the file, or start a new run",
                shown(path)
            );
            ErrorKind::List.of(Problem { source: Some(error), ..Problem::from(message) })
        }
        None => ErrorKind::List.of(Problem::with_file("read the list", path)(error).of_window()),
    }
}

/// The error for a list that changed while it was read.
pub(crate) fn changed(path: &Path) -> Error {
    let path = shown(path);
    let message = format!("the list {path} changed while it was read, so the results cannot be trusted; run again");
    ErrorKind::List.of(message).about(About::Untrusted)
}

/// The error for a line longer than there is memory for, at this place in the decompressed text.
pub(crate) fn line_too_long(path: &Path, offset: u64, longest: usize) -> Error {
    let path = shown(path);
    let message = format!(
        "the list {path} has a line of more than {longest} bytes, the memory limit, at byte {offset} of its text; raise the limit, \
         or have what cannot be read skipped"
    );
    ErrorKind::List.of(message).about(About::MemoryOrSkipped)
}

/// The error for a Parquet file that cannot be read.
pub(crate) fn malformed(path: &Path, problem: String) -> Error {
    of_list(path)(Malformed(problem).into())
}

/// The error for a list with this problem.
pub(crate) fn of_list(path: &Path) -> impl Fn(Problem) -> Error + Copy + use<'_> {
    move |problem| ErrorKind::List.of(problem.within(format_args!("the list {}: ", shown(path))))
}

/// The error for a part of a list that was read ahead of its turn and stored on disk, and cannot be read back.
pub(crate) fn not_read_back(folder: &Path) -> impl Fn(io::Error) -> Error + Copy + use<'_> {
    move |error| {
        let (folder, error) = (shown(folder), in_words(&error));
        ErrorKind::List.of(format!("cannot read back the part of a list buffered in a file in {folder}: {error}"))
    }
}

/// A part of a list that is skipped because it cannot be read: the rest of it, or of one of its row groups, or a line that is too long.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedPart {
    /// In a list of lines: how many bytes of its text were read before it, up to the end of the last whole line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<u64>,
    /// How many bytes were skipped, if the list goes on after them: those of a line that is too long.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// In a table: the rows that were skipped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<SkippedRows>,
    /// The problem.
    pub problem: String,
}

/// Consecutive rows of a table, by their numbers in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkippedRows {
    /// The first row; the file's first row is 0.
    pub first: u64,
    /// How many rows.
    pub count: u64,
}

/// A skipped part, with its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The number of the list.
    pub list: usize,
    pub part: SkippedPart,
}

impl fmt::Display for SkippedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("skipped")?;
        if let Some(at) = self.at {
            write!(f, " after byte {at} of its text")?;
        }
        if let Some(SkippedRows { first, count }) = self.rows {
            write!(f, " {count} rows from row {first} on")?;
        }
        write!(f, ": {}", self.problem)
    }
}
