//! Errors of policies that come from several places.

use std::io;
use std::path::Path;

use crate::error::Problem;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::error::in_words;
use crate::formats::shown;
use crate::formats::write_lock::{LockNotice, WriteLock};

/// For policy files.
impl WriteLock {
    /// Takes the lock of a policy file, which need not exist, and deletes what was left by processes that died while they wrote it.
    /// While another process has the lock, waits. Each notice is given to `tell` at most once.
    ///
    /// # Errors
    ///
    /// If the folder cannot be written to, or if what stands in the place of the lock is no lock; with the source
    /// [`Interrupted`](io::ErrorKind::Interrupted) if a signal arrives while it waits.
    pub fn take(path: impl AsRef<Path>, tell: impl FnMut(LockNotice)) -> Result<WriteLock, Error> {
        let path = path.as_ref();
        WriteLock::waited_for(path, tell).map_err(ErrorKind::File.with_file("write the policy", path))
    }
}

/// The error for a problem in writing a policy: the system's, or that there is too much for one.
pub(super) fn unwritten(problem: Problem) -> Error {
    if problem.source.is_some() { ErrorKind::File } else { ErrorKind::Capture }.of(problem)
}

/// The temporary file in this folder, for a policy that does not fit into memory, cannot be written.
pub(super) fn spilled(folder: &Path, error: io::Error) -> Error {
    let (folder, words) = (shown(folder), in_words(&error));
    let message =
        format!("cannot write a temporary file in {folder}: {words}; free space there, or choose another folder");
    ErrorKind::File.of(Problem { source: Some(error), ..Problem::from(message) })
}

/// Policies have these different dialects.
pub(crate) fn other_dialect(one: &str, other: &str) -> Error {
    let message =
        format!("the policies have different dialects, {one} and {other}; compile one of them again with the other's");
    ErrorKind::Differ.of(message)
}
