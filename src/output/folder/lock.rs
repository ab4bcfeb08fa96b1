//! Allows one run at a time in a folder.
//!
//! Two runs in one folder would write to the same files, and each receipt would only show what its own run wrote. So a run holds
//! a lock while it looks at the folder or writes to it.

use std::fs::{self, TryLockError};
use std::path::Path;

use crate::formats::lock_file::LockFile;
use crate::output::error::OutputError;

/// The name of the lock file, which exists while a run does.
pub(super) const LOCK: &str = ".robosieve.lock";

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
    /// [`OutputError::InUse`] if another run holds the lock; [`OutputError::Unwritable`] if the lock file cannot be written.
    pub fn take(directory: &Path) -> Result<FolderLock, OutputError> {
        fs::create_dir_all(directory).map_err(OutputError::unwritable(directory))?;
        let path = directory.join(LOCK);
        match LockFile::try_take(&path) {
            Ok(file) => Ok(FolderLock { _file: file }),
            Err(TryLockError::WouldBlock) => Err(OutputError::InUse { path: directory.to_owned() }),
            Err(TryLockError::Error(error)) => Err(OutputError::unwritable(&path)(error)),
        }
    }
}
