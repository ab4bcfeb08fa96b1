//! Why a source cannot be read.

use std::io;
use std::path::{Path, PathBuf};

use super::kind::SourceKind;
#[cfg(feature = "warc")]
use super::warc::RecordProblem;
use crate::origin::InvalidUrl;
use crate::policy::WriteError;

/// The problem of a record of an archive; without WARC there are none.
#[cfg(not(feature = "warc"))]
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordProblem {}

/// A source that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// A file or directory that is missing, or cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Unreadable {
        /// The file or directory.
        path: PathBuf,
        /// The system's error, or the damage of its compressed data.
        error: io::Error,
    },
    /// A source without a single robots.txt.
    #[error("{} holds no robots.txt: {hint}", path.display())]
    Empty {
        /// The source.
        path: PathBuf,
        /// The option that a source of this kind needs.
        hint: &'static str,
    },
    /// A line of JSON Lines that is none.
    #[error("{}, line {line} (byte {offset}): {problem}", path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the line begins, in bytes from the start of the text, which is the file's where it is not compressed.
        offset: u64,
        /// The problem.
        problem: String,
    },
    /// More than a policy can hold.
    #[error(transparent)]
    Captures(#[from] WriteError),
    /// A record of a WARC archive that is malformed.
    #[error("{}, record {record} (byte {offset}): {problem}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// The record, counted from 1.
        record: u64,
        /// Where the record begins, in bytes from the start of the archive, which is the file's where it is not
        /// compressed.
        offset: u64,
        /// The problem.
        problem: RecordProblem,
    },
    /// A Parquet file that cannot be read as answers.
    #[error("{}: {problem}", path.display())]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A Parquet file without a column that is to be read.
    #[error("{}: it has no column {name:?}; its columns are {known}; name those to be read", path.display())]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// The columns that there are.
        known: String,
    },
    /// A file of a format that this program was built without.
    #[error("{} is a {what}, which this program was built without (cargo feature `{feature}`)", path.display())]
    Without {
        /// The file.
        path: PathBuf,
        /// The kind of thing.
        what: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },
    /// A row of a Parquet file that is no answer.
    #[error("{}, row {row}: {problem}", path.display())]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 1.
        row: u64,
        /// The problem.
        problem: String,
    },
    /// A policy.
    #[error("{} is a policy file, no source of robots.txt; give it where a policy is wanted", path.display())]
    Policy {
        /// The file.
        path: PathBuf,
    },
    /// A source that names its origins by itself, given with one.
    #[error("{} is {}, which says itself whose each robots.txt is; give no origin with it", path.display(), kind.name())]
    NotSingle {
        /// The file or folder.
        path: PathBuf,
        /// Its kind.
        kind: SourceKind,
    },
    /// An origin, given beside a file, that is none.
    #[error("{given:?} is no origin, such as https://example.com or http://example.com:8080: {reason}")]
    Origin {
        /// The text that was given.
        given: String,
        /// Why it is none.
        reason: InvalidUrl,
    },
}

impl SourceError {
    pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> SourceError + use<'_> {
        |error| SourceError::Unreadable { path: path.to_owned(), error }
    }
}

/// Names of columns that cannot be understood.
#[cfg(feature = "parquet")]
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error(
    "{given:?} names no column; wanted are url=NAME, status=NAME, body=NAME, fetched_at=NAME or location=NAME, with \
     commas between them"
)]
pub struct ParquetColumnsError {
    /// The part that was given.
    pub given: String,
}
