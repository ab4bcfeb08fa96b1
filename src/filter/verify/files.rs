//! The files that a receipt speaks of, read again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::verdicts::Columns;
use super::{Checked, Role, VerifyError};
use crate::filter::form::Form;
use crate::filter::list::{List, STANDARD_INPUT};
use crate::filter::naming::partition_names;
use crate::filter::needed;
use crate::filter::outcome::Reason;
use crate::filter::output::{NEEDED, list_folder};
use crate::filter::receipt::{FilePart, ListPart, Part, Receipt};
use crate::filter::scan::scan;
use crate::filter::tally::Tally;
use crate::robots::Agents;

/// Octets of a chunk.
const CHUNK: usize = 1 << 20;

/// Reads the output again.
pub(in crate::filter) fn outputs(
    receipt: &Receipt,
    directory: &Path,
    threads: usize,
) -> Result<Vec<Checked>, VerifyError> {
    let agents: Vec<Agents> = receipt.agents.iter().flat_map(|agents| agents.parse()).collect();
    let names = partition_names(&agents.iter().collect::<Vec<_>>());
    let mut files = match receipt.options.form {
        Form::Partitions => partitions(receipt, directory, &names, threads)?,
        Form::Verdicts => verdicts(receipt, directory, &names, threads)?,
    };
    files.push(robots_needed(receipt, directory)?);
    Ok(files)
}

/// Reads the lists again.
pub(super) fn lists(receipt: &Receipt, threads: usize) -> Result<Vec<Checked>, VerifyError> {
    let mut files = Vec::new();
    for list in &receipt.lists {
        let path = PathBuf::from(&list.path);
        let (mut found, mut problem) = (None, None);
        if list.path != STANDARD_INPUT {
            // What the run left out is left out again.
            let skips_bad = !list.skipped.is_empty();
            let mut opened = List::open_all(std::slice::from_ref(&path), &receipt.options.url_field, skips_bad)?;
            let had = list.file.as_ref().map_or(0, |file| file.length);
            let range = list.range.as_ref().filter(|_| !opened[0].is_unreadable());
            problem = range.and_then(|range| opened[0].cut_again(range, had));
            if problem.is_none() {
                let head = Tally::of_text(&opened[0].head, |line| line);
                let text = Text { head, ..text(opened.swap_remove(0), false, threads)? };
                problem = text.difference(list.head.as_ref(), &list.input);
                found = Some(Part::of(&text.lines, true));
            }
        }
        files.push(Checked { path, role: Role::List, found, problem });
    }
    Ok(files)
}

/// What a file comes to.
#[derive(Default)]
struct Text {
    head: Tally,
    /// The lines below the head line.
    lines: Tally,
}

impl Text {
    /// How it differs from what the receipt says.
    fn difference(&self, head: Option<&Part>, lines: &Part) -> Option<String> {
        // The line feed behind it may be missing where nothing follows.
        if head.is_some_and(|head| head.tally().sum != self.head.sum) {
            return Some("its head line is another one".to_owned());
        }
        lines.difference(&self.lines)
    }
}

/// Reads a file, with a head line or without.
fn text(file: List, has_head: bool, threads: usize) -> Result<Text, VerifyError> {
    let of = |chunk: &[u8], first: bool| {
        let end = memchr::memchr(b'\n', chunk).map_or(chunk.len(), |at| at + 1);
        let (head, lines) = chunk.split_at(if first && has_head { end } else { 0 });
        let [head, lines] = [head, lines].map(|text| Tally::of_text(text, |line| line));
        Text { head, lines }
    };
    let append = |text: &mut Text, next: &Text| {
        text.head.append(&next.head);
        text.lines.append(&next.lines);
    };
    Ok(scan(&[file], threads, CHUNK, of, append)?.swap_remove(0))
}

fn missing(path: &Path) -> Option<Checked> {
    let problem = Some("missing".to_owned());
    (!path.exists()).then(|| Checked { path: path.to_owned(), role: Role::Output, found: None, problem })
}

/// What is wrong with the octets of a file as they are stored, whatever its lines are.
fn stored_otherwise(path: &Path, file: &FilePart) -> Option<String> {
    let stored = path.metadata().ok()?.len();
    (stored != file.file_bytes).then(|| format!("{} octets stored by the receipt, {stored} found", file.file_bytes))
}

/// The head line that a file of a partition must have: that of its list, or that of all lists.
fn head_of<'r>(receipt: &'r Receipt, file: &FilePart) -> Option<&'r Part> {
    let (folder, _) = file.name.split_once('/').unwrap_or_default();
    let is_its_own = |(place, list): &(usize, &ListPart)| {
        !receipt.options.per_input || list_folder(*place, Path::new(&list.path)) == folder
    };
    receipt.lists.iter().enumerate().filter(is_its_own).find_map(|(_, list)| list.head.as_ref())
}

