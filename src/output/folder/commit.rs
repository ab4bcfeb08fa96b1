//! A run's folder: one run at a time uses it; at the end of the run, complete files are renamed, and files that only
//! the run needed are deleted.
//!
//! Two runs in one folder would write to the same files, and each receipt would only show what its own run wrote. So a
//! run holds a lock while it reads the folder or writes to it. Every step at the end can be repeated, so a run that was
//! killed between two steps can repeat all of them.

use std::fs::{self, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::earlier::{remove_checkpoint, remove_spilled};
use super::names::{CHECKPOINT, LOCK, RECEIPT, folders_of, partial};
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::lock_file::LockFile;
use crate::formats::{durable, shown};
use crate::output::error::unwritable;

/// Renames complete files in `directory` to these names, in this order, unless they have them already. Then deletes the
/// spilled files, and last the checkpoint that lists these names.
///
/// The receipt vouches for the files before it, and what is after it must not be there without it: so these names are durable before
/// it gets its own, and it has its own, durably, before they get theirs.
pub(crate) fn name_files(directory: &Path, names: &[PathBuf]) -> Result<(), Error> {
    let receipt = names.iter().position(|name| name == Path::new(RECEIPT)).unwrap_or(names.len());
    let (files, rest) = names.split_at(receipt);
    let (receipt, elsewhere) = rest.split_at(rest.len().min(1));
    [files, receipt, elsewhere].into_iter().try_for_each(|names| name_together(directory, names))?;
    remove_spilled(directory).map_err(unwritable(directory))?;
    remove_checkpoint(directory).map_err(unwritable(&directory.join(CHECKPOINT)))
}

/// Renames complete files to these names, in this order, and makes the names durable. The name of a file that is not in the folder is
/// absolute.
fn name_together(directory: &Path, names: &[PathBuf]) -> Result<(), Error> {
    let paths: Vec<PathBuf> = names.iter().map(|name| directory.join(name)).collect();
    for path in &paths {
        match durable::rename(&partial(path), path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_file() => {}
            other => other.map_err(unwritable(path))?,
        }
    }
    sync_names(paths.iter().map(PathBuf::as_path))
}

/// Makes partial files, their names, and those of the folders below `directory` that they are in durable. They are given by their
/// final paths.
pub(crate) fn make_durable(directory: &Path, files: &[PathBuf]) -> Result<(), Error> {
    for path in files {
        durable::sync_at(&partial(path)).map_err(unwritable(path))?;
    }
    let folders = folders_of(files.iter().filter_map(|path| path.strip_prefix(directory).ok()));
    let folders: Vec<PathBuf> = folders.into_iter().map(|folder| directory.join(folder)).collect();
    sync_names(files.iter().chain(&folders).map(PathBuf::as_path))
}

fn sync_names<'n>(names: impl IntoIterator<Item = &'n Path>) -> Result<(), Error> {
    durable::sync_names(names).map_err(unsynced)
}

fn unsynced((folder, error): (PathBuf, io::Error)) -> Error {
    unwritable(&folder)(error)
}

/// A folder that no other run writes to until this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    _file: LockFile,
}

impl FolderLock {
    /// Locks a folder, creating it if it does not exist.
    ///
    /// # Errors
    ///
    /// If it is a file, if another run holds the lock, or if the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, Error> {
        if fs::metadata(directory).is_ok_and(|there| !there.is_dir()) {
            let message = format!("{} is a file, not a folder; choose another name", shown(directory));
            return Err(ErrorKind::Output.of(message).about(About::Folder));
        }
        let created = durable::create_folders(directory).map_err(unwritable(directory))?;
        // In the folder above, names may be made even if nobody may read them, but then they cannot be synced.
        match durable::sync_names(created.iter().map(PathBuf::as_path)) {
            Err((_, error)) if error.kind() == io::ErrorKind::PermissionDenied => {}
            synced => synced.map_err(unsynced)?,
        }
        let path = directory.join(LOCK);
        match LockFile::try_take(&path) {
            Ok(file) => Ok(FolderLock { _file: file }),
            Err(TryLockError::WouldBlock) => {
                let folder = shown(directory);
                let message =
                    format!("another run is writing to {folder}; wait until it finishes, or choose another folder");
                Err(ErrorKind::Output.of(message).about(About::Folder))
            }
            Err(TryLockError::Error(error)) => Err(unwritable(&path)(error)),
        }
    }
}
