//! The error of runs, as callers see it.

use crate::input::error::{ListError, ListNamesError};
use crate::output::error::OutputError;

opaque_error! {
    /// A run without a result, or receipts that cannot be verified or joined.
    pub struct Error;

    /// What went wrong with a run.
    pub enum ErrorKind {
        /// The run stopped because it was asked to. If it can be [resumed](super::Job::resume), the message says so.
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
    /// The problem itself, if it is of this type.
    pub(crate) fn problem<P: std::error::Error + 'static>(&self) -> Option<&P> {
        self.problem.downcast_ref()
    }

    /// The problem itself, if it is of this type; else the same error.
    pub(crate) fn into_problem<P: std::error::Error + 'static>(self) -> Result<P, Error> {
        let Error { kind, problem } = self;
        problem.downcast().map(|problem| *problem).map_err(|problem| Error { kind, problem })
    }
}

is_opaque!(ListError as Error: |_| ErrorKind::List);
is_opaque!(ListNamesError as Error: |_| ErrorKind::List);
is_opaque!(OutputError as Error: |_| ErrorKind::Output);
