//! Why output cannot be written.

use std::io;
use std::path::{Path, PathBuf};

#[cfg(feature = "parquet")]
use crate::formats::columnar::Malformed;
use crate::formats::error::{FileError, in_words};
use crate::formats::shown;
use crate::input::error::ListError;

/// Why a run's output cannot be written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OutputError {
    /// A list whose rows are copied, or whose head line goes into the files, cannot be read.
    #[error(transparent)]
    List(#[from] ListError),
    /// A file cannot be written.
    #[error(transparent)]
    Unwritable(#[from] FileError),
    /// Standard output cannot be written to.
    #[error("cannot write to standard output: {}", in_words(.0))]
    StandardOutput(io::Error),
    /// Lines cannot be compressed.
    #[error("cannot compress the output: {}", in_words(.0))]
    Compress(io::Error),
    /// A file has the name of the folder.
    #[error("{} is a file, not a folder; choose another name", shown(path))]
    NotFolder {
        /// The file.
        path: PathBuf,
    },
    /// Another run is writing to the folder.
    #[error("another run is writing to {}; wait until it finishes, or choose another folder", shown(path))]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder is not empty.
    #[error("{} is not empty; choose another folder, or let this run replace the files of an earlier one", shown(path))]
    NotEmpty {
        /// The folder.
        path: PathBuf,
    },
    /// A file that the run would replace, and that no earlier run wrote.
    #[error(
        "{} is in the way, and no receipt of an earlier run names it; move it, or choose another folder",
        shown(path)
    )]
    InTheWay {
        /// The file.
        path: PathBuf,
    },
    /// The folder has an interrupted run in it.
    #[error("{} has an unfinished run; resume it, or discard it", shown(path))]
    Unfinished {
        /// The folder.
        path: PathBuf,
    },
    /// A run that cannot be resumed.
    #[error("the run in {} cannot be resumed: {problem}; start it again from the beginning", shown(path))]
    NotResumable {
        /// Its folder.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// Two crawlers whose files would have the same name.
    #[error("two crawlers would write to {name}; use a separate run for one of them")]
    SameName {
        /// The name.
        name: String,
    },
    /// Lists with different columns, whose rows cannot share a table.
    #[error(
        "the lists {} and {} have different columns, so one table cannot hold the rows of both; give each list its \
         own partitions",
        shown(one),
        shown(other)
    )]
    ColumnsDiffer {
        /// A list.
        one: PathBuf,
        /// Another list, with other columns.
        other: PathBuf,
    },
    /// A list with a column of the same name as an added one.
    #[error(
        "the list {}, or its folder, already has a column {column:?}, a name that the output needs; rename it, or write text",
        shown(path)
    )]
    ColumnTaken {
        /// The list.
        path: PathBuf,
        /// The column.
        column: String,
    },
    /// A list with a column of the same name as one in the name of its folder.
    #[error(
        "the list {} has a column {column:?}, and so has its folder {folder}; rename one, or let folders be no columns",
        shown(path)
    )]
    PathColumnTaken {
        /// The list.
        path: PathBuf,
        /// The column, and the folder.
        column: String,
        folder: String,
    },
    /// Lists in folders of different columns.
    #[error(
        "the folders of the lists {} and {} have different columns ({}), so one table cannot hold the rows of both; give \
         each list its own partitions, or let folders be no columns",
        shown(one),
        shown(other),
        columns.iter().map(|names| if names.is_empty() { "none" } else { names }).collect::<Vec<_>>().join("; ")
    )]
    PathColumnsDiffer {
        /// A list.
        one: PathBuf,
        /// Another list.
        other: PathBuf,
        /// The columns of each.
        columns: [String; 2],
    },
    /// Lists in the same folders with others between them.
    #[error(
        "the list {} comes after lists in other folders than {folder}, and others in {folder} before these; give the lists of a folder \
         one after the other, or let folders become columns",
        shown(path)
    )]
    FoldersApart {
        /// The list.
        path: PathBuf,
        /// Its folders.
        folder: String,
    },
    /// Rows cannot be written.
    #[error("cannot write the rows: {problem}")]
    Table {
        /// Why.
        problem: String,
    },
}

impl OutputError {
    /// Turns the system's error into one that says which file, or folder of files, cannot be written.
    pub(crate) fn unwritable<'p>(path: &'p Path) -> impl Fn(io::Error) -> OutputError + Copy + use<'p> {
        move |error| OutputError::Unwritable(FileError::of("write", path)(error))
    }
}

#[cfg(feature = "parquet")]
impl From<Malformed> for OutputError {
    fn from(Malformed(problem): Malformed) -> OutputError {
        OutputError::Table { problem }
    }
}
