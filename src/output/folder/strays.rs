//! Files in a run's folder that are not its results: what runs that ended early left, and files of others that readers take for output.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use super::names::{
    CHECKPOINT, FileName, NEEDED, RECEIPT, WAITING_ROWS, is_folder_of_run, is_list_folder, is_of_other_run, is_output,
    is_partial, table_root,
};
use crate::output::form::Rows;

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

// Files beside a run's own that readers of its folder take for output.
//
// A folder of tables is a dataset: its readers count every file in it, whatever its name, except those whose name, or that of a
// folder above them, begins with `_` or `.`. Of text, readers choose the files that have the names of the run's.

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
    (rows, names): (Rows, &[FileName]),
    per_input: bool,
    is_own: &dyn Fn(&str) -> bool,
) -> io::Result<Vec<ExtraFile>> {
    let root = table_root(rows);
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
