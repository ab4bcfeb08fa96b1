//! Files in a run's folder that are not its results: files of an earlier run, files that unfinished runs left, and
//! other files that readers take for output; and which of these may be replaced.
//!
//! A run deletes only complete files that the earlier run's receipt names, and the page about that run. It never
//! replaces a file that a user made: if it would have to, it refuses and names the file. The receipt is deleted in two
//! steps. First it is renamed to a partial file, because without a receipt the other files are not a result; it is
//! deleted once all files that it names are gone. A run that is killed in between leaves a partial receipt, and so does
//! a run that is killed while it renames its files; the next run reads it.

use std::collections::{BTreeSet, HashSet};
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::names::{
    CHECKPOINT, FileName, LOCK, NEEDED, RECEIPT, REPORT, REPORT_START, WAITING_ROWS, are_folders_of_run, folders_of,
    is_file_of_run, is_folder_of_run, is_list_folder, is_of_other_run, is_output, is_partial, partial,
    split_list_folder, table_root,
};
use crate::error::About;
use crate::error::run::{Error, ErrorKind};
use crate::formats::{durable, seekable, shown};
use crate::output::error::unwritable;
use crate::output::file_layout::FileLayout;
use crate::output::form::OutputOptions;
use crate::output::receipt::Receipt;

/// How a receipt begins, without white space.
const RECEIPT_START: &str = "{\"robosieve\":";

/// How a checkpoint begins, how its end begins, and the length of its end.
const CHECKPOINT_START: &[u8] = b"{\"job\":{";
const CHECKPOINT_END: &[u8] = b",\"checksum\":\"";
const CHECKPOINT_END_LENGTH: u64 = CHECKPOINT_END.len() as u64 + 34;

/// Makes room in `directory`, which exists and is locked, for a receipt, and for sets of files of this layout in these
/// folders, and in those of columns of their lists; an empty name is no folder.
///
/// # Errors
///
/// If it is not empty and `force` is not set; if a file that no earlier run wrote has a name that this run needs; if something cannot be
/// deleted.
pub(crate) fn make_room(
    directory: &Path,
    sets: &BTreeSet<(&str, &str)>,
    layout: &FileLayout,
    force: bool,
) -> Result<(), Error> {
    let failed = unwritable(directory);
    let unfinished = directory.join(CHECKPOINT);
    if unfinished.exists() && !force {
        let message = format!("{} has an unfinished run; resume it, or discard it", shown(directory));
        return Err(ErrorKind::Output.of(message).about(About::Unfinished));
    }
    let earlier = earlier(directory);
    if force && let Some(path) = in_the_way(directory, sets, layout, &earlier).map_err(failed)? {
        let message = "is in the way, and no receipt of an earlier run names it; move it, or choose another folder";
        return Err(ErrorKind::Output.of(format!("{} {message}", shown(&path))));
    }
    remove_checkpoint(directory).map_err(unwritable(&unfinished))?;
    remove_leftovers(directory).map_err(failed)?;
    if holds_files(directory).map_err(failed)? {
        if !force {
            let message = "is not empty; choose another folder, or let this run replace the files of an earlier one";
            return Err(ErrorKind::Output.of(format!("{} {message}", shown(directory))).about(About::UsedFolder));
        }
        remove_earlier(directory, &earlier).map_err(failed)?;
    }
    durable::remove(&partial(&directory.join(RECEIPT))).map_err(failed)
}

/// The entries of a folder: the path and the name of each, and whether a run of this folder made it, as a folder.
fn contents(folder: &Path) -> io::Result<impl Iterator<Item = io::Result<(PathBuf, String, bool)>>> {
    let above = folder.file_name().and_then(OsStr::to_str);
    let entry = move |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let is_of_run = entry.file_type()?.is_dir() && is_folder_of_run(above, &name) && !is_of_other_run(&path);
        Ok((path, name, is_of_run))
    };
    Ok(fs::read_dir(folder)?.map(entry))
}

