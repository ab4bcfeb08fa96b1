//! One run in a folder at a time.
//!
//! Two runs into one folder would write to the same files, and each would find in its receipt what it wrote itself. So a
//! run holds a lock as long as it looks at the folder or writes to it. The system lets go of the lock when the process
//! dies, however it does; what is left then is an empty file, which the next run takes over.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::output::error::OutputError;

/// The name of the file that is locked; it is there while a run is.
pub(super) const LOCK: &str = ".robosieve.lock";

/// A folder to which no other run writes until this is dropped.
#[derive(Debug)]
pub(crate) struct FolderLock {
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

impl FolderLock {
    /// Locks a folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`OutputError::InUse`] where another run has it; [`OutputError::Unwritable`] where the lock cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, OutputError> {
        fs::create_dir_all(directory).map_err(|error| OutputError::Unwritable { path: directory.to_owned(), error })?;
        let path = directory.join(LOCK);
        // Nobody writes to a lock: this is somebody's file, and would be removed in the end.
        if fs::metadata(&path).is_ok_and(|there| there.len() > 0) {
            let error =
                io::Error::new(io::ErrorKind::AlreadyExists, "something is in it, so it is no lock; move it away");
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
    /// The file goes while it is still locked, so it is never another run's. Elsewhere than on Unix an empty one stays: nobody
    /// could tell there that it was removed between opening and locking it.
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file at a path, locked; `None` where another process holds it.
fn locked(path: &Path) -> io::Result<Option<File>> {
    loop {
        // Exclusive locks on network file systems want a file that is open for writing.
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => return Ok(None),
            // Some file systems have no locks; then only the user can see to it that there is one run.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error),
            Ok(()) if is_at(&file, path)? => return Ok(Some(file)),
            // The run that held the lock has removed the file between opening and locking it.
            Ok(()) => {}
        }
    }
}

/// Whether a file still is the one at a path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt;

    let ours = file.metadata()?;
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        there => there.map(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino())),
    }
}

/// Nobody removes it.
#[cfg(not(unix))]
fn is_at(_file: &File, _path: &Path) -> io::Result<bool> {
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("out");
        let lock = FolderLock::take(&directory).unwrap();
        assert!(matches!(FolderLock::take(&directory), Err(OutputError::InUse { path }) if path == directory));
        drop(lock);
        assert!(cfg!(not(unix)) || !directory.join(LOCK).exists());
        // What a run that was killed left behind locks nothing.
        fs::write(directory.join(LOCK), "").unwrap();
        drop(FolderLock::take(&directory).unwrap());
        // What has something in it is not a lock.
        fs::write(directory.join(LOCK), "mine").unwrap();
        assert!(matches!(FolderLock::take(&directory), Err(OutputError::Unwritable { .. })));
        assert_eq!(fs::read(directory.join(LOCK)).unwrap(), b"mine");
    }

    /// Everybody who gets the lock must have it alone, although the file goes and comes all the time.
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
