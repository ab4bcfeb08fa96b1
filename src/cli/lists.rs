//! Determines the lists of a run: arguments, patterns among them, and the names in a file; and what a user should know of lists
//! that were read otherwise than they were meant.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::args::InputArgs;
use super::error::Failure;
use crate::formats::compression::Reader;
use crate::formats::error::FileError;
use crate::formats::{seekable, visible};
use crate::input::layout::{Guess, guess};
use crate::input::{Layout, NameEnd, STANDARD_INPUT, lists_named_in};
use crate::outcome::Partition;
use crate::output::{ListPart, Receipt, counted};

/// All lists, in order: the arguments, then those that `--files-from` names.
pub fn all(arguments: &[PathBuf], input: &InputArgs) -> Result<Vec<PathBuf>, Failure> {
    let mut lists = Vec::new();
    for argument in arguments {
        match pattern(argument) {
            Some(pattern) => lists.extend(matching(pattern)?),
            None => lists.push(argument.clone()),
        }
    }
    let Some(file) = &input.files_from else { return Ok(lists) };
    let is_read_twice = |lists: &[PathBuf]| {
        let is_standard_input = |path: &PathBuf| path.as_os_str() == STANDARD_INPUT;
        is_standard_input(file) && lists.iter().any(is_standard_input)
    };
    if is_read_twice(&lists) {
        return Err(Failure::StandardInputTwice);
    }
    let end = if input.null { NameEnd::Nul } else { NameEnd::Line };
    lists.extend(lists_named_in(file, end)?);
    if is_read_twice(&lists) { Err(Failure::StandardInputTwice) } else { Ok(lists) }
}

/// The argument as a pattern, if it contains a wildcard character and no file has that name.
fn pattern(argument: &Path) -> Option<&str> {
    let pattern = argument.to_str().filter(|text| text.contains(['*', '?', '[']))?;
    (!argument.exists()).then_some(pattern)
}

/// Patterns match as in a shell: a wildcard matches no slash and no leading dot, which half-written files have.
const SHELL_RULES: glob::MatchOptions =
    glob::MatchOptions { case_sensitive: true, require_literal_separator: true, require_literal_leading_dot: true };

/// The files that a pattern matches, in alphabetical order.
fn matching(pattern: &str) -> Result<Vec<PathBuf>, Failure> {
    let wrong = |error: glob::PatternError| Failure::Pattern { pattern: pattern.to_owned(), problem: error.msg };
    let mut files = Vec::new();
    for path in glob::glob_with(pattern, SHELL_RULES).map_err(wrong)? {
        let path =
            path.map_err(|error| FileError { doing: "read", path: error.path().to_owned(), error: error.into() })?;
        if !path.is_dir() {
            files.push(path);
        }
    }
    if files.is_empty() {
        return Err(Failure::NothingMatches { pattern: pattern.to_owned() });
    }
    files.sort();
    Ok(files)
}

/// Bytes of a list that are looked at.
const START: u64 = 64 << 10;

/// The most lists that are named.
const NAMED: usize = 3;

/// The warnings about the lists of a run.
pub fn of_lists(receipt: &Receipt) -> Vec<String> {
    if let Some(hint) = tabs(receipt) {
        return vec![hint];
    }
    let mut invalid = receipt.lists.iter().filter_map(|list| Some((list, invalid(list)?)));
    // Only those that are named are looked at: there may be thousands of lists.
    let first = invalid.by_ref().take(NAMED).filter_map(|(list, lines)| {
        let advice = advice(list)?;
        let lines = counted(lines, "line is invalid", "lines are invalid");
        Some(format!("the list {}: {lines}; {advice}", visible(&list.path)))
    });
    let mut hints: Vec<String> = first.collect();
    let more = invalid.count() as u64;
    if more > 0 && !hints.is_empty() {
        hints.push(counted(
            more,
            "more list has nearly only invalid lines",
            "more lists have nearly only invalid lines",
        ));
    }
    hints
}

/// What a list looks like whose lines are invalid. One that came through a pipe cannot be looked at again.
fn advice(list: &ListPart) -> Option<String> {
    match list.file {
        Some(_) => look(list),
        None if list.compression.is_some() => None,
        None => Some("it came through a pipe; of a file, it would be told what it looks like".to_owned()),
    }
}

/// Warns of lists of fields that were read as lists of URLs, because the delimiter was not given.
fn tabs(receipt: &Receipt) -> Option<String> {
    let plain = || receipt.lists.iter().filter(|list| list.format == Layout::Whole.name());
    let lines: u64 = plain().map(|list| list.input.lines).sum();
    let tabs = receipt.urls_with_tabs;
    (lines > 0 && 2 * tabs >= lines).then(|| {
        let tabs = counted(tabs, "line has a tab inside and was", "lines have a tab inside and were");
        let look = plain().take(NAMED).find_map(look);
        let advice = look.as_deref().unwrap_or("if lines have fields, give --delimiter tab");
        format!("{tabs} judged as one URL; {advice}")
    })
}

/// How many lines of a list are invalid, if nearly all are.
fn invalid(list: &ListPart) -> Option<u64> {
    let is_invalid = |name: &str| name.split('.').next() == Some(Partition::Invalid.name());
    let lines = list.partitions.iter().filter(|(name, _)| is_invalid(name)).map(|(_, part)| part.lines).max()?;
    (lines > 0 && 10 * lines >= 9 * list.input.lines).then_some(lines)
}

/// What a list looks like; a list that cannot be read again like nothing.
fn look(list: &ListPart) -> Option<String> {
    guess_of(&list.exact_path()?).map(|guess| format!("it {guess}"))
}

fn guess_of(path: &Path) -> Option<Guess> {
    let mut start = Vec::new();
    let mut read = || -> io::Result<usize> { Reader::new(seekable::open(path)?)?.take(START).read_to_end(&mut start) };
    read().ok()?;
    guess(&start)
}
