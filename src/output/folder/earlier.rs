//! Files of an earlier run in a run's folder, and which of them may be replaced.
//!
//! Of complete files, only those that the earlier run's receipt names are deleted, and the page about it. A file that a user made
//! is never replaced: if this run would write there, it refuses and names the file. The receipt is deleted in two steps. First it
//! is renamed to a partial file, because without a receipt the other files are no result; it is deleted once all files it names
//! are gone. A run that dies in between leaves a partial receipt, as does one that dies while renaming its files, and the next
//! run reads that.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::lock::LOCK;
use super::names::{
    CHECKPOINT, NEEDED, RECEIPT, REPORT, REPORT_START, folders_of, is_file_of_run, is_folder_of_run, is_of_other_run,
    is_partial, partial, split_list_folder,
};
use super::strays::{is_leftover, remove, remove_leftovers};
use crate::formats::regular_file;
use crate::output::error::OutputError;
use crate::output::file_layout::FileLayout;
use crate::output::receipt::Receipt;

/// How a receipt begins, without white space.
const RECEIPT_START: &str = "{\"robosieve\":";

/// How a checkpoint begins, how its end begins, and the length of its end.
const CHECKPOINT_START: &[u8] = b"{\"job\":{";
const CHECKPOINT_END: &[u8] = b",\"checksum\":\"";
const CHECKPOINT_END_LENGTH: u64 = CHECKPOINT_END.len() as u64 + 34;

/// Makes room in `directory`, which exists and is locked, for a receipt, and for sets of files of this layout in these folders;
/// an empty one is `directory` itself.
///
/// # Errors
///
/// [`OutputError::Unfinished`] and [`OutputError::NotEmpty`] if it is not empty and `force` is not set;
/// [`OutputError::InTheWay`] if a file that no earlier run wrote has a name that this run needs;
/// [`OutputError::Unwritable`] if something cannot be deleted.
pub(crate) fn make_room(
    directory: &Path,
    sets: &BTreeSet<&str>,
    layout: &FileLayout,
    force: bool,
) -> Result<(), OutputError> {
    let failed = OutputError::unwritable(directory);
    let unfinished = directory.join(CHECKPOINT);
    if unfinished.exists() && !force {
        return Err(OutputError::Unfinished { path: directory.to_owned() });
    }
    let earlier = earlier(directory);
    if force && let Some(path) = in_the_way(directory, sets, layout, &earlier).map_err(failed)? {
        return Err(OutputError::InTheWay { path });
    }
    remove(&unfinished).map_err(OutputError::unwritable(&unfinished))?;
    remove_leftovers(directory).map_err(failed)?;
    if holds_files(directory).map_err(failed)? {
        if !force {
            return Err(OutputError::NotEmpty { path: directory.to_owned() });
        }
        remove_earlier(directory, &earlier).map_err(failed)?;
    }
    remove(&partial(&directory.join(RECEIPT))).map_err(failed)
}

/// Whether a folder holds anything but partial files, a lock, and empty folders such as a run leaves that is killed before it makes
/// files in them.
fn holds_files(folder: &Path) -> io::Result<bool> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_folder_of_this = entry.file_type()?.is_dir() && is_folder_of_run(&name) && !is_of_other_run(&path);
        let is_nothing = if is_folder_of_this { !holds_files(&path)? } else { name == LOCK || is_partial(&name) };
        if !is_nothing {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first path that a run would write to or delete, and that no earlier run wrote.
fn in_the_way(
    directory: &Path,
    sets: &BTreeSet<&str>,
    layout: &FileLayout,
    earlier: &BTreeSet<String>,
) -> io::Result<Option<PathBuf>> {
    let [checkpoint, receipt] = [CHECKPOINT, RECEIPT].map(|name| directory.join(name));
    if checkpoint.symlink_metadata().is_ok() && !was_checkpoint(&checkpoint).unwrap_or(false) {
        return Ok(Some(checkpoint));
    }
    if receipt.symlink_metadata().is_ok() && !file_starts_with(&receipt, RECEIPT_START) {
        return Ok(Some(receipt));
    }
    // One that cannot be read, such as that of a newer version, names nothing that may be replaced.
    let receipt = directory.join(RECEIPT);
    if Receipt::read(&receipt).is_err() {
        return Ok(Some(receipt));
    }
    let is_foreign = |name: &str, kind: fs::FileType| kind.is_dir() || !earlier.contains(name);
    // Every run writes this one, wherever its sets are.
    let needed = directory.join(NEEDED);
    if needed.symlink_metadata().is_ok_and(|there| is_foreign(NEEDED, there.file_type())) {
        return Ok(Some(needed));
    }
    let mut below = sets.iter().filter(|set| !set.is_empty()).map(|set| directory.join(set));
    if let Some(other) = below.find(|folder| is_of_other_run(folder)) {
        return Ok(Some(other));
    }
    let of_set = layout.folders();
    for (set, folder) in sets.iter().flat_map(|set| of_set.iter().map(move |folder| (*set, *folder))) {
        let path = directory.join(set).join(folder);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // There is a file where a folder should be.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Some(path)),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = child_path(folder, &entry.file_name().to_string_lossy());
            let is_wanted = layout.files.iter().any(|file| file.matches(&name));
            if is_wanted && is_foreign(&child_path(set, &name), entry.file_type()?) {
                return Ok(Some(entry.path()));
            }
        }
    }
    Ok(None)
}

