//! Reads the files again that a receipt names, and says what is wrong with each.

use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use crate::error::run::Error;
use crate::formats::error::Malformed;
use crate::formats::seekable;
use crate::input::list::{LIST_FORMAT, List, Opening, STANDARD_INPUT};
use crate::judge::tally::{Tally, append_each, line_hash};
use crate::outcome::{Partition, Reason};
use crate::output::columns::NO_HEAD;
use crate::output::folder::{FileName, NEEDED, extra_files};
use crate::output::form::{OutputMode, OutputOptions};
use crate::output::missing_robots;
use crate::output::receipt::{FilePart, ListPart, Part, Receipt};
use crate::output::table::Wanted;
use crate::run::scan::{Extent, scan};
use crate::run::stored::{REREAD_CHUNK, StoredLines, StoredRun};

/// Checks the output.
pub(crate) fn outputs(run: StoredRun<'_>) -> Vec<Checked> {
    let names = run.receipt.splits().partitions();
    let mut files = match run.receipt.options.form.is_whole() {
        false => partitions(run, &names),
        true => verdicts(run, &names),
    };
    files.push(robots_needed(run.receipt, run.directory));
    files
}

/// The files that the receipt does not name, where readers look for its output; none if that is in the folders of shards.
pub(crate) fn extra(receipt: &Receipt, directory: &Path) -> Vec<Checked> {
    if !receipt.shards.is_empty() {
        return Vec::new();
    }
    let (options, style) = (&receipt.options, receipt.style());
    let names = FileName::all(style, &receipt.splits(), options.compress, options.split_size.is_some());
    let named: HashSet<&str> = receipt.file_lists().flatten().map(|file| &*file.name).collect();
    let found = extra_files(directory, (style, &names), options.per_input, &|name| named.contains(name));
    match found {
        Ok(found) => found.into_iter().map(|file| Checked::extra(directory.join(file.path), file.is_read)).collect(),
        Err(error) => vec![Checked::unreadable(directory.to_owned(), not_read(&error))],
    }
}

/// Checks the lists.
pub(super) fn lists(receipt: &Receipt, threads: usize) -> Vec<Checked> {
    let mut files = Vec::new();
    for list in &receipt.lists {
        let (mut found, mut problem) = (None, None);
        let Some(path) = list.exact_path() else {
            let problem = "the receipt does not name it: its path_base64 is not Base64".to_owned();
            files.push(Checked { role: Role::List, ..Checked::unreadable(PathBuf::from(&list.path), problem) });
            continue;
        };
        if is_kept(list, &path) {
            match reread_list(list, &path, receipt, threads) {
                Ok(text) => {
                    let other_head = text.other_head(list.head.as_ref().map(Part::tally).as_ref());
                    problem = other_head.or_else(|| list.input.difference(&text.lines));
                    found = Some(Part::of(&text.lines, true));
                }
                Err(unreadable) => problem = Some(unreadable),
            }
        }
        let skipped = list.skipped.len();
        files.push(Checked { path, role: Role::List, found, problem, skipped });
    }
    files
}

/// Whether a list can be read again; one that came through a pipe cannot.
pub(super) fn is_kept(list: &ListPart, path: &Path) -> bool {
    // A compressed table was read from a copy, so the receipt has no state of its file.
    let is_copied = list.format == LIST_FORMAT && list.compression.is_some();
    let is_file = || path.metadata().map_or(true, |metadata| metadata.is_file());
    is_skipped(list) || list.path != STANDARD_INPUT && (list.file.is_some() || is_copied && is_file())
}

/// Whether the run skipped the whole list.
fn is_skipped(list: &ListPart) -> bool {
    list.head.is_none() && end_of_read(list) == 0
}

/// Where in a list's text the run stopped reading. The list may be readable further now, if the obstacle was not damage but, for
/// example, a lack of memory for a window.
fn end_of_read(list: &ListPart) -> u64 {
    list.skipped.last().filter(|last| last.bytes.is_none()).and_then(|last| last.at).unwrap_or(u64::MAX)
}

/// Why a file cannot be read, which disproves the receipt.
fn problem_of(error: &Error) -> String {
    let problem = error.problem();
    match &problem.source {
        Some(source) if problem.cause::<Malformed>().is_some() => source.to_string(),
        Some(source) if !error.is_of_cut_list() => not_read(source),
        _ => error.to_string(),
    }
}

/// The problem of a file that gave this error, from the system or from damaged data with its place.
fn not_read(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "missing".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}

