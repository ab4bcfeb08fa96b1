//! Leftovers of a run that ended early: nothing of them is a result.

use std::path::Path;
use std::{fs, io};

use super::file_name::is_output;
use super::list_folder::is_folder_of_run;
use super::names::{CHECKPOINT, NEEDED, RECEIPT, is_partial};

/// Removes partial files of a run that has no checkpoint to go on from, and the folders that it made in which there is
/// nothing else. A partial receipt stays, because it tells of [earlier](super::earlier) files.
pub(crate) fn remove_leftovers(directory: &Path) -> io::Result<()> {
    remove_files(directory, |name| is_spilled(name) || is_partial_output(name))?;
    remove_below(directory).map(drop)
}

/// Removes partial files in the folders that a run made in this one; says how many.
fn remove_below(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && is_folder_of_run(&entry.file_name().to_string_lossy()) {
            let of_folder = remove_files(&entry.path(), is_partial_output)? + remove_below(&entry.path())?;
            if of_folder > 0 {
                // It stays if there is anything else in it.
                let _ = fs::remove_dir(entry.path());
            }
            removed += of_folder;
        }
    }
    Ok(removed)
}

/// Removes what origins were spilled to, and a checkpoint that was not completed.
pub(super) fn remove_spilled(directory: &Path) -> io::Result<()> {
    remove_files(directory, is_spilled).map(drop)
}

/// Whether a file of this name is one that a run leaves when it ends early.
pub(super) fn is_leftover(name: &str) -> bool {
    is_spilled(name) || is_partial_output(name) || whole(name) == Some(RECEIPT)
}

/// Removes the files of a folder whose names are such; says how many.
fn remove_files(folder: &Path, is_such: impl Fn(&str) -> bool) -> io::Result<usize> {
    let mut removed = 0;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_such(&entry.file_name().to_string_lossy()) {
            fs::remove_file(entry.path())?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// The name that a partial file, or one that takes its place, gets when it is complete.
fn whole(name: &str) -> Option<&str> {
    let name = name.strip_prefix('.')?;
    name.strip_suffix(".partial").or_else(|| name.strip_suffix(".merged"))
}

/// Whether a partial file is one of lines, or the list of origins.
fn is_partial_output(name: &str) -> bool {
    whole(name).is_some_and(|name| is_output(name) || name == NEEDED)
}

/// Whether a file is one that origins were spilled to, or a checkpoint that was not completed.
fn is_spilled(name: &str) -> bool {
    let ours = [format!(".{NEEDED}."), format!(".{CHECKPOINT}.")];
    // The list of origins itself is partial too, but has no number.
    is_partial(name) && whole(name) != Some(NEEDED) && ours.iter().any(|start| name.starts_with(start))
}
