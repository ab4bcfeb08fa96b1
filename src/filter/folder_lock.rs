//! One run in a folder at a time.
//!
//! Two runs into one folder would write to the same files, and each would find in its receipt what it wrote itself. So a
//! run holds a lock as long as it looks at the folder or writes to it. The system lets go of the lock when the process
//! dies, however it does; what is left then is an empty file, which the next run takes over.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::FilterError;

/// The name of the file that is locked; it is there while a run is.
pub(super) const LOCK: &str = ".robosieve.lock";

/// A folder that nobody else writes to; until it is dropped.
#[derive(Debug)]
pub(super) struct FolderLock {
    path: PathBuf,
    /// Open as long as the lock is held.
    _file: File,
}

impl FolderLock {
    /// Locks a folder, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// [`FilterError::InUse`] where another run has it; [`FilterError::Output`] where the lock cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, FilterError> {
        fs::create_dir_all(directory).map_err(|error| FilterError::Output { path: directory.to_owned(), error })?;
        let path = directory.join(LOCK);
        // Nobody writes to a lock: this is somebody's file, and would be removed in the end.
        if fs::metadata(&path).is_ok_and(|there| there.len() > 0) {
            let error =
                io::Error::new(io::ErrorKind::AlreadyExists, "something is in it, so it is no lock; move it away");
            return Err(FilterError::Output { path, error });
        }
        let file = locked(&path).map_err(|error| FilterError::Output { path: path.clone(), error })?;
        match file {
            Some(file) => Ok(FolderLock { path, _file: file }),
            None => Err(FilterError::InUse { path: directory.to_owned() }),
        }
    }
}

impl Drop for FolderLock {
    /// The file goes while it is still locked, so it is never another run's.
    fn drop(&mut self) {
        if cfg!(not(windows)) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The file at a path, locked; `None` where another process holds it.
#[cfg(unix)]
fn locked(path: &Path) -> io::Result<Option<File>> {
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;

    loop {
        // Exclusive locks on network file systems want a file that is open for writing.
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        // SAFETY: flock takes no pointers, and the descriptor is open as long as `file` lives.
        if unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } != 0 {
            let error = io::Error::last_os_error();
            // Some file systems have no locks; then only whoever starts runs can see to it that there is one.
            let none = [libc::ENOSYS, libc::ENOTSUP, libc::EOPNOTSUPP].map(Some);
            return match error.kind() {
                io::ErrorKind::WouldBlock => Ok(None),
                io::ErrorKind::Interrupted => continue,
                _ if none.contains(&error.raw_os_error()) => Ok(Some(file)),
                _ => Err(error),
            };
        }
        // Whoever held the lock may have removed the file between opening and locking it; then another one may be there.
        let same = fs::metadata(path).and_then(|there| Ok((there, file.metadata()?)));
        match same {
            Ok((there, ours)) if (there.dev(), there.ino()) == (ours.dev(), ours.ino()) => return Ok(Some(file)),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
}

/// The file at a path, which nobody else can open, and which goes when it is closed; `None` where another process has it.
#[cfg(windows)]
fn locked(path: &Path) -> io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;

    const FILE_FLAG_DELETE_ON_CLOSE: u32 = 0x0400_0000;
    const ERROR_SHARING_VIOLATION: i32 = 32;
    const ERROR_ACCESS_DENIED: i32 = 5;
    /// Opening so that it goes when it is closed needs this right.
    const DELETE: u32 = 0x0001_0000;
    const GENERIC_WRITE: u32 = 0x4000_0000;

    let mut options = File::options();
    options.write(true).create(true).truncate(false).share_mode(0);
    options.access_mode(GENERIC_WRITE | DELETE).custom_flags(FILE_FLAG_DELETE_ON_CLOSE);
    match options.open(path) {
        Err(error) if error.raw_os_error() == Some(ERROR_SHARING_VIOLATION) => Ok(None),
        // Said of a file that is just being removed, too.
        Err(error) if error.raw_os_error() == Some(ERROR_ACCESS_DENIED) && path.exists() => Ok(None),
        other => other.map(Some),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_locked_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let directory = folder.path().join("out");
        let lock = FolderLock::take(&directory).unwrap();
        assert!(matches!(FolderLock::take(&directory), Err(FilterError::InUse { path }) if path == directory));
        drop(lock);
        assert!(!directory.join(LOCK).exists());
        // What a run that was killed left behind locks nothing.
        fs::write(directory.join(LOCK), "").unwrap();
        drop(FolderLock::take(&directory).unwrap());
        // What has something in it is not a lock.
        fs::write(directory.join(LOCK), "mine").unwrap();
        assert!(matches!(FolderLock::take(&directory), Err(FilterError::Output { .. })));
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
