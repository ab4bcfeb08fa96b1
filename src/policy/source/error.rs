//! Errors in reading sources.

use std::io;
use std::path::{Path, PathBuf};

use super::form::TextForm;
use super::kind::SourceKind;
use crate::formats::error::{FileError, in_words};
use crate::formats::{shortened, shown, visible};
use crate::origin::InvalidUrl;
use crate::policy::error::{Error, ErrorKind, WriteError};

/// The most bytes of the head of a record.
pub(super) const HEAD_LIMIT: usize = 256 << 10;

/// A source cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SourceError {
    /// The file or directory is missing or cannot be read.
    #[error(transparent)]
    Unreadable(#[from] FileError),
    /// The source has no robots.txt at all.
    #[error("{} holds no robots.txt: name its files by host or percent-encoded origin", shown(path))]
    Empty {
        /// The source.
        path: PathBuf,
    },
    /// A line of JSON Lines is malformed.
    #[error("{}, line {line} (byte {offset}): {}", shown(path), shortened(problem))]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: u64,
        /// Where the problem is, if that is known, or the line begins, in bytes from the start of the uncompressed text.
        offset: u64,
        /// The problem.
        problem: String,
    },
    /// A line of JSON Lines lacks a key that is needed.
    #[error(
        "{}, line {line} (byte {offset}): this answer has {lacks}; its keys are {}; name the keys to read",
        shown(path),
        shortened(visible(known))
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
    #[error("{}, record {record} (byte {offset}): {}", shown(path), shortened(problem))]
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
    #[error(
        "{}: it has no column {name:?}; its columns are {}; name the columns to read",
        shown(path),
        shortened(known)
    )]
    NoColumn {
        /// The file.
        path: PathBuf,
        /// The column.
        name: String,
        /// The columns of the file.
        known: String,
    },
    /// A row of a Parquet file is not an answer.
    #[error("{}, row {row}: {}", shown(path), shortened(problem))]
    Row {
        /// The file.
        path: PathBuf,
        /// The row, counted from 1.
        row: u64,
        /// The problem.
        problem: String,
    },
    /// An answer in memory is invalid.
    #[error("answer {number}: {}", shortened(problem))]
    Answer {
        /// The answer, counted from 1.
        number: u64,
        /// The problem.
        problem: String,
    },
    /// The time for answers that have none of their own cannot be meant, or there is none.
    #[error("{}: {problem}", shown(path))]
    Time {
        /// The source.
        path: PathBuf,
        /// The problem.
        problem: String,
    },
    /// A file that was named as a robots.txt, and certainly is none.
    #[error("{} looks like {}, not like a robots.txt", shown(path), form.name())]
    NotRobots {
        /// The file.
        path: PathBuf,
        /// The form that it has.
        form: TextForm,
    },
    /// A file or folder of a kind that is not read, or not here.
    #[error("{} is {}, {problem}", shown(path), kind.name())]
    Kind {
        /// The file or folder.
        path: PathBuf,
        /// Its kind.
        kind: SourceKind,
        /// Why it is not read, and what to do.
        problem: String,
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

is_opaque!(SourceError as Error: |problem| match problem {
    SourceError::Unreadable(_) => ErrorKind::File,
    SourceError::Captures(problem) => problem.kind(),
    _ => ErrorKind::Source,
});

impl SourceError {
    pub(crate) fn unreadable(path: &Path) -> impl Fn(io::Error) -> SourceError + use<'_> {
        move |error| SourceError::Unreadable(FileError::of("read", path)(error))
    }

    pub(super) fn of_kind(path: &Path, kind: SourceKind, problem: &str) -> SourceError {
        SourceError::Kind { path: path.to_owned(), kind, problem: problem.to_owned() }
    }

    /// That a file is of a kind that this program was built without.
    #[cfg(not(all(feature = "parquet", feature = "warc")))]
    pub(super) fn without(path: &Path, kind: SourceKind, feature: &str) -> SourceError {
        let problem = "but this program was built without support for it";
        SourceError::of_kind(path, kind, &format!("{problem} (cargo feature `{feature}`)"))
    }

    /// That a file is of a kind that is [not read](SourceKind::is_not_read).
    pub(super) fn not_read(path: &Path, kind: SourceKind) -> SourceError {
        let remedy = match kind {
            SourceKind::Policy => {
                return SourceError::of_kind(path, kind, "not a source of robots.txt; give it as the policy");
            }
            SourceKind::Foreign { remedy, .. } => remedy,
            SourceKind::Arc => "make a WARC archive of it: warcio recompress OLD.arc.gz NEW.warc.gz",
            _ => "take the WARC archives out of it: unzip -j FILE 'archive/*'",
        };
        SourceError::of_kind(path, kind, &format!("which is not read; {remedy}"))
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

/// A problem of a record of an archive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RecordProblem {
    /// It cannot be read or decompressed.
    #[error("{}", in_words(.0))]
    Unreadable(#[from] io::Error),
    /// It does not begin with a known version.
    #[error("{0:?} is not a known version of WARC; a record begins with WARC/1.0, WARC/1.1, WARC/0.17 or WARC/0.18")]
    Version(String),
    /// Its head has no end.
    #[error("the head of this record is longer than {} KiB", HEAD_LIMIT >> 10)]
    LongHead,
    /// Another record begins in its head.
    #[error("the head of this record is cut short; another record follows in it")]
    CutHead,
    /// A line of its head is not a field.
    #[error("the head of this record has a line that is not a field: {0:?}")]
    NoField(String),
    /// A required field is missing.
    #[error("this record has no {0}")]
    Missing(&'static str),
    /// A field has a meaningless value.
    #[error("the {name} of this record is not valid: {value:?}")]
    Value {
        /// The field.
        name: &'static str,
        /// Its value.
        value: String,
    },
    /// Its time cannot be that of an answer.
    #[error("the time of this record cannot be right: {0}")]
    Time(String),
    /// Its block is not followed by the end of a record.
    #[error("this record does not end where its Content-Length says")]
    End,
    /// The archive ends within it.
    #[error("the archive ends within this record")]
    CutShort,
}
