//! The robots.txt files to lint: files, those of folders, and the newest of each origin in a file of answers.

use std::io;
use std::path::{Path, PathBuf};

use super::error::Failure;
use super::sources;
use crate::dialect::Dialect;
use crate::error::Problem;
use crate::formats::{is_descriptor, seekable};
use crate::origin;
use crate::policy::source::{self, FieldNames, Options, Whole};

/// Gives each robots.txt at a path to `lint`, with its name: its path, or its URL if it is one of several in a file, whose fields may
/// have other names. Returns the files that could not be read, or are something else.
///
/// # Errors
///
/// What `lint` returns.
pub fn each(
    path: &Path,
    dialects: &[&'static Dialect],
    names: Option<&FieldNames>,
    mut lint: impl FnMut(&Path, &[u8]) -> Result<(), Failure>,
) -> Result<Vec<Failure>, Failure> {
    let files = match files(path) {
        Ok(files) => files,
        Err(failure) => return Ok(vec![failure]),
    };
    let longest = dialects.iter().max_by_key(|dialect| dialect.file_limit).expect("a dialect is asked for");
    let options = Options { names: names.cloned().unwrap_or_default(), ..Options::default() };
    let mut failures = Vec::new();
    for path in files {
        match source::whole(&path, &options, longest) {
            Err(error) => failures.push(error.into()),
            Ok(Whole::Robots(robots)) => match sources::text_of(&path, robots) {
                Ok(text) => lint(&path, &text)?,
                Err(failure) => failures.push(failure),
            },
            Ok(Whole::Newest(newest)) => {
                newest.passed_over.iter().for_each(sources::say_passed_over);
                for (origin, body) in &newest.bodies {
                    lint(Path::new(&origin::robots_url(origin)), body)?;
                }
            }
        }
    }
    Ok(failures)
}

/// The files of a folder, sorted by name, without hidden ones; any other path as it is. A named pipe is none of either: nothing may
/// ever write to it.
fn files(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !path.is_dir() {
        if seekable::is_pipe(path) && !is_descriptor(path) {
            seekable::ensure(path).map_err(Problem::with_file("read", path))?;
        }
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
    Ok(list().map_err(Problem::with_file("read", path))?)
}
