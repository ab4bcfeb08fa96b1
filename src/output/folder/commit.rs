//! The end of a run: complete files get their names, and files that only the run needed are deleted.
//!
//! Every step can be repeated, so a run that dies between two of them can start over from the first.

use std::path::{Path, PathBuf};
use std::{fs, io};

use super::leftovers::{remove, remove_spilled};
use super::names::{CHECKPOINT, partial};
use super::sync::sync_folders;
use crate::output::error::OutputError;

/// Gives complete files in `directory` these names, in this order, unless they have them already. Then deletes the spilled files,
/// and last the checkpoint that lists these names.
pub(crate) fn name_files(directory: &Path, names: &[PathBuf]) -> Result<(), OutputError> {
    let failed = |path: &Path, error| OutputError::Unwritable { path: path.to_owned(), error };
    for path in names.iter().map(|name| directory.join(name)) {
        match fs::rename(partial(&path), &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_file() => {}
            other => other.map_err(|error| failed(&path, error))?,
        }
    }
    // The names must survive a power cut too.
    sync_folders(directory, names)?;
    remove_spilled(directory).map_err(|error| failed(directory, error))?;
    let checkpoint = directory.join(CHECKPOINT);
    remove(&checkpoint).map_err(|error| failed(&checkpoint, error))
}
