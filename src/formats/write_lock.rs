//! Allows one process at a time to read, change and replace a file.
//!
//! A merge reads a file and replaces it. If two did so at once, what one of them added would be lost. So a lock, a hidden file beside
//! the file, is held from before it is read until it is replaced: the second process waits, and then reads the new file.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use super::error::in_words;
use super::lock_file::{LockFile, beside};
use super::replace::{FileKind, behind_links, is_stream, remove_partial_files, replace};
use super::visible::shown;

/// The lock of a file that processes read, change and replace, such as a policy. One process at a time has it, until it drops this.
/// Take it before you open what the file replaces; then no other process's changes are lost.
///
/// ```
/// use robosieve::Policy;
/// use robosieve::policy::{WriteLock, merge};
/// # use robosieve::policy::{Capture, Captures};
/// # use robosieve::{Agents, Dialect};
/// # let folder = tempfile::tempdir()?;
/// # let [path, today] = ["policy.rsv", "today.rsv"].map(|name| folder.path().join(name));
/// # for (path, origin) in [(&path, "https://a.example"), (&today, "https://b.example")] {
/// #     let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
/// #     captures.add(vec![Capture::found(origin, "User-agent: *\nDisallow: /\n")])?;
/// #     captures.write(&WriteLock::take(path, |_| ())?)?;
/// # }
///
/// let lock = WriteLock::take(&path, |notice| eprintln!("{notice:?}"))?;
/// merge(&[Policy::open(&path)?, Policy::open(&today)?], None, &lock)?;
/// # assert_eq!(Policy::open(&path)?.statistics().origins, 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The lock is the file `.NAME.lock` beside the file NAME; if that is a symbolic link, beside the file that it leads to. Dropping the
/// lock deletes it, except on Windows, where it stays, empty. A stream, such as `/dev/stdout`, needs no lock. A thread that has the lock
/// and takes it again waits forever.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    file: Option<LockFile>,
}

/// A fact about a lock that a user may want to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum LockNotice {
    /// Another process has the lock; this one waits for it.
    Waiting,
    /// The file system has no locks, so nothing prevents another process from writing the file.
    NoLocks,
}

impl WriteLock {
    /// Takes the lock of a file, which need not exist, and deletes what processes left that died while they wrote it. While another
    /// process has the lock, waits. Each notice is given to `tell` at most once.
    pub(crate) fn waited_for(path: &Path, mut tell: impl FnMut(LockNotice)) -> io::Result<WriteLock> {
        let mut waits = false;
        let lock = |behind: &Path| {
            let waiting = || {
                if !std::mem::replace(&mut waits, true) {
                    tell(LockNotice::Waiting);
                }
            };
            locked(behind, |lock| LockFile::wait(lock, waiting).map_err(TryLockError::Error))
        };
        let taken = WriteLock::taken_by(path, lock)?;
        if taken.file.as_ref().is_some_and(|file| !file.is_exclusive()) {
            tell(LockNotice::NoLocks);
        }
        Ok(taken)
    }

    /// Takes the lock unless another process has it.
    ///
    /// # Errors
    ///
    /// As [`WriteLock::take`], and [`TryLockError::WouldBlock`].
    pub(crate) fn try_take(path: &Path) -> Result<WriteLock, TryLockError> {
        WriteLock::taken_by(path, |behind| locked(behind, LockFile::try_take))
    }

    fn taken_by(
        path: &Path,
        mut lock: impl FnMut(&Path) -> Result<LockFile, TryLockError>,
    ) -> Result<WriteLock, TryLockError> {
        if is_stream(path) {
            return Ok(WriteLock { path: path.to_owned(), file: None });
        }
        loop {
            let behind = behind_links(path).map_err(TryLockError::Error)?;
            let file = lock(&behind)?;
            // While this process waited, the link may have been changed.
            if behind_links(path).map_err(TryLockError::Error)? != behind {
                continue;
            }
            // Without locks, another process may be writing them.
            if file.is_exclusive() {
                remove_partial_files(&behind);
            }
            return Ok(WriteLock { path: behind, file: Some(file) });
        }
    }

    /// The file to write, behind all links.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// [Replaces](replace) the file by one of this kind.
    pub(crate) fn replace<T, E: From<io::Error>>(
        &self,
        kind: &FileKind,
        write: impl FnOnce(&mut File) -> Result<T, E>,
    ) -> Result<T, E> {
        replace(&self.path, kind, write)
    }
}

/// Locks the file beside a file by `lock`.
fn locked(path: &Path, lock: impl FnOnce(&Path) -> Result<LockFile, TryLockError>) -> Result<LockFile, TryLockError> {
    let beside = beside(path).map_err(TryLockError::Error)?;
    lock(&beside).map_err(|error| match error {
        TryLockError::Error(error) => TryLockError::Error(with_help(&beside, &error)),
        TryLockError::WouldBlock => TryLockError::WouldBlock,
    })
}

/// An error of a lock, with what to do.
fn with_help(lock: &Path, error: &io::Error) -> io::Error {
    let (kind, words) = (error.kind(), in_words(error));
    let words = match (lock.symlink_metadata(), kind) {
        (Ok(_), _) => format!("{}: {words}", shown(lock)),
        // It cannot be created. Nor could the file.
        (Err(_), io::ErrorKind::NotFound) => format!("{words}; make its folder first, or choose another"),
        (Err(_), _) => format!("{words}; choose a folder that can be written to"),
    };
    io::Error::new(kind, words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_file_and_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let (missing, file) = (folder.path().join("missing").join("policy.rsv"), folder.path().join("policy.rsv"));
        let error = |path: &Path| WriteLock::take(path, |_| ()).unwrap_err().to_string();
        let text = error(&missing);
        assert!(text.starts_with(&format!("cannot write the policy {}: ", missing.display())), "{text}");
        assert!(text.ends_with("; make its folder first, or choose another"), "{text}");
        std::fs::write(folder.path().join(".policy.rsv.lock"), "mine").unwrap();
        let text = error(&file);
        assert!(text.starts_with(&format!("cannot write the policy {}: ", file.display())), "{text}");
        assert!(text.ends_with(".policy.rsv.lock: it is not empty, so it is not a lock; move it"), "{text}");
    }
}
