//! Leftovers of a run that ended early, none of which is a result.

use std::path::Path;
use std::{fs, io};

use super::file_name::is_output;
use super::list_folder::{is_folder_of_run, is_of_other_run};
use super::names::{CHECKPOINT, NEEDED, RECEIPT, WAITING_ROWS, is_partial};

/// Deletes the partial files of a run that has no checkpoint to resume from, and the folders it made for them if nothing else is
/// in them. A partial receipt stays, because it names the files of an [earlier](super::earlier) run.
pub(crate) fn remove_leftovers(directory: &Path) -> io::Result<()> {
    remove_files(directory, |name| is_spilled(name) || is_partial_output(name))?;
    remove_below(directory).map(drop)
}

/// Deletes partial files in the folders that a run made below this one; returns how many. Those of other runs stay.
fn remove_below(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_of_run = entry.file_type()?.is_dir() && is_folder_of_run(&entry.file_name().to_string_lossy());
        if is_of_run && !is_of_other_run(&entry.path()) {
            let removed_here = remove_files(&entry.path(), is_partial_output)? + remove_below(&entry.path())?;
            if removed_here > 0 {
                // Fails if anything else is in it, which then stays.
                let _ = fs::remove_dir(entry.path());
            }
            removed += removed_here;
        }
    }
    Ok(removed)
}

/// Deletes the files of spilled origins and of rows that waited, and an incomplete checkpoint.
pub(super) fn remove_spilled(directory: &Path) -> io::Result<()> {
    remove_files(directory, is_spilled).map(drop)
}

/// Whether a run that ends early may leave a file of this name.
pub(super) fn is_leftover(name: &str) -> bool {
    is_spilled(name) || is_partial_output(name) || whole(name) == Some(RECEIPT)
}

/// Deletes a file, if it exists.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// Deletes the files of a folder whose names match; returns how many.
fn remove_files(folder: &Path, is_match: impl Fn(&str) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_match(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The final name of a partial file.
fn whole(name: &str) -> Option<&str> {
    name.strip_prefix('.')?.strip_suffix(".partial")
}

/// Whether this is a partial file of lines, or the partial list of origins.
fn is_partial_output(name: &str) -> bool {
    whole(name).is_some_and(|name| is_output(name) || name == NEEDED)
}

/// Whether this is a file of spilled origins or of rows that wait, or an incomplete checkpoint.
fn is_spilled(name: &str) -> bool {
    let ours = [format!(".{NEEDED}."), format!(".{WAITING_ROWS}."), format!(".{CHECKPOINT}.")];
    // The list of origins is partial at first too, but has no number in its name.
    is_partial(name) && whole(name) != Some(NEEDED) && ours.iter().any(|start| name.starts_with(start))
}
