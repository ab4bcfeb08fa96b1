//! Errors in the records of an archive.

use std::io;

use super::head;

/// A problem of a record.
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
    #[error("its head is longer than {} KiB", head::LIMIT >> 10)]
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
