//! Lock files: empty files that one process at a time holds, and deletes when it is done.
//!
//! The system releases a lock when its process dies, for whatever reason; that leaves an empty file, which the next process takes
//! over. Except on Unix the empty file stays in any case: elsewhere a process could not detect that it was deleted between opening
//! and locking it.

use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::seekable;

/// A lock file that no other process holds until this is dropped.
#[derive(Debug)]
pub(crate) struct LockFile {
    path: PathBuf,
    file: File,
    is_exclusive: bool,
}

/// The lock file beside a file: `.NAME.lock`.
///
/// # Errors
///
/// [`IsADirectory`](io::ErrorKind::IsADirectory) if the path names no file.
pub(crate) fn beside(path: &Path) -> io::Result<PathBuf> {
    let mut hidden = OsString::from(".");
    hidden.push(path.file_name().ok_or(io::ErrorKind::IsADirectory)?);
    hidden.push(".lock");
    Ok(path.with_file_name(hidden))
}

impl LockFile {
    /// Takes a lock.
    ///
    /// # Errors
    ///
    /// [`TryLockError::WouldBlock`] if another process holds it; others if the file cannot be opened or locked, or is not a lock.
    pub fn try_take(path: &Path) -> Result<LockFile, TryLockError> {
        locked(path, File::try_lock)
    }

    /// Takes a lock. While another process holds it, waits, after one call of `waiting`.
    ///
    /// # Errors
    ///
    /// If the file cannot be opened or locked, or is not a lock; [`Interrupted`](io::ErrorKind::Interrupted) if a signal arrives
    /// while it waits.
    pub fn wait(path: &Path, waiting: impl FnOnce()) -> io::Result<LockFile> {
        let mut waiting = Some(waiting);
        let lock = |file: &File| match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                if let Some(waiting) = waiting.take() {
                    waiting();
                }
                file.lock().map_err(TryLockError::Error)
            }
            other => other,
        };
        Ok(locked(path, lock)?)
    }

    /// Whether no other process holds the lock: not known on a file system without locks.
    pub fn is_exclusive(&self) -> bool {
        self.is_exclusive
    }
}

impl Drop for LockFile {
    /// Deletes the file while it is still locked, so that it is never another process's.
    fn drop(&mut self) {
        if cfg!(unix) {
            let _ = fs::remove_file(&self.path);
        }
        // Closing does not suffice if the process was forked: the child has the file open, too.
        let _ = self.file.unlock();
    }
}

/// The file at a path, locked by `lock`, or as it is if its file system has no locks. There it is up to the user to start only one
/// process.
fn locked(path: &Path, mut lock: impl FnMut(&File) -> Result<(), TryLockError>) -> Result<LockFile, TryLockError> {
    loop {
        let file = open(path).map_err(TryLockError::Error)?;
        let is_exclusive = match lock(&file) {
            Err(TryLockError::Error(error)) if means_no_locks(&error) => false,
            other => other.map(|()| true)?,
        };
        // Otherwise the previous holder deleted the file after it was opened here and before it was locked.
        if !is_exclusive || is_at(&file, path).map_err(TryLockError::Error)? {
            return Ok(LockFile { path: path.to_owned(), file, is_exclusive });
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    // Exclusive locks on network file systems need a file open for writing.
    let file = match File::options().read(true).write(true).create(true).truncate(false).open(path) {
        // Another user's, which elsewhere may be locked all the same.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => seekable::open(path).map_err(|_| error)?,
        file => file?,
    };
    // Lock files are always empty, so anything else is a user's file. As a lock it would be deleted in the end.
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > 0 {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is not empty, so it is not a lock; move it"));
    }
    Ok(file)
}

/// Whether an error of locking says that the file system has no locks.
fn means_no_locks(error: &io::Error) -> bool {
    // Network file systems say `ENOLCK` if no service for locks runs.
    #[cfg(unix)]
    if let Some(rustix::io::Errno::NOLCK | rustix::io::Errno::NOTSUP) = rustix::io::Errno::from_io_error(error) {
        return true;
    }
    error.kind() == io::ErrorKind::Unsupported
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
    use std::sync::atomic::{AtomicUsize, Ordering};

    const LOCK: &str = ".file.lock";

    #[test]
    fn a_file_that_is_not_empty_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        fs::write(&path, "mine").unwrap();
        assert!(matches!(LockFile::try_take(&path), Err(TryLockError::Error(_))));
        assert_eq!(LockFile::wait(&path, || ()).unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert_eq!(fs::read(path).unwrap(), b"mine");
    }

    /// Each holder must have the lock alone, although the file is deleted and created all the time.
    #[test]
    fn many_at_once_hold_it_one_by_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let (holders, held) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let hold = |lock: LockFile| {
            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
            holders.fetch_sub(1, Ordering::SeqCst);
            held.fetch_add(1, Ordering::SeqCst);
            drop(lock);
        };
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| (0..500).for_each(|_| hold(LockFile::wait(&path, || ()).unwrap())));
                scope.spawn(|| (0..500).for_each(|_| drop(LockFile::try_take(&path).map(hold))));
            }
        });
        // Those that wait get it every time.
        assert!(held.into_inner() >= 1000);
        assert_eq!(path.exists(), cfg!(not(unix)));
    }

    /// The previous holder deletes it after it was opened and before it is locked; another may already have made a new one.
    #[cfg(unix)]
    #[test]
    fn a_deleted_file_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        for is_made_again in [false, true] {
            let mut opened = 0;
            let lock = |file: &File| {
                opened += 1;
                if opened == 1 {
                    fs::remove_file(&path).unwrap();
                    if is_made_again {
                        fs::write(&path, "").unwrap();
                    }
                }
                file.try_lock()
            };
            let held = locked(&path, lock).unwrap();
            assert_eq!(opened, 2, "{is_made_again}");
            assert!(matches!(LockFile::try_take(&path), Err(TryLockError::WouldBlock)));
            drop(held);
        }
    }

    #[test]
    fn waiting_is_told_once_whoever_holds_it_next() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let first = LockFile::try_take(&path).unwrap();
        assert!(LockFile::try_take(&path).is_err_and(|error| matches!(error, TryLockError::WouldBlock)));
        let mut told = 0;
        let mut first = Some(first);
        drop(LockFile::wait(&path, || (told, first) = (told + 1, None)).unwrap());
        drop(LockFile::wait(&path, || unreachable!("nobody holds it")).unwrap());
        assert_eq!(told, 1);
    }

    /// As on network file systems without a service for locks, and on file systems of programs.
    #[cfg(unix)]
    #[test]
    fn without_locks_everybody_holds_it() {
        use rustix::io::Errno;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        let fail = |errno: Errno| locked(&path, |_| Err(TryLockError::Error(errno.into())));
        for errno in [Errno::NOLCK, Errno::NOSYS, Errno::OPNOTSUPP, Errno::NOTSUP] {
            let (one, other) = (fail(errno).unwrap(), fail(errno).unwrap());
            assert!(!one.is_exclusive() && !other.is_exclusive(), "{errno}");
        }
        assert!(!path.exists());
        assert!(LockFile::try_take(&path).unwrap().is_exclusive());
        assert!(matches!(fail(Errno::IO), Err(TryLockError::Error(_))));
    }

    /// A dead process of another user may have left it, which only its owner can write.
    #[cfg(unix)]
    #[test]
    fn a_file_that_can_only_be_read_is_a_lock() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(LOCK);
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o444)).unwrap();
        assert!(LockFile::try_take(&path).unwrap().is_exclusive());
        assert!(!path.exists());
    }
}
