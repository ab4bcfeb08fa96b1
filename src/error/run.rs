//! The error of runs, their lists and outputs.

use std::io;
use std::path::Path;

use crate::formats::compression::WindowTooLarge;
use crate::formats::error::CutShort;

opaque! {
    /// A run without a result, or receipts that cannot be verified or joined.
    pub struct Error;

    /// What went wrong with a run.
    pub enum ErrorKind {
        /// The run stopped because it was asked to. If it can be [resumed](crate::run::Job::resume), the message says so.
        Interrupted,
        /// A list cannot be read, or changed meanwhile.
        List,
        /// The output cannot be written, or something else is in its place.
        Output,
        /// The job contradicts itself, or what it is judged by does not fit it.
        Job,
        /// A receipt, a checkpoint or what they name is missing or damaged.
        Receipt,
        /// Shards do not fit together.
        Shards,
        /// A file of seen URLs or keys cannot be used.
        Seen,
        /// The system refuses something else, such as a thread or a temporary file.
        System,
    }
}

impl Error {
    /// Adds that the work of the failed run is kept in this folder.
    pub(crate) fn kept_in(mut self, folder: &Path) -> Error {
        self.problem.kept = Some(folder.to_owned());
        self
    }

    /// Why a file of this list, or a part of it, could not be read, without its path; `None` if something else is wrong, so that other
    /// lists cannot be read, either.
    pub(crate) fn of_bad_list(&self) -> Option<String> {
        let source = self.problem.source.as_ref().filter(|_| self.kind == ErrorKind::List);
        source.map(io::Error::to_string)
    }

    /// Whether the list was cut short while it was read.
    pub(crate) fn is_of_cut_list(&self) -> bool {
        self.problem.cause::<CutShort>().is_some()
    }

    /// Whether a decompressor needs more memory than it was given.
    pub(crate) fn is_window_too_large(&self) -> bool {
        self.problem.cause::<WindowTooLarge>().is_some()
    }
}
