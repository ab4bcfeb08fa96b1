//! Files beside a run's own that readers of its folder take for output.
//!
//! A folder of tables is a dataset: its readers count every file in it, whatever its name, except those whose name, or that of a
//! folder above them, begins with `_` or `.`. Of text, readers choose the files that have the names of the run's.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::file_name::{FileName, table_root};
use super::list_folder::{is_list_folder, is_of_other_run};
use crate::output::form::Rows;

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