fn reread_list(list: &ListPart, path: &Path, receipt: &Receipt, threads: usize) -> Result<Columns, String> {
    if is_skipped(list) {
        return Ok(Columns::default());
    }
    // Parts that the run skipped are skipped again.
    let skips_bad = !list.skipped.is_empty();
    seekable::ensure(path).map_err(|error| not_read(&error))?;
    let opening = Opening { skips_bad, ..Opening::new(&receipt.options.url_field) };
    let opened = List::open_all(&[path.to_owned()], opening);
    let mut opened = opened.map_err(|error| problem_of(&error))?;
    let had = list.file.as_ref().map_or(0, |file| file.length);
    let range = list.range.as_ref().filter(|_| opened[0].unreadable().is_none());
    if let Some(problem) = range.and_then(|range| opened[0].cut_again(range, had)) {
        return Err(problem);
    }
    opened[0].leave_out(&list.skipped);
    let mut extent = Extent::Before(end_of_read(list));
    if skips_bad && opened[0].is_table() {
        // The damage may be in another column than that of the URL, so only the receipt knows these rows.
        if let Some(problem) = opened[0].skip(&list.skipped) {
            return Err(problem);
        }
        extent = Extent::Rows;
    }
    let of = |chunk: &[u8], _| Tally::of_text(chunk, |line| line);
    let lines = scan(&opened[0], extent, threads, REREAD_CHUNK, of, |whole: &mut Tally, part| whole.append(&part))
        .map_err(|error| problem_of(&error))?;
    Ok(Columns::of_list(&opened[0].head, lines))
}

/// The problem of a file whose size is not that in the receipt, whatever its lines are.
fn size_difference(path: &Path, file: &FilePart) -> Option<String> {
    let stored = path.metadata().ok()?.len();
    (stored != file.file_bytes).then(|| format!("expected a file of {} bytes, found {stored}", file.file_bytes))
}

/// The head line that a partition's file must have after this many columns: that of its list, or of all lists.
fn head_of(run: StoredRun<'_>, file: &FilePart, columns: usize) -> Option<Tally> {
    let head = run.lists.of(Path::new(&file.name)).head;
    head.map(Part::tally).or_else(|| (columns > 0).then(|| Tally::of_text(NO_HEAD, |line| line)))
}

