//! Errors in reading sources.

use std::io;
use std::path::{Path, PathBuf};

use super::kind::SourceKind;
use crate::formats::compression::Damaged;
use crate::formats::error::FileError;
use crate::formats::{shown, visible};
use crate::origin::InvalidUrl;
use crate::policy::WriteError;

/// The most bytes of the head of a record.
pub(super) const HEAD_LIMIT: usize = 256 << 10;

/// A source cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SourceError {
    /// The file or directory is missing or cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The source has no robots.txt at all.
    #[error("{} holds no robots.txt: {hint}", shown(path))]
    Empty {
        /// The source.
        path: PathBuf,
        /// What a source of this kind needs.
        hint: &'static str,
    },
    /// A line of JSON Lines is malformed.
    #[error("{}, line {line} (byte {offset}): {problem}", shown(path))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the line begins, in bytes from the start of the uncompressed text.
        offset: u64,
        /// The problem.
        problem: String,
    },
    /// A line of JSON Lines lacks a key that is needed.
    #[error(
        "{}, line {line} (byte {offset}): it has {lacks}; its keys are {}; name the keys to read",
        shown(path),
        visible(known)
    )]
    NoKey {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the line begins, in bytes from the start of the uncompressed text.
        offset: u64,
        /// What the line lacks.
        lacks: String,
        /// Its keys.
        known: String,
    },
    /// The captures exceed what a policy can hold, or cannot be stored.
    #[error(transparent)]
    Captures(#[from] WriteError),
    /// A record of a WARC archive is malformed.
    #[error("{}, record {record} (byte {offset}): {problem}", shown(path))]
    Record {
        /// The file.
        path: PathBuf,
        /// The record, counted from 1.
        record: u64,
        /// Where the record begins, in bytes from the start of the uncompressed archive.
        offset: u64,
        /// The problem.
        problem: RecordProblem,
    },
    /// A Parquet file cannot be read as answers.
    #[error("{}: {problem}", shown(path))]
    Parquet {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A Parquet file lacks a column that is needed.
    #[error("{}: it has no column {name:?}; its columns are {known}; name the columns to read", shown(path))]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// The columns of the file.
        known: String,
    },
    /// A file has a format that this program was built without.
    #[error(
        "{} is a {what}, but this program was built without support for it (cargo feature `{feature}`)",
        shown(path)
    )]
    Without {
        /// The file.
        path: PathBuf,
        /// The format.
        what: &'static str,
        /// The feature that reads it.
        feature: &'static str,
    },
    /// A row of a Parquet file is not an answer.
    #[error("{}, row {row}: {problem}", shown(path))]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 1.
        row: u64,
        /// The problem.
        problem: String,
    },
    /// One of several answers in memory is none.
    #[error("answer {number}: {problem}")]
    Answer {
        /// The answer, counted from 1.
        number: u64,
        /// The problem.
        problem: String,
    },
    /// A file of a folder, or a single robots.txt, has a time that cannot be meant.
    #[error("{}: {problem}", shown(path))]
    Time {
        /// The file.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// The file is a policy.
    #[error("{} is a policy file, not a source of robots.txt; give it as the policy", shown(path))]
    Policy {
        /// The file.
        path: PathBuf,
    },
    /// An origin was given for a source that names its own origins.
    #[error("{} is {}, which names its own origins; do not give one", shown(path), kind.name())]
    NotSingle {
        /// The file or folder.
        path: PathBuf,
        /// Its kind.
        kind: SourceKind,
    },
    /// The origin given for a file is not an origin.
    #[error("{given:?} is not an origin, such as https://example.com or http://example.com:8080: {reason}")]
    Origin {
        /// The text that was given.
        given: String,
        /// Why it is not.
        reason: InvalidUrl,
    },
}

impl SourceError {
    pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> SourceError + use<'_> {
        move |error| SourceError::Unreadable(FileError::of("read", path)(error))
    }

    /// Whether the source is damaged, so that some of it may have been read.
    pub(super) fn is_damage(&self) -> bool {
        match self {
            SourceError::Unreadable(FileError { error, .. }) => Damaged::caused(error),
            SourceError::Parquet { .. } => true,
            _ => false,
        }
    }

    /// The message without the name of the source.
    pub(super) fn in_source(&self, path: &Path) -> String {
        if let SourceError::Unreadable(FileError { error, .. }) = self {
            return error.to_string();
        }
        let message = self.to_string();
        let place = message.strip_prefix(&shown(path).to_string());
        place.unwrap_or(&message).trim_start_matches([',', ':', ' ']).to_owned()
    }
}

/// A table lacks a column that is needed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("it has no column {name:?}")]
pub struct NoColumn {
    /// The column.
    pub name: String,
}

/// A problem of a record of an archive.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordProblem {
    /// It cannot be read or decompressed.
    #[error("{0}")]
    Unreadable(#[from] io::Error),
    /// It does not begin with a known version.
    #[error("{0:?} is not a known version of WARC; a record begins with WARC/1.0, WARC/1.1, WARC/0.17 or WARC/0.18")]
    Version(String),
    /// Its head has no end.
    #[error("its head is longer than {} KiB", HEAD_LIMIT >> 10)]
    LongHead,
    /// Another record begins in its head.
    #[error("its head is cut short; another record follows in it")]
    CutHead,
    /// A line of its head is not a field.
    #[error("its head has a line that is not a field: {0:?}")]
    NoField(String),
    /// A required field is missing.
    #[error("it has no {0}")]
    Missing(&'static str),
    /// A field has a meaningless value.
    #[error("its {name} is not valid: {value:?}")]
    Value {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// Its time cannot be that of an answer.
    #[error("its time cannot be right: {0}")]
    Time(String),
    /// Its block is not followed by the end of a record.
    #[error("it does not end where its Content-Length says")]
    End,
    /// The archive ends within it.
    #[error("the archive ends within it")]
    CutShort,
}