/// The files of the partitions of these names.
fn partitions(
    receipt: &Receipt,
    directory: &Path,
    names: &[String],
    threads: usize,
) -> Result<Vec<Checked>, VerifyError> {
    let mut checked = Vec::new();
    for file in names.iter().filter_map(|name| receipt.partitions.get(name)).flat_map(|part| &part.files) {
        let path = directory.join(&file.name);
        if let Some(missing) = missing(&path) {
            checked.push(missing);
            continue;
        }
        let text = text(List::open(&path)?, file.head_bytes > 0, threads)?;
        let problem = text.difference(head_of(receipt, file), &file.lines);
        let problem = problem.or_else(|| stored_otherwise(&path, file));
        checked.push(Checked { path, role: Role::Output, found: Some(Part::of(&text.lines, true)), problem });
    }
    Ok(checked)
}

/// The files of all lines behind their verdicts: their lines are the input's, and those that stand behind `blocked` in a
/// crawler's column are the lines of that partition.
fn verdicts(
    receipt: &Receipt,
    directory: &Path,
    names: &[String],
    threads: usize,
) -> Result<Vec<Checked>, VerifyError> {
    let Some(verdicts) = &receipt.verdicts else { return Ok(Vec::new()) };
    let (crawlers, mut all) = (receipt.agents.len(), Columns::default());
    let mut checked = Vec::new();
    for file in &verdicts.files {
        let path = directory.join(&file.name);
        if let Some(missing) = missing(&path) {
            checked.push(missing);
            continue;
        }
        let of = |chunk: &[u8], first: bool| Columns::of(chunk, crawlers, first);
        let found = scan(&[List::open(&path)?], threads, CHUNK, of, Columns::append)?.swap_remove(0);
        let problem = found.strange().or_else(|| file.lines.difference(&found.lines));
        let problem = problem.or_else(|| stored_otherwise(&path, file));
        all.append(&found);
        checked.push(Checked { path, role: Role::Output, found: Some(Part::of(&found.lines, true)), problem });
    }
    let judged = |name| receipt.partitions.get(name).map(|part| part.judged).unwrap_or_default();
    let parts: Vec<Part> = names.iter().map(judged).collect();
    if let Some(last) = checked.last_mut() {
        last.problem = last.problem.take().or_else(|| all.difference(&verdicts.written, &parts, names));
    }
    Ok(checked)
}

/// The list of robots.txt to fetch: as many rows as the receipt says, which together wait for all deferred lines but
/// those of paused origins.
pub(in crate::filter) fn robots_needed(receipt: &Receipt, directory: &Path) -> Result<Checked, VerifyError> {
    let path = directory.join(NEEDED);
    if let Some(missing) = missing(&path) {
        return Ok(missing);
    }
    let unreadable = |error| VerifyError::Unreadable { path: path.clone(), error };
    let (rows, lines, bytes) = File::open(&path).and_then(count_rows).map_err(unreadable)?;
    let deferred = receipt.partitions.iter().find(|(name, _)| name.starts_with("deferred"));
    let waiting = |reasons: &BTreeMap<_, u64>| -> u64 {
        reasons.iter().filter(|&(reason, _)| *reason != Reason::Paused.name()).map(|(_, lines)| lines).sum()
    };
    let waiting = deferred.map_or(0, |(_, part)| waiting(&part.reasons));
    let problem = match (receipt.origins_needed, lines) {
        (origins, _) if origins != Some(rows) => Some(format!("{} origins by the receipt", origins.unwrap_or(0))),
        (_, lines) if lines != Some(waiting) => Some(format!("{waiting} lines wait by the receipt")),
        _ => None,
    };
    let found = Some(Part { lines: rows + 1, bytes, sum: None, order: None });
    Ok(Checked { path, role: Role::Output, found, problem })
}

/// The rows without the head, how many lines they wait for (`None` where one does not say), and the octets of all.
fn count_rows(file: File) -> io::Result<(u64, Option<u64>, u64)> {
    let bytes = file.metadata()?.len();
    let (mut rows, mut lines) = (0, Some(0u64));
    for row in BufReader::new(file).lines().skip(1) {
        rows += 1;
        lines = lines.and_then(|lines| lines.checked_add(needed::parse_row(&row.ok()?, 0)?.1.lines));
    }
    Ok((rows, lines, bytes))
}