/// The path of `name` below `folder`; an empty `folder` is the starting point itself.
fn child_path(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

/// Whether a file begins like this, ignoring white space.
fn file_starts_with(path: &Path, start: &str) -> bool {
    let mut read = Vec::new();
    let file = regular_file::open(path).and_then(|file| file.take(4096).read_to_end(&mut read));
    read.retain(|byte| !byte.is_ascii_whitespace());
    file.is_ok() && read.starts_with(start.as_bytes())
}

/// Whether a file is a checkpoint, perhaps damaged or cut short since: it begins or ends like one, or is the beginning of one.
fn was_checkpoint(path: &Path) -> io::Result<bool> {
    let mut file = regular_file::open(path)?;
    let (mut start, mut end) = (Vec::new(), Vec::new());
    file.by_ref().take(CHECKPOINT_START.len() as u64).read_to_end(&mut start)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(CHECKPOINT_END_LENGTH)))?;
    file.read_to_end(&mut end)?;
    Ok(CHECKPOINT_START.starts_with(&start) || end.starts_with(CHECKPOINT_END))
}

/// The files of an earlier run, as its receipt names them, without the receipt itself. Where each list has a folder, names begin
/// with it; none leads out of the run's folder.
fn earlier(directory: &Path) -> BTreeSet<String> {
    let whole = directory.join(RECEIPT);
    let path = if whole.symlink_metadata().is_ok() { whole } else { partial(&whole) };
    if !file_starts_with(&path, RECEIPT_START) {
        return BTreeSet::new();
    }
    // A file that is not a receipt names no files.
    let Some(receipt) = Receipt::read(&path).ok().flatten() else { return BTreeSet::new() };
    // Those that a joined receipt names in the folders of shards belong to the shards, even if their folders are in this one.
    let files = receipt.file_lists().flatten().filter(|_| receipt.shards.is_empty());
    let is_of_other = |folder: &str| !folder.is_empty() && is_of_other_run(&directory.join(folder));
    let is_of_this = |name: &String| is_file_of_run(name) && !is_of_other(split_list_folder(name).0);
    let names = files.map(|file| file.name.clone()).filter(is_of_this);
    names.chain(receipt.origins_needed.map(|_| NEEDED.to_owned())).collect()
}

/// Deletes the files of an earlier run: its receipt, those with these names, and the page about it.
fn remove_earlier(directory: &Path, names: &BTreeSet<String>) -> io::Result<()> {
    let receipt = directory.join(RECEIPT);
    match fs::rename(&receipt, partial(&receipt)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    names.iter().try_for_each(|name| remove(&directory.join(name)))?;
    remove_folders(directory, names.iter().map(Path::new));
    let report = directory.join(REPORT);
    if file_starts_with(&report, &REPORT_START.replace(char::is_whitespace, "")) { remove(&report) } else { Ok(()) }
}

/// Removes the folders of files with these names, unless something else is in them.
pub(crate) fn remove_folders<'n>(directory: &Path, names: impl IntoIterator<Item = &'n Path>) {
    for folder in folders_of(names) {
        let _ = fs::remove_dir(directory.join(folder));
    }
}

/// The first of the lists that a run into `directory` with files of this layout would overwrite or delete.
pub(crate) fn replaced<'l>(directory: &Path, layout: &FileLayout, lists: &'l [PathBuf]) -> Option<&'l PathBuf> {
    let directory = directory.canonicalize().ok()?;
    let earlier = earlier(&directory);
    let would_be_replaced = |path: PathBuf| {
        let Some(path) = path.strip_prefix(&directory).ok().and_then(Path::to_str) else { return false };
        let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (_, of_set) = split_list_folder(path);
        let is_in_sets = folders.split('/').all(|folder| folders.is_empty() || is_folder_of_run(folder));
        let is_ours = [LOCK, CHECKPOINT, RECEIPT, NEEDED, REPORT].contains(&name)
            || is_leftover(name)
            || layout.files.iter().any(|file| file.matches(of_set))
            || earlier.contains(path);
        is_in_sets && is_ours
    };
    // Both a link in the folder and a file in it that a link points to would be replaced.
    let resolved = |list: &Path| Some(list.parent()?.canonicalize().ok()?.join(list.file_name()?));
    lists.iter().find(|list| {
        let list = std::path::absolute(list).unwrap_or_else(|_| list.to_path_buf());
        list.canonicalize().is_ok_and(would_be_replaced) || resolved(&list).is_some_and(would_be_replaced)
    })
}
