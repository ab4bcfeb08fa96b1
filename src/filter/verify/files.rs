//! The files that a receipt speaks of, read again.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use super::verdicts::Columns;
use super::{Checked, Role, VerifyError};
use crate::filter::form::{Form, partition_names_of};
use crate::filter::list::{List, STANDARD_INPUT};
use crate::filter::needed;
use crate::filter::outcome::Reason;
use crate::filter::output::{NEEDED, list_folder};
use crate::filter::receipt::{Part, Receipt};
use crate::filter::scan::scan;
use crate::filter::tally::Tally;
use crate::robots::Agents;

/// Octets of a chunk.
const CHUNK: usize = 1 << 20;

/// What the receipt has for a file.
struct Expected {
    path: PathBuf,
    /// Its head line, if it has one.
    head: Option<Part>,
    part: Part,
}

/// Reads the output again.
pub(in crate::filter) fn outputs(
    receipt: &Receipt,
    directory: &Path,
    threads: usize,
) -> Result<Vec<Checked>, VerifyError> {
    let agents: Vec<Agents> = receipt.agents.iter().flat_map(|agents| agents.parse()).collect();
    let names = partition_names_of(&agents.iter().collect::<Vec<_>>());
    let mut files = match receipt.options.form {
        Form::Partitions => partitions(&expected_partitions(receipt, directory, &names), threads)?,
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
            let mut opened = List::open_all(std::slice::from_ref(&path), &receipt.options.url_field)?;
            problem = list.range.as_ref().and_then(|range| opened[0].cut_again(range));
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

/// The files of the partitions of these names, in the folder of each list if each has one.
fn expected_partitions(receipt: &Receipt, directory: &Path, names: &[String]) -> Vec<Expected> {
    let file_names = names.iter().map(|name| Form::Partitions.file_name(name));
    let file_names: Vec<String> = file_names.collect();
    let expected = |folder: &Path, head: Option<Part>, part: &dyn Fn(&String) -> Option<Part>| -> Vec<Expected> {
        let files = names.iter().zip(&file_names);
        let of = |(name, file)| Expected { path: folder.join(file), head, part: part(name).unwrap_or_default() };
        files.map(of).collect()
    };
    if !receipt.options.per_input {
        let head = receipt.lists.iter().find_map(|list| list.head);
        return expected(directory, head, &|name| receipt.partitions.get(name).map(|part| part.judged));
    }
    let lists = receipt.lists.iter().enumerate().flat_map(|(place, list)| {
        let folder = directory.join(list_folder(place, Path::new(&list.path)));
        expected(&folder, list.head, &|name| list.partitions.get(name).copied())
    });
    lists.collect()
}

fn missing(path: &Path) -> Option<Checked> {
    let problem = Some("missing".to_owned());
    (!path.exists()).then(|| Checked { path: path.to_owned(), role: Role::Output, found: None, problem })
}

fn partitions(expected: &[Expected], threads: usize) -> Result<Vec<Checked>, VerifyError> {
    let mut files = Vec::new();
    for Expected { path, head, part } in expected {
        if let Some(missing) = missing(path) {
            files.push(missing);
            continue;
        }
        let text = text(List::open(path)?, head.is_some(), threads)?;
        let problem = text.difference(head.as_ref(), part);
        let found = Some(Part::of(&text.lines, true));
        files.push(Checked { path: path.clone(), role: Role::Output, found, problem });
    }
    Ok(files)
}

/// The file of all lines behind their verdicts, or that of each list: its lines are the input's, and those that stand
/// behind `blocked` in a crawler's column are the lines of that partition.
fn verdicts(
    receipt: &Receipt,
    directory: &Path,
    names: &[String],
    threads: usize,
) -> Result<Vec<Checked>, VerifyError> {
    let folders: Vec<PathBuf> = if receipt.options.per_input {
        let folder = |(place, list): (usize, &crate::filter::ListPart)| list_folder(place, Path::new(&list.path));
        receipt.lists.iter().enumerate().map(|place_and_list| directory.join(folder(place_and_list))).collect()
    } else {
        vec![directory.to_owned()]
    };
    let crawlers = receipt.agents.len();
    let mut files = Vec::new();
    for (place, folder) in folders.iter().enumerate() {
        let path = folder.join(Form::Verdicts.file_name(""));
        if let Some(missing) = missing(&path) {
            files.push(missing);
            continue;
        }
        let of = |chunk: &[u8], first: bool| Columns::of(chunk, crawlers, first);
        let lists = [List::open(&path)?];
        let found = scan(&lists, threads, CHUNK, of, Columns::append)?.swap_remove(0);
        let (whole, parts): (Option<Part>, Vec<Option<Part>>) = if receipt.options.per_input {
            let list = &receipt.lists[place];
            (Some(list.input), names.iter().map(|name| list.partitions.get(name).copied()).collect())
        } else {
            let judged = |name| receipt.partitions.get(name).map(|part| part.judged);
            (receipt.verdicts, names.iter().map(judged).collect())
        };
        let parts: Vec<Part> = parts.into_iter().map(Option::unwrap_or_default).collect();
        let problem = found.difference(&whole.unwrap_or_default(), &parts, names);
        files.push(Checked { path, role: Role::Output, found: Some(Part::of(&found.lines, true)), problem });
    }
    Ok(files)
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