/// Reads a file of lines again and compares it with the receipt; `other_problem` finds problems that do not depend on the
/// receipt's lines.
fn checked(
    run: StoredRun<'_>,
    file: &FilePart,
    of: impl Fn(StoredLines<'_>) -> Columns + Sync,
    other_problem: impl Fn(&Columns) -> Option<String>,
) -> (Checked, Option<Columns>) {
    let path = run.directory.join(&file.name);
    match run.read(&path, Wanted::Lines, REREAD_CHUNK, of, |whole: &mut Columns, part| whole.append(&part)) {
        Ok(found) => {
            let problem = other_problem(&found).or_else(|| file.lines.difference(&found.lines));
            let problem = problem.or_else(|| size_difference(&path, file));
            (Checked::output(path, Part::of(&found.lines, true), problem), Some(found))
        }
        Err(error) => (Checked::unreadable(path, problem_of(&error)), None),
    }
}

/// Checks the files of the partitions with these names.
fn partitions(run: StoredRun<'_>, names: &[String]) -> Vec<Checked> {
    let receipt = run.receipt;
    let mut files = Vec::new();
    for (place, name) in names.iter().enumerate() {
        let style = receipt.style();
        for file in receipt.partitions.get(name).into_iter().flat_map(|part| &part.files) {
            let has_head = file.head_bytes > 0;
            let of = |stored: StoredLines<'_>| Columns::of(stored, style, place, has_head);
            let head = head_of(run, file, style.columns(place)).filter(|_| receipt.options.format.is_text());
            let other_problem = |found: &Columns| found.other_head(head.as_ref());
            files.push(checked(run, file, of, other_problem).0);
        }
    }
    files
}

/// Checks the files of all lines with their verdicts. Their lines are those of the input, and the lines with `blocked` in a
/// crawler's column are those of its partition.
fn verdicts(run: StoredRun<'_>, names: &[String]) -> Vec<Checked> {
    let Some(verdicts) = &run.receipt.verdicts else { return Vec::new() };
    let style = run.receipt.style();
    let (mut all, mut files) = (Columns::default(), Vec::new());
    for file in &verdicts.files {
        let of = |stored: StoredLines<'_>| Columns::of(stored, style, 0, true);
        let (checked, found) = checked(run, file, of, Columns::malformed_problem);
        all.append(&found.unwrap_or_default());
        files.push(checked);
    }
    let judged = |name| run.receipt.partitions.get(name).map(|part| part.judged).unwrap_or_default();
    let parts: Vec<Part> = names.iter().map(judged).collect();
    let all_read = files.iter().all(|file| file.found.is_some());
    if let Some(last) = files.last_mut().filter(|_| all_read) {
        last.problem = last.problem.take().or_else(|| all.difference(style.form, &verdicts.written, &parts, names));
    }
    files
}

/// Checks the list of robots.txt to fetch. It must have as many rows as the receipt says, its rows must account for all deferred
/// lines except those of paused origins, and it must be the same, byte for byte, if the receipt has its checksum.
pub(crate) fn robots_needed(receipt: &Receipt, directory: &Path) -> Checked {
    let path = directory.join(NEEDED);
    let found = match seekable::open(&path).and_then(NeededRows::read) {
        Ok(found) => found,
        Err(error) => return Checked::unreadable(path, not_read(&error)),
    };
    let deferred = receipt.partitions.iter().find(|(name, _)| name.starts_with("deferred"));
    let waits = |name: &str| Reason::from_name(name.as_bytes()).is_some_and(Reason::waits_for_robots_txt);
    let reasons = deferred.iter().flat_map(|(_, part)| &part.reasons);
    let waiting: u64 = reasons.filter(|(reason, _)| waits(reason)).map(|(_, lines)| lines).sum();
    let problem = if receipt.origins_needed != Some(found.rows.lines) {
        Some(format!("the receipt has {} origins", receipt.origins_needed.unwrap_or(0)))
    } else if found.waiting != Some(waiting) {
        Some(format!("the receipt has {waiting} waiting lines"))
    } else if !found.has_head {
        Some("its head line differs".to_owned())
    } else {
        receipt.robots_needed.as_ref().and_then(|file| file.lines.difference(&found.rows))
    };
    Checked::output(path, Part::of(&found.rows, true), problem)
}

/// The tallies of a list of robots.txt to fetch.
struct NeededRows {
    has_head: bool,
    /// Its rows, without the head.
    rows: Tally,
    /// How many lines wait for these rows; `None` if a row is not valid.
    waiting: Option<u64>,
}

impl NeededRows {
    fn read(file: File) -> io::Result<NeededRows> {
        let (mut file, mut row) = (BufReader::new(file), Vec::new());
        file.read_until(b'\n', &mut row)?;
        let mut found = NeededRows { has_head: row == missing_robots::HEAD, rows: Tally::default(), waiting: Some(0) };
        loop {
            row.clear();
            if file.read_until(b'\n', &mut row)? == 0 {
                return Ok(found);
            }
            let text = row.strip_suffix(b"\n").unwrap_or(&row);
            found.rows.add_hashed(line_hash(text), row.len());
            let lines =
                std::str::from_utf8(text).ok().and_then(|text| Some(missing_robots::parse_row(text, 0)?.1.lines));
            found.waiting = found.waiting.and_then(|waiting| waiting.checked_add(lines?));
        }
    }
}

/// A file that was read again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Checked {
    /// Its path; for a list, as in the receipt.
    pub path: PathBuf,
    /// Its role.
    pub role: Role,
    /// Its contents; `None` if it was not read.
    pub found: Option<Part>,
    /// How it differs from the receipt, or why it cannot be read.
    pub problem: Option<String>,
    /// For a list, how many parts the run skipped because they could not be read; they are skipped again.
    pub skipped: usize,
}

impl Checked {
    /// An output that was read; `problem` is how it differs from the receipt.
    pub(crate) fn output(path: PathBuf, found: Part, problem: Option<String>) -> Checked {
        Checked { path, role: Role::Output, found: Some(found), problem, skipped: 0 }
    }

    /// A file that the receipt does not name; `is_read` says whether readers of the folder count it.
    pub(crate) fn extra(path: PathBuf, is_read: bool) -> Checked {
        let problem = is_read.then(|| "the receipt does not name it, but readers of this folder count it".to_owned());
        Checked { path, role: Role::Extra, found: None, problem, skipped: 0 }
    }

    /// An output that cannot be read.
    pub(crate) fn unreadable(path: PathBuf, problem: String) -> Checked {
        Checked { path, role: Role::Output, found: None, problem: Some(problem), skipped: 0 }
    }
}

named! {
    /// The role of a file in a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[non_exhaustive]
    pub enum Role {
        /// The run wrote it.
        Output = "output",
        /// The run read it.
        List = "list",
        /// It is beside the output, where readers may take it for a part of it.
        Extra = "extra",
    }
}

/// The tallies of a text of lines with their verdicts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Columns {
    /// The head line of a list, or of a partition's text.
    head: Tally,
    /// All lines, without the columns before them.
    pub lines: Tally,
    /// For each column of verdicts, by partition.
    partitions: Vec<[Tally; Partition::COUNT]>,
    /// Lines without a verdict in each column.
    malformed: u64,
}

