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
use crate::filter::output::NEEDED;
use crate::filter::receipt::{FilePart, Part, Receipt};
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
            let mut opened = [List::open(&path)?];
            problem = list.range.as_ref().and_then(|range| opened[0].cut_again(range));
            if problem.is_none() {
                let tally = tally(&opened, threads)?;
                problem = list.input.difference(&tally);
                found = Some(Part::of(&tally, true));
            }
        }
        files.push(Checked { path, role: Role::List, found, problem });
    }
    Ok(files)
}

/// The lines of a file.
fn tally(file: &[List; 1], threads: usize) -> Result<Tally, VerifyError> {
    let lines = |chunk: &[u8], _: bool| Tally::of_text(chunk, |line| line);
    Ok(scan(file, threads, CHUNK, lines, Tally::append)?.swap_remove(0))
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
        let tally = tally(&[List::open(&path)?], threads)?;
        let problem = file.lines.difference(&tally).or_else(|| stored_otherwise(&path, file));
        checked.push(Checked { path, role: Role::Output, found: Some(Part::of(&tally, true)), problem });
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
