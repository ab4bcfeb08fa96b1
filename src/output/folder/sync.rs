//! Files and names that outlive a power cut.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use super::names::partial;
use crate::input::error::FilterError;

/// Makes the names in a folder outlive a power cut, where the platform can promise that.
pub(crate) fn sync_folder(directory: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(directory)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = directory;
    Ok(())
}

/// Makes the bytes of a partial file outlive a power cut.
pub(crate) fn sync(path: &Path) -> Result<(), FilterError> {
    let file = OpenOptions::new().write(true).open(partial(path));
    file.and_then(|file| file.sync_all()).map_err(|error| FilterError::Output { path: path.to_owned(), error })
}
