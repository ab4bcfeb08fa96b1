//! Determines the lists of a run: arguments, patterns among them, and the names in a file.

use std::path::{Path, PathBuf};

use super::args::InputArgs;
use super::error::Failure;
use super::sources::read_once;
use crate::error::Problem;
use crate::input::{NameEnd, lists_named_in, matched, with_tables};

/// All lists, in order: the arguments, then those that `--files-from` names.
pub fn all(arguments: &[PathBuf], input: &InputArgs) -> Result<Vec<PathBuf>, Failure> {
    let mut lists = Vec::new();
    for argument in arguments {
        match pattern(argument) {
            Some(pattern) => lists.extend(matching(pattern)?),
            None => lists.extend(with_tables([argument.clone()])?),
        }
    }
    let Some(file) = &input.files_from else { return Ok(lists) };
    let once = |lists: &[PathBuf]| read_once(lists.iter().chain([file]).map(PathBuf::as_path));
    once(&lists)?;
    let end = if input.null { NameEnd::Nul } else { NameEnd::Line };
    lists.extend(lists_named_in(file, end).map_err(|error| error.within("--files-from: "))?);
    once(&lists)?;
    Ok(lists)
}

/// The argument as a pattern, if it contains a wildcard character and no file has that name.
fn pattern(argument: &Path) -> Option<&str> {
    let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    (!argument.exists()).then_some(pattern)
}

/// Patterns match as in a shell: a wildcard matches no slash and no leading dot, which half-written files have.
const SHELL_RULES: glob::MatchOptions =
    glob::MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files that a pattern matches, and the tables in folders that it matches, in alphabetical order.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let wrong = |error: glob::PatternError| format!("{pattern} is neither a file nor a pattern: {}", error.msg);
    let unreadable = |error: glob::GlobError| {
        let path = error.path().to_owned();
        Problem::with_file("read", &path)(error.into())
    };
    let paths = glob::glob_with(pattern, SHELL_RULES).map_err(wrong)?.map(|path| path.map_err(unreadable));
    let files = matched(paths.collect::<Result<Vec<_>, _>>()?)?;
    if files.is_empty() {
        return Err(format!(
            "the pattern {pattern} matches no file; a relative pattern starts in the current folder, and ** matches folders"
        )
        .into());
    }
    Ok(files)
}
