//! Allows one run at a time in a folder.
//!
//! Two runs in one folder would write to the same files, and each receipt would only show what its own run wrote. So a run holds
//! a lock while it looks at the folder or writes to it. The system releases the lock when the process dies, for whatever reason;
//! that leaves an empty file, which the next run takes over.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::output::error::OutputError;

/// The name of the lock file, which exists while a run does.
pub(super) const LOCK: &str = ".robosieve.lock";

/// A folder that no other run writes to until this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    path: PathBuf,
    /// Open while the lock is held.
    _file: File,
}

impl FolderLock {
    /// Locks a folder, creating it if it does not exist.
    ///
    /// # Errors
    ///
    /// [`OutputError::InUse`] if another run holds the lock; [`OutputError::Unwritable`] if the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, OutputError> {
        fs::create_dir_all(directory).map_err(|error| OutputError::Unwritable { path: directory.to_owned(), error })?;
        let path = directory.join(LOCK);
        // Lock files are always empty, so this is a user's file. As a lock it would be deleted in the end.
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > 0) {
            let error = io::Error::new(io::ErrorKind::AlreadyExists, "it is not empty, so it is not a lock; move it");
            return Err(OutputError::Unwritable { path, error });
        }
        let file = locked(&path).map_err(|error| OutputError::Unwritable { path: path.clone(), error })?;
        match file {
            Some(file) => Ok(FolderLock { path, _file: file }),
            None => Err(OutputError::InUse { path: directory.to_owned() }),
        }
    }
}

impl Drop for FolderLock {
    /// Deletes the file while it is still locked, so that it is never another run's. Except on Unix an empty file stays:
    /// elsewhere a run could not detect that it was deleted between opening and locking it.
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file at a path, locked; `None` if another process holds the lock.
fn locked(path: &Path) -> io::Result<Option<File>> {
    loop {
        // Exclusive locks on network file systems need a file open for writing.
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some file systems have no locks. There it is up to the user to start only one run.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) if is_at(&file, path)? => return Ok(Some(file)),
            // The previous holder deleted the file after it was opened here and before it was locked.
            Ok(()) => {}
        }
    }
}

/// Whether a file is still the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let ours = file.metadata()?;
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|found| (found.dev(), found.ino()) == (ours.dev(), ours.ino())),
    }
}

/// Always: the file is never deleted on this platform.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_empty_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        fs::write(&path, "mine").unwrap();
        assert!(matches!(FolderLock::take(folder.path()), Err(OutputError::Unwritable { .. })));
        assert_eq!(fs::read(path).unwrap(), b"mine");
    }

    /// Each holder must have the lock alone, although the file is deleted and created all the time.
    #[test]
    fn many_at_once_hold_it_one_by_one() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let folder = tempfile::tempdir().unwrap();
        let holders = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        if let Ok(lock) = FolderLock::take(folder.path()) {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
    }
}
