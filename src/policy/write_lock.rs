//! Allows one process at a time to replace a policy file.
//!
//! A merge reads a file and replaces it. If two did so at once, the answers of one would be lost. So a lock, a hidden file beside the
//! policy, is held from before a policy is read until it is replaced: the second process waits, and then reads the new file.

use std::io;
use std::path::{Path, PathBuf};

use crate::formats::error::{FileError, in_words};
use crate::formats::lock_file::{LockFile, beside};
use crate::formats::replace::{behind_links, remove_partial_files};
use crate::formats::{is_stream, shown};

/// The right to write a policy file, which one process at a time has until it drops this. Take it before you open a policy that the
/// file replaces; then no other process's changes are lost.
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
/// The lock is the file `.NAME.lock` beside the policy NAME; if that is a symbolic link, beside the file that it leads to. Dropping the
/// lock deletes it, except on Windows, where it stays, empty. A stream, such as `/dev/stdout`, needs no lock. A thread that has the lock
/// and takes it again waits forever.
#[derive(Debug)]
pub struct WriteLock {
    path: PathBuf,
    _file: Option<LockFile>,
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
    /// Takes the lock of a policy file, which need not exist, and deletes what processes left that died while they wrote it. While
    /// another process has the lock, waits. Each notice is given to `tell` at most once.
    ///
    /// # Errors
    ///
    /// [`FileError`] if the folder cannot be written to, or if what stands in the place of the lock is no lock; with
    /// [`Interrupted`](io::ErrorKind::Interrupted) if a signal arrives while it waits.
    pub fn take(path: impl AsRef<Path>, tell: impl FnMut(LockNotice)) -> Result<WriteLock, FileError> {
        let path = path.as_ref();
        WriteLock::taken(path, tell).map_err(FileError::of("write the policy", path))
    }

    fn taken(path: &Path, mut tell: impl FnMut(LockNotice)) -> io::Result<WriteLock> {
        if is_stream(path) {
            return Ok(WriteLock { path: path.to_owned(), _file: None });
        }
        let mut waits = false;
        loop {
            let behind = behind_links(path)?;
            let waiting = || {
                if !std::mem::replace(&mut waits, true) {
                    tell(LockNotice::Waiting);
                }
            };
            let file = locked(&behind, waiting)?;
            // While this process waited, the link may have been changed.
            if behind_links(path)? != behind {
                continue;
            }
            match file.is_exclusive() {
                // No other process writes the file.
                true => remove_partial_files(&behind),
                false => tell(LockNotice::NoLocks),
            }
            return Ok(WriteLock { path: behind, _file: Some(file) });
        }
    }

    /// The file to write, behind all links.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }
}

fn locked(path: &Path, waiting: impl FnOnce()) -> io::Result<LockFile> {
    let lock = beside(path)?;
    LockFile::wait(&lock, waiting).map_err(|error| {
        let (kind, words) = (error.kind(), in_words(&error));
        let words = match (lock.symlink_metadata(), kind) {
            (Ok(_), _) => format!("{}: {words}", shown(&lock)),
            // It cannot be created. Nor could the policy.
            (Err(_), io::ErrorKind::NotFound) => format!("{words}; make its folder first, or choose another"),
            (Err(_), _) => format!("{words}; choose a folder that can be written to"),
        };
        io::Error::new(kind, words)
    })
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
