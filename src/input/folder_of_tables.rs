//! Folders that are tables: Parquet files in folders whose names are columns.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use super::path_columns::is_path_column;
use crate::error::run::{Error, ErrorKind};
use crate::formats::marks::PARQUET_MARK;
use crate::formats::{seekable, shown};

/// The files of a table in a folder, in alphabetical order; `None` if it has other files, or other folders than columns, or none. Files
/// and folders whose names begin with `.` do not count, nor with `_`, unless they are columns.
fn tables_in(folder: &Path) -> Result<Option<Vec<PathBuf>>, Error> {
    let mut files = Vec::new();
    let is_table = add(folder, &mut Vec::new(), &mut files)?;
    Ok((is_table && !files.is_empty()).then_some(files))
}

/// The lists among the paths that a pattern matches, in alphabetical order: files, and the files of tables in folders that are columns.
///
/// # Errors
///
/// If such a folder is no table, or one cannot be read.
pub fn matched(paths: Vec<PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut files = Vec::new();
    for path in paths {
        match path.is_dir() {
            true if is_column(&path) => files.extend(tables_in(&path)?.ok_or_else(|| no_table(&path))?),
            true => {}
            false => files.push(path),
        }
    }
    // A pattern may match a folder and what is in it.
    files.sort();
    files.dedup();
    Ok(files)
}

/// These lists, with the files of folders that are tables in place of the folders. Other folders stay: as lists, they cannot be read.
///
/// # Errors
///
/// If a folder cannot be read.
pub fn with_tables(lists: impl IntoIterator<Item = PathBuf>) -> Result<Vec<PathBuf>, Error> {
    let mut all = Vec::new();
    for list in lists {
        match if list.is_dir() { tables_in(&list)? } else { None } {
            None => all.push(list),
            Some(files) => all.extend(files),
        }
    }
    Ok(all)
}

fn is_column(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| is_path_column(&name.to_string_lossy()))
}

/// The error for a folder that is no table: with a pattern of the lists in it.
pub(super) fn no_table(folder: &Path) -> Error {
    let remedy = match pattern(folder) {
        Some(pattern) => format!("for the lists in it, give a pattern: '{}'", shown(&pattern)),
        None => "it has no lists in it".to_owned(),
    };
    let folder = shown(folder);
    ErrorKind::List
        .of(format!("{folder} is a folder, and no table of Parquet files in folders such as day=2026-01-31; {remedy}"))
}

/// Adds the files of a table in a folder; returns whether all are. `above` are the folders that led here: by links, one may lead back.
fn add(folder: &Path, above: &mut Vec<PathBuf>, files: &mut Vec<PathBuf>) -> Result<bool, Error> {
    let resolved = folder.canonicalize().map_err(ErrorKind::List.with_file("read", folder))?;
    if above.contains(&resolved) {
        return Ok(false);
    }
    above.push(resolved);
    for path in entries(folder)? {
        let is_of_table = match fs::metadata(&path).map_err(ErrorKind::List.with_file("read", &path))?.is_dir() {
            true => is_column(&path) && add(&path, above, files)?,
            false => is_column(folder) && is_parquet(&path).map_err(ErrorKind::List.with_file("read", &path))?,
        };
        if !is_of_table {
            return Ok(false);
        }
        if !path.is_dir() {
            files.push(path);
        }
    }
    above.pop();
    Ok(true)
}

/// The paths in a folder that readers of a table see, in alphabetical order.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = ErrorKind::List.with_file("read", folder);
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !(name.starts_with('.') || name.starts_with('_') && !is_path_column(&name)) {
            paths.push(entry.path());
        }
    }
    paths.sort();
    Ok(paths)
}

fn is_parquet(path: &Path) -> std::io::Result<bool> {
    let mut start = Vec::new();
    seekable::open(path)?.take(PARQUET_MARK.len() as u64).read_to_end(&mut start)?;
    Ok(start == PARQUET_MARK)
}

/// A pattern for the lists in a folder: for files like the first that is found.
fn pattern(folder: &Path) -> Option<PathBuf> {
    let (mut place, mut below) = (folder.to_owned(), false);
    // Links may lead in a circle.
    for _ in 0..64 {
        let entries = entries(&place).ok()?;
        let file = entries.iter().find(|path| !path.is_dir());
        match file {
            Some(file) => {
                let ending = file.extension().map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()));
                return Some(if below { folder.join("**") } else { folder.to_owned() }.join(format!("*{ending}")));
            }
            None => (place, below) = (entries.into_iter().next()?, true),
        }
    }
    None
}