/// Whether a folder holds anything but partial files, a lock, and empty folders, which a run leaves if it is killed
/// before it creates files in them.
fn holds_files(folder: &Path) -> io::Result<bool> {
    for entry in contents(folder)? {
        let (path, name, is_of_run) = entry?;
        let is_nothing = if is_of_run { !holds_files(&path)? } else { name == LOCK || is_partial(&name) };
        if !is_nothing {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The first path that a run would write to or delete, and that no earlier run wrote.
fn in_the_way(
    directory: &Path,
    sets: &BTreeSet<(&str, &str)>,
    layout: &FileLayout,
    earlier: &BTreeSet<String>,
) -> io::Result<Option<PathBuf>> {
    let [checkpoint, receipt] = [CHECKPOINT, RECEIPT].map(|name| directory.join(name));
    if checkpoint.symlink_metadata().is_ok() && !was_checkpoint(&checkpoint).unwrap_or(false) {
        return Ok(Some(checkpoint));
    }
    let is_other = receipt.symlink_metadata().is_ok() && !file_starts_with(&receipt, RECEIPT_START);
    // A receipt that cannot be read, such as one of a newer version, names no file that may be replaced.
    if is_other || Receipt::read(&receipt).is_err() {
        return Ok(Some(receipt));
    }
    let is_foreign = |name: &str, kind: fs::FileType| kind.is_dir() || !earlier.contains(name);
    // Every run writes this file, wherever its sets are.
    let needed = directory.join(NEEDED);
    if needed.symlink_metadata().is_ok_and(|there| is_foreign(NEEDED, there.file_type())) {
        return Ok(Some(needed));
    }
    let mut below = sets.iter().filter(|(set, _)| !set.is_empty()).map(|(set, _)| directory.join(set));
    if let Some(other) = below.find(|folder| is_of_other_run(folder)) {
        return Ok(Some(other));
    }
    let of_set = |(set, inner)| layout.folders(inner).into_iter().map(move |folder| (set, folder));
    for (set, folder) in sets.iter().copied().flat_map(of_set) {
        let path = directory.join(set).join(&folder);
        let entries = match fs::read_dir(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            // There is a file where a folder should be.
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Some(path)),
            entries => entries?,
        };
        for entry in entries {
            let entry = entry?;
            let name = child_path(&folder, &entry.file_name().to_string_lossy());
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
    let file = seekable::open(path).and_then(|file| file.take(4096).read_to_end(&mut read));
    read.retain(|byte| !byte.is_ascii_whitespace());
    file.is_ok() && read.starts_with(start.as_bytes())
}

/// Whether a file is a checkpoint, perhaps damaged or cut short since: it begins or ends like one, or is the beginning of one.
fn was_checkpoint(path: &Path) -> io::Result<bool> {
    let mut file = seekable::open(path)?;
    let (mut start, mut end) = (Vec::new(), Vec::new());
    file.by_ref().take(CHECKPOINT_START.len() as u64).read_to_end(&mut start)?;
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(CHECKPOINT_END_LENGTH)))?;
    file.read_to_end(&mut end)?;
    Ok(CHECKPOINT_START.starts_with(&start) || end.starts_with(CHECKPOINT_END))
}

/// The files of an earlier run, as its receipt names them, without the receipt itself. If each list has a folder, names
/// begin with it; no name leads out of the run's folder.
fn earlier(directory: &Path) -> BTreeSet<String> {
    let whole = directory.join(RECEIPT);
    let path = if whole.symlink_metadata().is_ok() { whole } else { partial(&whole) };
    if !file_starts_with(&path, RECEIPT_START) {
        return BTreeSet::new();
    }
    // A file that is not a receipt names no files.
    let Some(receipt) = Receipt::read(&path).ok().flatten() else { return BTreeSet::new() };
    // Files that a joined receipt names in the folders of shards belong to the shards, even if these folders are in
    // this one.
    let files = receipt.file_lists().flatten().filter(|_| receipt.shards.is_empty());
    let is_of_other = |folder: &str| !folder.is_empty() && is_of_other_run(&directory.join(folder));
    let is_of_this = |name: &String| is_file_of_run(name) && !is_of_other(split_list_folder(name).0);
    let names = files.map(|file| file.name.clone()).filter(is_of_this);
    names.chain(receipt.origins_needed.map(|_| NEEDED.to_owned())).collect()
}

/// Deletes the files of an earlier run: its receipt, those with these names, and the page about it.
fn remove_earlier(directory: &Path, names: &BTreeSet<String>) -> io::Result<()> {
    let receipt = directory.join(RECEIPT);
    match durable::rename(&receipt, &partial(&receipt)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        other => other?,
    }
    // From here on nothing says that the files are complete; and until they are gone, the partial receipt says whose they are.
    durable::sync_folder(directory)?;
    let paths: Vec<PathBuf> =
        names.iter().map(|name| directory.join(name)).filter(|path| path.parent().is_some_and(Path::exists)).collect();
    paths.iter().try_for_each(|path| durable::remove(path))?;
    durable::sync_names(paths.iter().map(PathBuf::as_path)).map_err(|(_, error)| error)?;
    remove_folders(directory, names.iter().map(Path::new));
    let report = directory.join(REPORT);
    if file_starts_with(&report, &REPORT_START.replace(char::is_whitespace, "")) {
        durable::remove(&report)
    } else {
        Ok(())
    }
}

/// Removes the folders of files with these names, unless something else is in them.
pub(crate) fn remove_folders<'n>(directory: &Path, names: impl IntoIterator<Item = &'n Path>) {
    for folder in folders_of(names) {
        let _ = durable::remove_folder(&directory.join(folder));
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
        let is_in_sets = folders.is_empty() || are_folders_of_run(folders);
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

/// Deletes the partial files of a run that has no checkpoint to resume from, and the folders it made for them if nothing else is
/// in them. A partial receipt stays, because it names the files of an [earlier](super::earlier) run.
pub(crate) fn remove_leftovers(directory: &Path) -> io::Result<()> {
    remove_files(directory, |name| is_spilled(name) || is_partial_output(name))?;
    remove_below(directory).map(drop)
}

/// Deletes partial files in the folders that a run created below this one; returns how many. Files of other runs stay.
fn remove_below(folder: &Path) -> io::Result<usize> {
    let mut removed = 0;
    let below = contents(folder)?.collect::<io::Result<Vec<_>>>()?;
    for (path, ..) in below.into_iter().filter(|(.., is_of_run)| *is_of_run) {
        let removed_here = remove_files(&path, is_partial_output)? + remove_below(&path)?;
        if removed_here > 0 {
            // Fails if anything else is in it, which then stays.
            let _ = durable::remove_folder(&path);
        }
        removed += removed_here;
    }
    Ok(removed)
}

/// Deletes the files of spilled origins and of waiting rows, and an incomplete checkpoint.
pub(super) fn remove_spilled(directory: &Path) -> io::Result<()> {
    remove_files(directory, is_spilled).map(drop)
}

/// Whether an unfinished run may leave a file of this name.
fn is_leftover(name: &str) -> bool {
    is_spilled(name) || is_partial_output(name) || whole(name) == Some(RECEIPT)
}

/// Deletes the checkpoint, if there is one, before files change of which it says that they are as they were.
pub(crate) fn remove_checkpoint(directory: &Path) -> io::Result<()> {
    durable::remove(&directory.join(CHECKPOINT))?;
    durable::sync_folder(directory)
}

/// Deletes the files of a folder whose names match; returns how many.
fn remove_files(folder: &Path, is_match: impl Fn(&str) -> bool) -> io::Result<usize> {
    let mut matching = contents(folder)?.collect::<io::Result<Vec<_>>>()?;
    matching.retain(|(_, name, _)| is_match(name));
    matching.iter().try_for_each(|(path, ..)| durable::remove(path))?;
    Ok(matching.len())
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

// Files that readers of a run's folder take for output, although they are not the run's.
//
// A folder of tables is a dataset: its readers read every file in it, whatever its name, unless the name of the file or
// of a folder above it begins with `_` or `.`. Of text, readers choose files by the names that a run gives.

/// A file that is not one of the run's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExtraFile {
    /// Its path, relative to the folder of the run.
    pub path: PathBuf,
    /// Whether readers count it.
    pub is_read: bool,
}

/// The files in `directory` that are not the run's, as `is_own` knows by their relative paths, sorted. The run's files have these
/// names and rows, in a folder for each list if it is `per_input`.
///
/// # Errors
///
/// If a folder cannot be read.
pub(crate) fn extra_files(
    directory: &Path,
    (style, names): (OutputOptions, &[FileName]),
    per_input: bool,
    is_own: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<ExtraFile>> {
    let root = table_root(style);
    let mut search = Search { directory, names, root, per_input, is_own, visited: HashSet::new(), found: Vec::new() };
    search.folder("", None)?;
    search.found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(search.found)
}

struct Search<'s> {
    directory: &'s Path,
    names: &'s [FileName],
    root: Option<&'static str>,
    per_input: bool,
    is_own: &'s dyn Fn(&str) -> bool,
    /// The folders that were read, without links, which may lead back.
    visited: HashSet<PathBuf>,
    found: Vec<ExtraFile>,
}

impl Search<'_> {
    /// Reads a folder; `is_read` says whether readers count all files in it, and `None` that they choose by names.
    fn folder(&mut self, folder: &str, is_read: Option<bool>) -> io::Result<()> {
        let path = self.directory.join(folder);
        if !self.visited.insert(path.canonicalize()?) {
            return Ok(());
        }
        for (name, is_folder) in entries(&path)? {
            let path = if folder.is_empty() { name.clone() } else { format!("{folder}/{name}") };
            let is_read = is_read.map(|is_read| is_read && !name.starts_with(['_', '.']));
            if is_folder {
                match is_read {
                    None if self.is_table(folder, &name) => self.folder(&path, Some(true))?,
                    None if !self.is_of_list(folder, &name) => {}
                    _ => self.folder(&path, is_read)?,
                }
            } else if (is_read.is_some() || self.is_chosen(folder, &name)) && !(self.is_own)(&path) {
                self.found.push(ExtraFile { path: path.into(), is_read: is_read.unwrap_or(true) });
            }
        }
        Ok(())
    }

    /// Whether a file outside tables has a name of the run's files.
    fn is_chosen(&self, folder: &str, name: &str) -> bool {
        folder.is_empty() != self.per_input && self.names.iter().any(|file| file.matches(name))
    }

    /// Whether this is the folder of tables of a set of files.
    fn is_table(&self, above: &str, name: &str) -> bool {
        Some(name) == self.root && above.is_empty() != self.per_input
    }

    /// Whether this is the folder of a list.
    fn is_of_list(&self, above: &str, name: &str) -> bool {
        let is_of_list = self.per_input && above.is_empty() && is_list_folder(name);
        is_of_list && !is_of_other_run(&self.directory.join(name))
    }
}

/// The names in a folder, and whether each is a folder or a link to one.
fn entries(folder: &Path) -> io::Result<Vec<(String, bool)>> {
    let entry = |entry: io::Result<fs::DirEntry>| {
        let entry = entry?;
        let is_folder = match entry.file_type()? {
            kind if kind.is_symlink() => entry.path().is_dir(),
            kind => kind.is_dir(),
        };
        Ok((entry.file_name().to_string_lossy().into_owned(), is_folder))
    };
    fs::read_dir(folder)?.map(entry).collect()
}
