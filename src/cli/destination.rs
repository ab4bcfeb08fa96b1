//! Checks of output files: a command overwrites nothing that a user made.

use std::path::{Path, PathBuf};

use super::error::Failure;
use crate::formats::error::NotReplaced;
use crate::formats::replaceable::FileKind;
use crate::output::folder::run_of;

/// Checks that a file may be written: what has its name is [replaceable](FileKind::ensure_replaceable), is none of the inputs, and is
/// no file of a run.
pub fn ensure(path: &Path, kind: &FileKind, inputs: &[PathBuf]) -> Result<(), Failure> {
    let same = if path.is_file() { path.canonicalize().ok() } else { None };
    if same.is_some() && inputs.iter().any(|input| input.canonicalize().ok() == same) {
        return Err(Failure::IsInput { path: path.to_owned() });
    }
    kind.ensure_replaceable(path).map_err(|error| {
        let path = path.to_owned();
        match error.get_ref().and_then(|error| error.downcast_ref()) {
            Some(NotReplaced { kind }) => Failure::NotReplaced { path, kind },
            None => Failure::Output { path, error },
        }
    })?;
    match same.and_then(|same| run_of(&same)) {
        Some(run) => Err(Failure::IsOfRun { path: path.to_owned(), run }),
        None => Ok(()),
    }
}
