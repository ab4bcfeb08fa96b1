//! The robots.txt files to lint: files, those of folders, and the newest of each origin in a file of answers.

use std::io;
use std::path::{Path, PathBuf};

use super::form::Form;
use crate::cli::error::Failure;
use crate::cli::sources;
use crate::dialect::Dialect;
use crate::formats::error::FileError;
use crate::origin;
use crate::policy::source::{self, FieldNames, Newest, Options, SourceError, SourceKind};

/// Gives each robots.txt at a path to `lint`, with its name: its path, or its URL if it is one of several in a file, whose fields may
/// have other names. Returns the files that could not be read, or are something else.
///
/// # Errors
///
/// What `lint` returns.
pub(super) fn each(
    path: &Path,
    dialects: &[&'static Dialect],
    names: Option<&FieldNames>,
    mut lint: impl FnMut(&Path, &[u8]) -> Result<(), Failure>,
) -> Result<Vec<Failure>, Failure> {
    let files = match files(path) {
        Ok(files) => files,
        Err(failure) => return Ok(vec![failure]),
    };
    let mut failures = Vec::new();
    for path in files {
        let robots = match sources::robots_txt(&path, dialects.iter().copied()) {
            Ok(robots) => robots,
            Err(failure) => {
                failures.push(failure);
                continue;
            }
        };
        match kind(&robots.body, names) {
            Err(form) => failures.push(Failure::NotRobots { path, form }),
            Ok(SourceKind::RobotsTxt) => lint(&path, &robots.body)?,
            Ok(kind) => match newest(&path, kind, dialects, names) {
                Ok(newest) => {
                    for (origin, body) in &newest.bodies {
                        lint(Path::new(&origin::robots_url(origin)), body)?;
                    }
                }
                Err(failure) => failures.push(failure),
            },
        }
    }
    Ok(failures)
}

/// The kind of a file that begins so; its form, if it cannot be linted. To fields that are named, any objects may be answers.
fn kind(start: &[u8], names: Option<&FieldNames>) -> Result<SourceKind, Form> {
    match SourceKind::of_text(start) {
        SourceKind::RobotsTxt => match Form::of(start) {
            None => Ok(SourceKind::RobotsTxt),
            Some(Form::JsonLines) if names.is_some() => Ok(SourceKind::JsonLines),
            Some(form) => Err(form),
        },
        kind => Ok(kind),
    }
}

/// The newest robots.txt of each origin in a file of answers.
fn newest(
    path: &Path,
    kind: SourceKind,
    dialects: &[&'static Dialect],
    names: Option<&FieldNames>,
) -> Result<Newest, Failure> {
    if kind == SourceKind::Policy {
        return Err(SourceError::Policy { path: path.to_owned() }.into());
    }
    if matches!(kind, SourceKind::Arc | SourceKind::Zip) {
        return Err(SourceError::NotRead { path: path.to_owned(), kind }.into());
    }
    // The bytes that a pipe has given cannot be read again.
    if !path.is_file() {
        return Err(Failure::NotLinted { path: path.to_owned(), kind });
    }
    let longest = dialects.iter().max_by_key(|dialect| dialect.file_limit).expect("a dialect is asked for");
    let options = Options { names: names.cloned().unwrap_or_default(), ..Options::default() };
    let newest = source::newest(&[path], &options, longest)?;
    newest.passed_over.iter().for_each(sources::say_passed_over);
    Ok(newest)
}

/// The files of a folder, sorted by name, without hidden ones; any other path as it is.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let list = || {
        let entries = std::fs::read_dir(path)?.collect::<io::Result<Vec<_>>>()?;
        let is_hidden = |entry: &std::fs::DirEntry| entry.file_name().as_encoded_bytes().starts_with(b".");
        let paths = entries.into_iter().filter(|entry| !is_hidden(entry)).map(|entry| entry.path());
        let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file()).collect();
        files.sort();
        Ok(files)
    };
    Ok(list().map_err(FileError::of("read", path))?)
}
