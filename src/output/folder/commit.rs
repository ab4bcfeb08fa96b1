//! A run's folder: one run at a time uses it; at the end of the run, complete files are renamed, and files that only
//! the run needed are deleted.
//!
//! Two runs in one folder would write to the same files, and each receipt would only show what its own run wrote. So a
//! run holds a lock while it reads the folder or writes to it. Every step at the end can be repeated, so a run that was
//! killed between two steps can repeat all of them.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::earlier::{remove, remove_spilled};
use super::names::{CHECKPOINT, LOCK, folders_of, partial};
use crate::formats::lock_file::LockFile;
use crate::output::error::OutputError;

/// Renames complete files in `directory` to these names, in this order, unless they have them already. Then deletes the
/// spilled files, and last the checkpoint that lists these names.
pub(crate) fn name_files(directory: &Path, names: &[PathBuf]) -> Result<(), OutputError> {
    for path in names.iter().map(|name| directory.join(name)) {
        match fs::rename(partial(&path), &path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound && path.is_file() => {}
            other => other.map_err(OutputError::unwritable(&path))?,
        }
    }
    // The names must survive a power cut, too. The name of a file that is not in the folder is absolute.
    let (elsewhere, names): (Vec<PathBuf>, Vec<PathBuf>) = names.iter().cloned().partition(|name| name.is_absolute());
    for path in elsewhere {
        path.parent().map_or(Ok(()), sync_folder).map_err(OutputError::unwritable(&path))?;
    }
    sync_folders(directory, &names)?;
    remove_spilled(directory).map_err(OutputError::unwritable(directory))?;
    let checkpoint = directory.join(CHECKPOINT);
    remove(&checkpoint).map_err(OutputError::unwritable(&checkpoint))
}

// Makes files and their names survive a power cut.

/// Makes the names in a folder durable, if the platform supports that.
pub(crate) fn sync_folder(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

/// Does the same for the folder of a run and for the folders below it that files of these names are in.
pub(crate) fn sync_folders(directory: &Path, names: &[PathBuf]) -> Result<(), OutputError> {
    let folders = folders_of(names.iter().map(PathBuf::as_path)).into_iter().map(|folder| directory.join(folder));
    folders
        .chain([directory.to_owned()])
        .try_for_each(|folder| sync_folder(&folder).map_err(OutputError::unwritable(&folder)))
}

/// Makes the bytes of a partial file durable.
pub(crate) fn sync(path: &Path) -> Result<(), OutputError> {
    let file = OpenOptions::new().write(true).open(partial(path));
    file.and_then(|file| file.sync_all()).map_err(OutputError::unwritable(path))
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
    /// [`OutputError::NotFolder`] if it is a file; [`OutputError::InUse`] if another run holds the lock; [`OutputError::Unwritable`] if the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, OutputError> {
        if fs::metadata(directory).is_ok_and(|there| !there.is_dir()) {
            return Err(OutputError::NotFolder { path: directory.to_owned() });
        }
        fs::create_dir_all(directory).map_err(OutputError::unwritable(directory))?;
        let path = directory.join(LOCK);
        match LockFile::try_take(&path) {
            Ok(file) => Ok(FolderLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OutputError::InUse { path: directory.to_owned() }),
            Err(TryLockError::Error(error)) => Err(OutputError::unwritable(&path)(error)),
        }
    }
}
