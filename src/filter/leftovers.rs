//! What a run that ended early leaves in its folder: nothing of it is a result.

use std::fs;
use std::io;
use std::path::Path;

use super::checkpoint::CHECKPOINT;
use super::naming;
use super::output::{NEEDED, RECEIPT, is_list_folder, is_partial};

/// Removes partial files of a run that has no checkpoint to go on from, and the folders of lists in which there is nothing
/// else.
pub(super) fn remove_leftovers(directory: &Path) -> io::Result<()> {
    remove_spilled(directory)?;
    remove_partial(directory)?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && is_list_folder(&entry.file_name().to_string_lossy()) {
            remove_partial(&entry.path())?;
            // It stays if there is anything else in it.
            let _ = fs::remove_dir(entry.path());
        }
    }
    Ok(())
}

/// Removes the partial files of a run in one folder.
fn remove_partial(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let whole = name.strip_prefix('.').and_then(|name| name.strip_suffix(".partial"));
        if whole.is_some_and(|name| naming::is_output(name) || [NEEDED, RECEIPT].contains(&name)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Removes what origins were spilled to, and a checkpoint that was not completed.
pub(super) fn remove_spilled(directory: &Path) -> io::Result<()> {
    let ours = [format!(".{NEEDED}."), format!(".{CHECKPOINT}.")];
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // The list of origins itself is partial too, but has no number.
        let numbered = name != format!(".{NEEDED}.partial");
        if is_partial(&name) && numbered && ours.iter().any(|start| name.starts_with(start)) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