impl Columns {
    /// The tallies of a list with this head line, which may be empty, and these lines below it.
    pub fn of_list(head: &[u8], lines: Tally) -> Columns {
        Columns { head: Tally::of_text(head, |line| line), lines, ..Columns::default() }
    }

    /// The tallies of some lines of a file of this style, which begins with a head line or not.
    pub fn of(mut stored: StoredLines<'_>, style: OutputOptions, file: usize, has_head: bool) -> Columns {
        let head = if has_head { stored.split_head() } else { b"" };
        let mut found = Columns { head: style.tally(file, head), ..Columns::default() };
        match stored {
            // As a run counts what it is about to write.
            StoredLines::Text(text, ..) if !style.form.is_whole() => found.lines = style.tally(file, text),
            _ => stored.each(style, file, |line, bytes, verdicts| found.add(line, bytes, verdicts)),
        }
        found
    }

    /// Adds a line, which has `bytes` bytes with its LF, and its verdict in each column.
    fn add(&mut self, line: &[u8], bytes: usize, verdicts: &[Option<Partition>]) {
        if verdicts.contains(&None) {
            self.malformed += 1;
            return;
        }
        let hash = line_hash(line);
        self.lines.add_hashed(hash, bytes);
        self.partitions.resize(verdicts.len(), Default::default());
        for (column, partition) in self.partitions.iter_mut().zip(verdicts.iter().flatten()) {
            column[*partition as usize].add_hashed(hash, bytes);
        }
    }

    /// Appends the tallies of the text that follows.
    pub fn append(&mut self, next: &Columns) {
        self.head.append(&next.head);
        self.lines.append(&next.lines);
        self.malformed += next.malformed;
        // A file without rows, such as the table of an empty list, has no columns either.
        let columns = self.partitions.len().max(next.partitions.len());
        self.partitions.resize(columns, Default::default());
        for (column, next) in self.partitions.iter_mut().zip(&next.partitions) {
            append_each(column, next);
        }
    }

    /// The problem of lines that are wrong whatever the receipt says.
    pub fn malformed_problem(&self) -> Option<String> {
        (self.malformed > 0).then(|| format!("{} lines without a verdict for each crawler", self.malformed))
    }

    /// The problem of another head line than `head`. Bytes are not compared: the line feed after it may be missing if nothing
    /// follows.
    pub fn other_head(&self, head: Option<&Tally>) -> Option<String> {
        let is_other = head.is_some_and(|head| head.sum != self.head.sum);
        is_other.then(|| "its head line differs".to_owned())
    }

    /// How the tallies differ from the receipt: the lines must be `whole`, and those of each partition `parts`, in the order of
    /// `names`. In columns of the crawlers that may not fetch a line, invalid lines are among the blocked ones.
    pub fn difference(&self, form: OutputMode, whole: &Part, parts: &[Part], names: &[String]) -> Option<String> {
        whole.difference(&self.lines).or_else(|| {
            let of_crawlers = parts.chunks(Partition::COUNT).zip(&self.partitions);
            let wanted = of_crawlers.flat_map(|(parts, found)| match form {
                OutputMode::BlockedFor => with_invalid(parts, found),
                OutputMode::Partitions | OutputMode::Verdicts => parts.to_vec(),
            });
            let mut tallies = wanted.zip(self.partitions.as_flattened()).zip(names);
            tallies.find_map(|((part, tally), name)| Some(format!("{name}: {}", part.difference(tally)?)))
        })
    }
}

/// The parts of a crawler with its invalid lines among the blocked ones. The order of these does not follow from that of the parts,
/// so the one that was `found` is taken; all lines together are in order.
fn with_invalid(parts: &[Part], found: &[Tally; Partition::COUNT]) -> Vec<Part> {
    let mut tallies: Vec<Tally> = parts.iter().map(Part::tally).collect();
    let invalid = std::mem::take(&mut tallies[Partition::Invalid as usize]);
    let blocked = &mut tallies[Partition::Blocked as usize];
    blocked.append(&invalid);
    blocked.order = found[Partition::Blocked as usize].order;
    tallies.iter().map(|tally| Part::of(tally, true)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_rows_adds_nothing_and_loses_nothing() {
        let style = OutputOptions { form: OutputMode::Verdicts, crawlers: 2, ..OutputOptions::default() };
        let stored = StoredLines::Text(b"allowed\tblocked\thttp://a.example/\n", true, &[]);
        let text = Columns::of(stored, style, 0, false);
        let (mut before, mut after) = (Columns::default(), text.clone());
        before.append(&text);
        after.append(&Columns::default());
        assert_eq!(before, text);
        assert_eq!(after, text);
    }
}
