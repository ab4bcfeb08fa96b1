//! The options that help with errors of the library, which does not know the options.

use std::io;

use crate::formats::compression::WindowTooLarge;
use crate::formats::error::FileError;
use crate::formats::shown;
use crate::input::{Layout, ListError, UrlFieldError};
use crate::output::{OutputError, Receipt, counted};
use crate::policy::source::SourceError;
use crate::run::{FilterError, JoinError};

/// The message for an error of a run, with the options that help.
pub fn filter(error: &FilterError) -> String {
    match error {
        FilterError::Kept { error, path } => {
            let path = shown(path);
            format!(
                "{}; the work so far is kept in {path}; run the same command with --resume to continue",
                filter(error)
            )
        }
        _ => format!("{error}{}", options(error)),
    }
}

/// The options that help if a run fails.
fn options(error: &FilterError) -> &'static str {
    match error {
        FilterError::List(error) => for_list(error),
        FilterError::Output(error) => for_output(error),
        FilterError::ListInOutput { .. } => " (--out)",
        FilterError::TooLittleMemory { .. } => " (--memory)",
        FilterError::UniqueShard => " (--unique, --shard)",
        FilterError::Unique { .. } => " (--unique, --robots-needed, TMPDIR)",
        FilterError::Checkpoint { .. } => " (--force, without --resume)",
        _ => "",
    }
}

/// The options that help if a list cannot be read.
fn for_list(error: &ListError) -> &'static str {
    match error {
        ListError::HeadsDiffer { .. } => " (--per-input)",
        ListError::LineTooLong { .. } => " (--memory)",
        ListError::Unreadable(FileError { error, .. }) if is_window(error) => " (--memory)",
        ListError::NotDivisible { .. } => " (--shard)",
        ListError::UrlField { error, .. } => match error {
            UrlFieldError::NoUrl { .. } | UrlFieldError::Kind { .. } => " (--column)",
            UrlFieldError::NoDelimiter => " (--delimiter)",
            UrlFieldError::Index => " (--column, --header)",
            _ => "",
        },
        _ => "",
    }
}

/// The options that help if output cannot be written.
fn for_output(error: &OutputError) -> &'static str {
    match error {
        OutputError::InUse { .. } => " (--out)",
        OutputError::ColumnsDiffer { .. } => " (--per-input)",
        OutputError::ColumnTaken { .. } => " (--format text)",
        OutputError::NotEmpty { .. } => " (--out, --force)",
        OutputError::Unfinished { .. } => " (--resume, --force)",
        OutputError::NotResumable { .. } => " (--force, without --resume)",
        _ => "",
    }
}

/// The message for an error of a source, with the options that help.
pub fn source(error: &SourceError) -> String {
    let options = match error {
        SourceError::Unreadable(FileError { error, .. }) if is_window(error) => " (--memory)",
        SourceError::NoColumn { .. } | SourceError::NoKey { .. } => " (--columns)",
        SourceError::Line { line: 1, .. } => " (--origin, if the file is a robots.txt)",
        _ => "",
    };
    format!("{error}{options}")
}

/// Warns of lists of fields that were read as lists of URLs, because the delimiter was not given.
pub fn delimiter(receipt: &Receipt) -> Option<String> {
    let plain = receipt.lists.iter().filter(|list| list.format == Layout::Whole.name());
    let lines: u64 = plain.map(|list| list.input.lines).sum();
    let tabs = receipt.urls_with_tabs;
    (lines > 0 && 2 * tabs >= lines).then(|| {
        let tabs = counted(tabs, "line has a tab inside and was", "lines have a tab inside and were");
        format!("{tabs} judged as one URL; if lines have fields, give --delimiter tab")
    })
}

/// The message for shards that cannot be joined, with the options that help.
pub fn join(error: &JoinError) -> String {
    let options = match error {
        JoinError::Differ { .. } => " (all shards need the same options and the same --now)",
        JoinError::Numbered => " (the runs used --split-size; leave --concat out)",
        JoinError::Replaced { .. } => " (--out)",
        JoinError::NoShard { .. } => " (--shard)",
        JoinError::Damaged { .. } => "; `robosieve verify` shows more",
        _ => "",
    };
    format!("{error}{options}")
}

/// Whether the window of compressed data did not fit in memory.
fn is_window(error: &io::Error) -> bool {
    error.get_ref().is_some_and(|error| error.is::<WindowTooLarge>())
}
