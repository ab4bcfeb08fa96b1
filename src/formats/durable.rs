//! Files and names that survive a power cut.
//!
//! A power cut may take back any write to a file until the file is synced, and any name that is given, changed or removed in a folder,
//! each on its own and in any order, until the folder is synced. So a name that vouches for other files is given only after these and
//! their names are synced. All calls on which that order depends are here, because tests record them and lose what was not synced.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;

/// Creates a file; one that has the name becomes empty.
pub(crate) fn create(path: &Path) -> io::Result<File> {
    told(Call::Name, path, File::options().read(true).write(true).create(true).truncate(true).open(path))
}

/// Makes the bytes of a file, which is open, durable.
pub(crate) fn sync(file: &File, path: &Path) -> io::Result<()> {
    told(Call::Sync, path, file.sync_all())
}

/// Makes the bytes of a file durable.
pub(crate) fn sync_at(path: &Path) -> io::Result<()> {
    sync(&File::options().write(true).open(path)?, path)
}

/// Makes the names in a folder durable, if the platform supports that.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    #[cfg(unix)]
    told(Call::SyncFolder, folder, File::open(folder)?.sync_all())?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Makes the names of files durable: syncs the folders that they are in.
///
/// # Errors
///
/// The first folder that cannot be synced, and why.
pub(crate) fn sync_names<'n>(names: impl IntoIterator<Item = &'n Path>) -> Result<(), (PathBuf, io::Error)> {
    let folders: BTreeSet<&Path> = names.into_iter().map(above).collect();
    folders.into_iter().try_for_each(|folder| sync_folder(folder).map_err(|error| (folder.to_owned(), error)))
}

/// Renames a file; one that has the name is replaced.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    told(Call::Name, to, fs::rename(from, to))
}

/// Gives a temporary file its name. One that has the name is replaced, unless the file `is_new`: then it is an error.
pub(crate) fn persist(file: NamedTempFile, path: &Path, is_new: bool) -> io::Result<()> {
    let named = if is_new { file.persist_noclobber(path) } else { file.persist(path) };
    told(Call::Name, path, named.map(drop).map_err(|failed| failed.error))
}

/// Deletes a file, if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match told(Call::Name, path, fs::remove_file(path)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Creates a folder and those above it, unless they exist. Returns those that did not.
pub(crate) fn create_folders(path: &Path) -> io::Result<Vec<PathBuf>> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let created = path.ancestors().take_while(is_missing).map(Path::to_owned).collect();
    told(Call::Name, path, fs::create_dir_all(path))?;
    Ok(created)
}

/// Removes a folder, if it is empty.
pub(crate) fn remove_folder(path: &Path) -> io::Result<()> {
    told(Call::Name, path, fs::remove_dir(path))
}

/// Writes a file under a partial name, and then replaces the file at `path` by it.
pub(crate) fn replace<T>(partial: &Path, path: &Path, write: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let mut file = create(partial)?;
    let written = write(&mut file)?;
    file.flush()?;
    sync(&file, partial)?;
    rename(partial, path)?;
    sync_folder(above(path))?;
    Ok(written)
}

/// The folder that a path is in.
pub(crate) fn above(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// A kind of calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Call {
    /// Creates, renames or deletes.
    Name,
    /// Makes the bytes of a file durable.
    Sync,
    /// Makes the names in a folder durable.
    SyncFolder,
}

/// Passes on the result of a call.
#[cfg(not(any(test, feature = "internals")))]
#[inline]
fn told<T>(_call: Call, _path: &Path, result: io::Result<T>) -> io::Result<T> {
    result
}

/// Tells the recorder of a call that succeeded, and passes on its result.
#[cfg(any(test, feature = "internals"))]
fn told<T>(call: Call, path: &Path, result: io::Result<T>) -> io::Result<T> {
    if result.is_ok()
        && let Some(recorder) = &mut *crate::lock::lock(&RECORDER)
    {
        recorder(call, path);
    }
    result
}

/// Is told of each call after it was made, with the path that it names: of all threads, one after the other.
#[cfg(any(test, feature = "internals"))]
pub type Recorder = Box<dyn FnMut(Call, &Path) + Send>;

#[cfg(any(test, feature = "internals"))]
static RECORDER: std::sync::Mutex<Option<Recorder>> = std::sync::Mutex::new(None);

/// Tells this recorder of all calls of the process from now on, in place of the one before, which is returned.
#[cfg(any(test, feature = "internals"))]
pub fn record(recorder: Option<Recorder>) -> Option<Recorder> {
    std::mem::replace(&mut *crate::lock::lock(&RECORDER), recorder)
}
