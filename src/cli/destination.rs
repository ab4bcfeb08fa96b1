//! Checks and locks of output files: a command overwrites nothing that a user made, and no policy that another one is writing.

use std::path::{Path, PathBuf};

use super::error::Failure;
use super::say::say;
use crate::error::Problem;
use crate::formats::error::NotReplaced;
use crate::formats::replace::FileKind;
use crate::formats::shown;
use crate::formats::write_lock::LockNotice;
use crate::output::folder::run_of;
use crate::policy::WriteLock;

/// Checks that a file may be written: what has its name is [replaceable](FileKind::ensure_replaceable), is none of the inputs, and is
/// no file of a run.
pub fn ensure(path: &Path, kind: &FileKind, inputs: &[PathBuf]) -> Result<(), Failure> {
    ensure_or(path, kind, inputs, refusal)
}

/// As [`ensure`]. If a file of another kind has the name, `refusal` makes the message, given the kind that would be replaced.
pub fn ensure_or(
    path: &Path,
    kind: &FileKind,
    inputs: &[PathBuf],
    refusal: impl Fn(&str) -> String,
) -> Result<(), Failure> {
    let same = if path.is_file() { path.canonicalize().ok() } else { None };
    if same.is_some() && inputs.iter().any(|input| input.canonicalize().ok() == same) {
        let message = format!("{} is an input and cannot also be the output; choose another name", shown(path));
        return Err(message.into());
    }
    kind.ensure_replaceable(path).map_err(|error| match error.get_ref().and_then(|error| error.downcast_ref()) {
        Some(NotReplaced { kind }) => Failure::from(format!("{} {}", shown(path), refusal(kind))),
        None => Problem::with_file("write", path)(error).into(),
    })?;
    match same.and_then(|same| run_of(&same)) {
        Some(run) => {
            let (path, run) = (shown(path), shown(&run));
            Err(format!("{path} is a file of the run in {run}; choose another name").into())
        }
        None => Ok(()),
    }
}

/// That a file is not of a kind that is replaced.
pub fn refusal(kind: &str) -> String {
    format!("exists and is not {kind}; move it, or choose another name")
}

/// Locks a policy file that will be written; unless `quiet`, says what the user should know about it.
pub fn lock(path: &Path, quiet: bool) -> Result<WriteLock, Failure> {
    let tell = |notice| {
        if !quiet {
            say_notice(path, notice);
        }
    };
    Ok(WriteLock::take(path, tell)?)
}

/// Says what a user should know about the lock of a file.
pub fn say_notice(path: &Path, notice: LockNotice) {
    match notice {
        LockNotice::Waiting => {
            say(format_args!("robosieve: waiting for another robosieve that writes {}", shown(path)))
        }
        LockNotice::NoLocks => say(format_args!(
            "robosieve: warning: the file system of {} has no locks, so make sure that no other robosieve writes it meanwhile",
            shown(path)
        )),
    }
}
