//! Makes files and their names survive a power cut.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use super::list_folder::folders_of;
use super::names::partial;
use crate::output::error::OutputError;

/// Makes the names in a folder durable, where the platform can promise that.
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
        .try_for_each(|folder| sync_folder(&folder).map_err(|error| OutputError::Unwritable { path: folder, error }))
}

/// Makes the bytes of a partial file durable.
pub(crate) fn sync(path: &Path) -> Result<(), OutputError> {
    let file = OpenOptions::new().write(true).open(partial(path));
    file.and_then(|file| file.sync_all()).map_err(|error| OutputError::Unwritable { path: path.to_owned(), error })
}
