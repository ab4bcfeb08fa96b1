//! What a user should know of lists that were read otherwise than they were meant.

use std::io::{self, Read};
use std::path::Path;

use crate::formats::compression::Reader;
use crate::formats::{regular_file, visible};
use crate::input::layout::{Guess, guess};
use crate::input::{Layout, STANDARD_INPUT};
use crate::outcome::Partition;
use crate::output::{ListPart, Receipt, counted};

/// Bytes of a list that are looked at.
const START: u64 = 64 << 10;

/// The most lists that are named.
const NAMED: usize = 3;

/// The warnings about the lists of a run.
pub fn of_lists(receipt: &Receipt) -> Vec<String> {
    if let Some(hint) = tabs(receipt) {
        return vec![hint];
    }
    let mut hints = Vec::new();
    let invalid = receipt.lists.iter().filter_map(|list| Some((list, invalid(list)?)));
    for (list, lines) in invalid.take(NAMED) {
        if let Some(guess) = list.exact_path().as_deref().and_then(guess_of) {
            let lines = counted(lines, "line is invalid", "lines are invalid");
            hints.push(format!("the list {}: {lines}; it {guess}", visible(&list.path)));
        }
    }
    hints
}

/// Warns of lists of fields that were read as lists of URLs, because the delimiter was not given.
fn tabs(receipt: &Receipt) -> Option<String> {
    let plain = receipt.lists.iter().filter(|list| list.format == Layout::Whole.name());
    let lines: u64 = plain.map(|list| list.input.lines).sum();
    let tabs = receipt.urls_with_tabs;
    (lines > 0 && 2 * tabs >= lines).then(|| {
        let tabs = counted(tabs, "line has a tab inside and was", "lines have a tab inside and were");
        format!("{tabs} judged as one URL; if lines have fields, give --delimiter tab")
    })
}

/// How many lines of a list of URLs are invalid, if nearly all are.
fn invalid(list: &ListPart) -> Option<u64> {
    let is_invalid = |name: &str| name.split('.').next() == Some(Partition::Invalid.name());
    let lines = list.partitions.iter().filter(|(name, _)| is_invalid(name)).map(|(_, part)| part.lines).max()?;
    let is_plain = list.format == Layout::Whole.name() && list.path != STANDARD_INPUT;
    (is_plain && lines > 0 && 10 * lines >= 9 * list.input.lines).then_some(lines)
}

/// What a list looks like; a list that cannot be read again like nothing.
fn guess_of(path: &Path) -> Option<Guess> {
    let mut start = Vec::new();
    let mut read =
        || -> io::Result<usize> { Reader::new(regular_file::open(path)?)?.take(START).read_to_end(&mut start) };
    read().ok()?;
    guess(&start)
}
