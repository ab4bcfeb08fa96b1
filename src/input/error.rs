//! What is wrong with a list, and the parts of lists that a run skips because they cannot be read, instead of ending there.

use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::{fmt, io};

use super::layout::Column;
use crate::formats::compression::WindowTooLarge;
use crate::formats::error::{CutShort, FileError, in_words};
use crate::formats::{shortened, shown};

/// Why a list cannot be read, or not to its end.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListError {
    /// A list that cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// A part of a list that was read ahead of its turn and stored on disk, and cannot be read back.
    #[error("cannot read back the part of a list buffered in a file in {}: {}", shown(folder), in_words(error))]
    NotReadBack {
        /// The folder of the file.
        folder: PathBuf,
        /// The system's error.
        error: io::Error,
    },
    /// A list that changed while it was read.
    #[error("the list {} changed while it was read, so the results cannot be trusted; run again", shown(path))]
    Changed {
        /// The list.
        path: PathBuf,
    },
    /// A list that was cut short while it was read. Everything read before this was noticed is what the file held.
    #[error(
        "the list {} was cut short while it was read, at byte {at} of {had}; restore the file, or start a new run",
        shown(path)
    )]
    Cut {
        /// The list.
        path: PathBuf,
        /// The length of its file now.
        at: u64,
        /// The length it had.
        had: u64,
    },
    /// A list that cannot be divided into shards.
    #[error(
        "the list {} cannot be divided into shards: it is a stream, or a table compressed as a whole, which the \
         other shards cannot read; store it as a plain file first",
        shown(path)
    )]
    NotDivisible {
        /// The list.
        path: PathBuf,
    },
    /// A list in which the URL is not where the operator says.
    #[error("the list {}: {error}", shown(path))]
    UrlField {
        /// The list.
        path: PathBuf,
        /// The problem.
        error: UrlFieldError,
    },
    /// A Parquet file that cannot be read.
    #[error("the list {}: {problem}", shown(path))]
    Parquet {
        /// The list.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A file of another format, such as an archive or a database, whose bytes are no lines.
    #[error("the list {} is {kind}, not a list of URLs; {remedy}", shown(path))]
    NoList {
        /// The file.
        path: PathBuf,
        /// Its kind, with an article.
        kind: &'static str,
        /// What to do with it.
        remedy: &'static str,
    },
    /// A folder that is no table.
    #[error(
        "{} is a folder, and no table of Parquet files in folders such as day=2026-01-31; {}",
        shown(path),
        in_folder(pattern.as_deref())
    )]
    Folder {
        /// The folder.
        path: PathBuf,
        /// A pattern of the lists in it.
        pattern: Option<PathBuf>,
    },
    /// A table in folders whose names cannot be columns.
    #[error("the folders of the list {} cannot be columns: {problem}", shown(path))]
    PathColumns {
        /// The list.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// Lists with different head lines, whose lines cannot go into one file.
    #[error(
        "the lists {} and {} begin with different head lines, so one file cannot hold the lines of both; give each \
         list its own partitions",
        shown(one),
        shown(other)
    )]
    HeadsDiffer {
        /// A list.
        one: PathBuf,
        /// A list with another head line, or without one.
        other: PathBuf,
    },
    /// Parquet, in a program built without it.
    #[cfg(not(feature = "parquet"))]
    #[error("this program was built without Parquet (cargo feature `parquet`)")]
    WithoutParquet,
    /// Standard input, given more than once.
    #[error("standard input (-) is given twice as a list, but it can be read only once")]
    StandardInputTwice,
    /// A line longer than there is memory for.
    #[error(
        "the list {} has a line of more than {longest} bytes, the memory limit, at byte {offset} of its text; raise \
         the limit, or have what cannot be read skipped",
        shown(path)
    )]
    LineTooLong {
        /// The list.
        path: PathBuf,
        /// Where the line begins in the decompressed text.
        offset: u64,
        /// The longest line allowed.
        longest: usize,
    },
}

/// What to do with a folder of lists.
fn in_folder(pattern: Option<&Path>) -> String {
    match pattern {
        Some(pattern) => format!("for the lists in it, give a pattern: '{}'", shown(pattern)),
        None => "it has no lists in it".to_owned(),
    }
}

/// Why the URL is not where the operator says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UrlFieldError {
    /// A stray or unclosed quote in the head line.
    #[error("its head line has an unclosed or misplaced quote")]
    Quote,
    /// A head line without the wanted column.
    #[error("it has no column {wanted}; its columns are {}", shortened(names.join(", ")))]
    NoColumn {
        /// The wanted column.
        wanted: Column,
        /// The columns there are.
        names: Vec<String>,
    },
    /// A table with none of the columns that are looked for by default.
    #[error(
        "it has neither a column \"url\" nor all the columns that make up a URL in Common Crawl's index; its columns \
         are {}; choose one", shortened(names.join(", "))
    )]
    NoUrl {
        /// The columns there are.
        names: Vec<String>,
    },
    /// A column of the wrong type.
    #[error("its column {name:?} does not hold {wanted}, one value per row; choose another")]
    Kind {
        /// The column.
        name: String,
        /// The type it should have.
        wanted: &'static str,
    },
    /// A column was chosen, but no delimiter is known.
    #[error("its columns are unknown; give the delimiter that separates them")]
    NoDelimiter,
    /// A column or a head line was given for an index, whose lines describe themselves.
    #[error("it is an index (CDXJ), whose lines name the URL themselves; choose no column and no head line")]
    Index,
    /// A column was chosen by number, or a head line was given, for a list whose lines are JSON objects.
    #[error("its lines are JSON objects; choose the member that is the URL by its name, and no head line")]
    Members,
    /// A head line that is too long.
    #[error("its head line is longer than 1 MiB")]
    LongHead,
}

/// Why a file names no lists.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ListNamesError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The lines of the file have NUL in them, which no path can have.
    #[error("{} has NUL in its lines: do its paths end in NUL instead of a line feed? Say so, then", shown(path))]
    Nul {
        /// The file.
        path: PathBuf,
    },
    /// The file has no path in it, or something that is no path: one is too long, or not UTF-8 on a system where paths are.
    #[error("{}{problem}", shown(path))]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The number of the path, if it is one that is wrong, counted from 1 with those that are empty, and the problem.
        problem: String,
    },
}

/// The error for a list that cannot be read.
pub(crate) fn unreadable(path: &Path, error: io::Error) -> ListError {
    match error.downcast::<CutShort>() {
        Ok(CutShort { at, had }) => ListError::Cut { path: path.to_owned(), at, had },
        Err(error) => FileError::of("read the list", path)(error).into(),
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

impl ListError {
    /// Whether only this list is bad, so that others may still be read.
    pub(super) fn is_bad_list(&self) -> bool {
        matches!(self, ListError::Unreadable(_) | ListError::Cut { .. } | ListError::Parquet { .. })
    }

    /// Whether a decompressor needs more memory than it was given.
    pub(super) fn is_window_too_large(&self) -> bool {
        matches!(self, ListError::Unreadable(FileError { error, .. }) if WindowTooLarge::of(error).is_some())
    }

    /// The problem, without the list's path.
    pub(super) fn problem(&self) -> String {
        match self {
            ListError::Unreadable(FileError { error, .. }) => error.to_string(),
            ListError::Parquet { problem, .. } => problem.clone(),
            ListError::Cut { at, had, .. } => CutShort { at: *at, had: *had }.to_string(),
            other => other.to_string(),
        }
    }
}
