//! What stands in the folder of a run before it begins, and goes when the run may replace it.
//!
//! Which files an earlier run wrote, its receipt tells. So the receipt goes in two steps: first it loses its name, because
//! without that nothing of the rest counts, and when all that it tells of is gone, it goes itself. A run that dies between
//! the two leaves it partial, as one does that dies while its files get their names; the next run reads it there.

use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::file_name::is_output;
use super::leftovers::{is_leftover, remove_leftovers};
use super::list_folder::is_list_folder;
use super::lock::LOCK;
use super::names::{CHECKPOINT, NEEDED, RECEIPT, REPORT, is_partial, partial};
use crate::input::error::FilterError;
use crate::output::file_layout::FileLayout;
use crate::output::records;

/// Makes room in `directory`, which is there and locked, for files of this layout.
///
/// # Errors
///
/// [`FilterError::Unfinished`] and [`FilterError::NotEmpty`] where something is in it and `force` is not given;
/// [`FilterError::Output`] where that cannot be removed.
pub(crate) fn make_room(directory: &Path, layout: &FileLayout, force: bool) -> Result<(), FilterError> {
    let failed = |error| FilterError::Output { path: directory.to_owned(), error };
    let unfinished = directory.join(CHECKPOINT);
    if unfinished.exists() {
        if !force {
            return Err(FilterError::Unfinished { path: directory.to_owned() });
        }
        remove(&unfinished).map_err(|error| FilterError::Output { path: unfinished.clone(), error })?;
    }
    remove_leftovers(directory).map_err(failed)?;
    let is_foreign = |name: &str| name != LOCK && !is_partial(name);
    let mut entries = fs::read_dir(directory).map_err(failed)?.flatten();
    if entries.any(|entry| is_foreign(&entry.file_name().to_string_lossy())) {
        if !force {
            return Err(FilterError::NotEmpty { path: directory.to_owned() });
        }
        let names = layout.files.iter().map(|file| file.of_part(0));
        let names: BTreeSet<String> = earlier(directory).into_iter().chain(names).collect();
        remove_earlier(directory, &names).map_err(failed)?;
    }
    remove(&partial(&directory.join(RECEIPT))).map_err(failed)
}

/// What is read of an earlier receipt, whatever else is in it.
#[derive(Default, Deserialize)]
struct Earlier {
    #[serde(default)]
    partitions: BTreeMap<String, Files>,
    verdicts: Option<Files>,
}

#[derive(Deserialize)]
struct Files {
    #[serde(default)]
    files: Vec<Name>,
}

#[derive(Deserialize)]
struct Name {
    name: String,
}

/// The names of the files that an earlier run says in its receipt to have written, without the receipt's own.
fn earlier(directory: &Path) -> BTreeSet<String> {
    let path = directory.join(RECEIPT);
    let receipt = match records::read(&path) {
        Ok(None) => records::read(&partial(&path)),
        receipt => receipt,
    };
    // What is none tells of no files.
    let receipt: Earlier = receipt.ok().flatten().unwrap_or_default();
    let files = receipt.partitions.into_values().chain(receipt.verdicts).flat_map(|part| part.files);
    // With files for each list, their names are the same in each folder.
    let names = files.filter_map(|file| file.name.rsplit('/').next().filter(|name| is_output(name)).map(str::to_owned));
    names.chain([NEEDED.to_owned(), REPORT.to_owned()]).collect()
}

/// Removes what an earlier run left: its receipt, and what has one of these names.
fn remove_earlier(directory: &Path, names: &BTreeSet<String>) -> io::Result<()> {
    let receipt = directory.join(RECEIPT);
    match fs::rename(&receipt, partial(&receipt)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    let remove_in = |directory: &Path| names.iter().try_for_each(|name| remove(&directory.join(name)));
    remove_in(directory)?;
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let folder = entry.path();
        if folder.is_dir() && is_list_folder(&entry.file_name().to_string_lossy()) {
            remove_in(&folder)?;
            // It stays if there is anything else in it.
            let _ = fs::remove_dir(&folder);
        }
    }
    Ok(())
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// The first of the lists that a run into `directory`, which writes files of this layout, would write to or
/// remove.
pub(crate) fn replaced<'l>(directory: &Path, layout: &FileLayout, lists: &'l [PathBuf]) -> Option<&'l PathBuf> {
    let directory = directory.canonicalize().ok()?;
    let earlier = earlier(&directory);
    let is_ours = |name: &str| {
        [LOCK, CHECKPOINT, RECEIPT].contains(&name)
            || is_leftover(name)
            || layout.files.iter().any(|file| file.gives(name))
            || earlier.contains(name)
    };
    let is_in_sets = |folder: &Path| {
        let is_of_list = || folder.file_name().is_some_and(|name| is_list_folder(&name.to_string_lossy()));
        folder == directory || folder.parent() == Some(&directory) && is_of_list()
    };
    let would_go = |path: PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(is_ours) && path.parent().is_some_and(is_in_sets)
    };
    // A link in the folder would go, as would a file in it that a link leads to.
    let stands_at = |list: &Path| Some(list.parent()?.canonicalize().ok()?.join(list.file_name()?));
    lists.iter().find(|list| {
        let list = std::path::absolute(list).unwrap_or_else(|_| list.to_path_buf());
        list.canonicalize().is_ok_and(would_go) || stands_at(&list).is_some_and(would_go)
    })
}
