//! The robots.txt files that a crawl should fetch: those of the origins of deferred lines, or the URLs that they
//! redirect to, in order of first appearance.

use hashbrown::hash_map::EntryRef;
use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::folder::{NEEDED, Written, partial};
use crate::formats::bytes::{Reader, push_number};
use crate::formats::external_sort::Sorter;
use crate::formats::memory_budget::Share;
use crate::formats::spill::{Place, Spill};
use crate::formats::time_text;
use crate::judge::tally::{Tally, line_hash};
use crate::origin;
use crate::outcome::Reason;
use crate::policy::asked_columns;

/// The head of `robots-needed.tsv`.
pub(crate) const HEAD: &[u8] = b"robots_txt\treason\tlines\tstatus\tasked_at\n";

/// The deferred lines of an origin, or only its `/robots.txt`, which is always allowed in some dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// The number of its first line, among all lines: a waiting line, or `/robots.txt`, which is allowed.
    pub first: u64,
    /// The number of its lines that wait.
    pub lines: u64,
    /// Why its first line waits.
    pub reason: Reason,
    /// The last status of the robots.txt, if it is known without the policy.
    pub status: Option<u16>,
    /// When the URL to fetch was last requested, in seconds of Unix time; likewise.
    #[serde(default)]
    pub asked_at: Option<i64>,
}

/// The URL to fetch for an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Asked {
    /// The URL.
    pub url: String,
    /// The last status of the origin's robots.txt, which may redirect to it.
    pub status: Option<u16>,
    /// When the URL was last requested, in seconds of Unix time, if ever and if the time is known.
    pub at: Option<i64>,
}

/// The origins of a chunk's deferred lines. In a shuffled list, nearly every line has a different origin, so all
/// origins are in one text.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingOrigins {
    /// All origins, one after the other.
    names: Vec<u8>,
    /// Where each is in `names`.
    known: HashTable<(Range<usize>, Waiting)>,
    hasher: DefaultHashBuilder,
}

impl WaitingOrigins {
    /// Counts a waiting line, or another line of an origin whose robots.txt should be fetched. Does nothing if `url` is
    /// not a URL.
    pub fn count(&mut self, url: &[u8], new: Waiting) {
        let url = origin::trimmed(url);
        // Stored origins are canonical, so an origin that is found as written needs no parsing.
        let known = origin::cut(url).and_then(|end| self.known_as(&url[..end]));
        if let Some(waiting) = known {
            waiting.lines += new.lines;
        } else if let Ok((origin, _)) = origin::split(url) {
            self.count_origin(origin.as_bytes(), new);
        }
    }

    fn known_as(&mut self, origin: &[u8]) -> Option<&mut Waiting> {
        let hash = self.hasher.hash_one(origin);
        self.known.find_mut(hash, |(at, _)| &self.names[at.clone()] == origin).map(|(_, waiting)| waiting)
    }

    fn count_origin(&mut self, origin: &[u8], new: Waiting) {
        let WaitingOrigins { names, known, hasher } = self;
        let is_it = |(at, _): &(Range<usize>, _)| &names[at.clone()] == origin;
        let hash_of = |(at, _): &(Range<usize>, _)| hasher.hash_one(&names[at.clone()]);
        match known.entry(hasher.hash_one(origin), is_it, hash_of) {
            Entry::Occupied(mut known) => known.get_mut().1.lines += new.lines,
            Entry::Vacant(room) => {
                room.insert((names.len()..names.len() + origin.len(), new));
                names.extend_from_slice(origin);
            }
        }
    }

    /// The origins, in the order of their first lines.
    pub fn in_order(&self) -> Vec<(String, Waiting)> {
        let mut all: Vec<(String, Waiting)> =
            self.iter().map(|(origin, waiting)| (origin.into_owned(), waiting)).collect();
        all.sort_unstable_by_key(|(_, waiting)| waiting.first);
        all
    }

    /// The origins, in any order.
    fn iter(&self) -> impl Iterator<Item = (Cow<'_, str>, Waiting)> {
        self.known.iter().map(|(at, waiting)| (String::from_utf8_lossy(&self.names[at.clone()]), *waiting))
    }

    /// Shifts line numbers by the number of lines before the chunk.
    pub fn shift_by(&mut self, lines: u64) {
        self.known.iter_mut().for_each(|(_, waiting)| waiting.first += lines);
    }
}

/// All origins with deferred lines, in bounded memory.
#[derive(Debug)]
pub(crate) struct MissingRobots {
    held: HashMap<Box<str>, Waiting>,
    held_bytes: usize,
    directory: PathBuf,
    limit: usize,
    by_origin: Sorter,
    by_url: Sorter,
    by_first: Sorter,
}

/// The state of all origins, except those spilled to files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct MissingRobotsState {
    /// Where spilled origins are.
    runs: Vec<Place>,
    held: Vec<(Box<str>, Waiting)>,
}

/// Approximate memory of an entry besides its name.
const OVERHEAD: usize = 64;

impl MissingRobots {
    /// Has this memory, and the rest in `directory`. With a `state`, it continues from there, and its files outlive the process, so that
    /// another run can resume.
    pub fn new(directory: &Path, memory: Share, state: Option<&MissingRobotsState>) -> io::Result<MissingRobots> {
        // A checkpoint copies those that are held.
        let [held, of_origins, of_urls, of_firsts, _copied] = memory.split();
        let [by_url, by_first] = [of_urls, of_firsts].map(|memory| Sorter::new(Spill::unnamed(directory), memory));
        let by_origin = match state {
            Some(state) => {
                let path = |folder: &Path, number| partial(&stored_part(folder, number));
                Sorter::new(Spill::named(directory, path), of_origins).resume(&state.runs)?
            }
            None => Sorter::new(Spill::unnamed(directory), of_origins),
        };
        let mut needed = MissingRobots {
            held: HashMap::new(),
            held_bytes: 0,
            directory: directory.to_owned(),
            limit: held.length(),
            by_origin,
            by_url,
            by_first,
        };
        for (origin, waiting) in state.iter().flat_map(|state| &state.held) {
            needed.add_one(origin, *waiting)?;
        }
        Ok(needed)
    }

    /// The state from which another run can resume, besides the [files](MissingRobots::files).
    pub fn state(&self) -> MissingRobotsState {
        let held = self.held.iter().map(|(origin, waiting)| (origin.clone(), *waiting)).collect();
        MissingRobotsState { runs: self.by_origin.runs().collect(), held }
    }

    /// The names of the files of spilled origins, which keep their [partial](super::folder::partial) names and never become
    /// results.
    pub fn files(&self) -> Vec<PathBuf> {
        let numbers: BTreeSet<u64> = self.by_origin.runs().map(|run| run.number).collect();
        numbers.into_iter().map(|number| stored_part(&self.directory, number)).collect()
    }

    /// Adds the origins of a chunk.
    pub fn add(&mut self, chunk: &WaitingOrigins) -> io::Result<()> {
        chunk.iter().try_for_each(|(origin, waiting)| self.add_one(&origin, waiting))
    }

    pub fn add_one(&mut self, origin: &str, waiting: Waiting) -> io::Result<()> {
        match self.held.entry_ref(origin) {
            EntryRef::Occupied(mut known) => *known.get_mut() = merged(*known.get(), waiting),
            EntryRef::Vacant(room) => {
                self.held_bytes += origin.len() + OVERHEAD;
                room.insert(waiting);
            }
        }
        if self.held_bytes > self.limit {
            self.sort()?;
            self.by_origin.store()?;
        }
        Ok(())
    }

    fn sort(&mut self) -> io::Result<()> {
        self.held_bytes = 0;
        for (origin, waiting) in std::mem::take(&mut self.held) {
            self.by_origin.push(record(&origin, &waiting))?;
        }
        Ok(())
    }

    /// Writes `robots-needed.tsv`; returns its description, in which each row is a line. `asked` returns, for each
    /// origin, the URL to fetch, the last status, and when the URL was last requested. Several origins may redirect to
    /// one URL, and wait for it together.
    pub fn write(mut self, asked: impl Fn(&str, &Waiting) -> Asked, out: &mut impl Write) -> io::Result<Written> {
        self.sort()?;
        let MissingRobots { by_origin, mut by_url, mut by_first, .. } = self;
        each_merged(by_origin, |origin, waiting| {
            let Asked { url, status, at } = asked(&origin, &waiting);
            by_url.push(record(&url, &Waiting { status, asked_at: at, ..waiting }))
        })?;
        each_merged(by_url, |url, waiting| {
            by_first.push([&waiting.first.to_be_bytes()[..], &record(&url, &waiting)].concat())
        })?;
        out.write_all(HEAD)?;
        let mut rows = Tally::default();
        by_first.finish(|ordered| {
            let (url, waiting) = entry(ordered.get(size_of::<u64>()..).unwrap_or_default())?;
            let row = row_of(&url, &waiting);
            rows.add_hashed(line_hash(row.as_bytes()), row.len() + 1);
            writeln!(out, "{row}")
        })?;
        let head = HEAD.len() as u64;
        Ok(Written { name: NEEDED.to_owned(), head, end: head + rows.bytes, tally: rows, blocks: 0, footer: 0 })
    }
}

/// The name of a file with a part of the origins, without which an interrupted run cannot go on.
fn stored_part(directory: &Path, number: u64) -> PathBuf {
    directory.join(format!("{NEEDED}.{number}"))
}

/// Passes on the sorted entries, those of one key merged.
fn each_merged(sorted: Sorter, mut each: impl FnMut(String, Waiting) -> io::Result<()>) -> io::Result<()> {
    let mut current: Option<(String, Waiting)> = None;
    sorted.finish(|record| {
        let (key, waiting) = entry(&record)?;
        match &mut current {
            Some((same, sum)) if *same == key => *sum = merged(*sum, waiting),
            other => {
                if let Some((key, waiting)) = other.replace((key, waiting)) {
                    each(key, waiting)?;
                }
            }
        }
        Ok(())
    })?;
    current.map_or(Ok(()), |(key, waiting)| each(key, waiting))
}

/// A row of `robots-needed.tsv`, without its LF.
fn row_of(url: &str, waiting: &Waiting) -> String {
    let Waiting { reason, lines, status, asked_at, .. } = *waiting;
    format!("{url}\t{}\t{lines}\t{}", reason.name(), asked_columns(status, asked_at))
}

/// The URLs in a `robots-needed.tsv`, which is at its start, and the lines that wait for each.
pub(crate) fn rows(file: File) -> impl Iterator<Item = io::Result<(String, Waiting)>> {
    BufReader::new(file).lines().enumerate().skip(1).map(|(line, row)| {
        let row = row?;
        let invalid = || io::Error::other(format!("line {} is not a row of robots.txt to fetch", line + 1));
        let (url, waiting) = parse_row(&row, line as u64).ok_or_else(invalid)?;
        Ok((url.to_owned(), waiting))
    })
}

/// Parses a row of `robots-needed.tsv`: the URL, and the lines that wait for it, the first of which gets the number `first`.
/// `None` if it is not such a row.
pub(crate) fn parse_row(row: &str, first: u64) -> Option<(&str, Waiting)> {
    let mut fields = row.split('\t');
    let url = fields.next().filter(|url| url.starts_with("http"))?;
    let reason = Reason::from_name(fields.next()?.as_bytes())?;
    let lines = fields.next()?.parse().ok()?;
    let status = match fields.next()? {
        "" => None,
        status => Some(status.parse().ok()?),
    };
    let asked_at = match fields.next()? {
        "" => None,
        at => Some(time_text::written(at).ok()?),
    };
    fields.next().is_none().then_some((url, Waiting { first, lines, reason, status, asked_at }))
}

fn merged(a: Waiting, b: Waiting) -> Waiting {
    let first = if a.first <= b.first { a } else { b };
    Waiting { lines: a.lines + b.lines, asked_at: a.asked_at.max(b.asked_at), ..first }
}

/// An entry as bytes that sort by key: the key (an origin or a URL), a zero, which no key contains, and numbers.
fn record(key: &str, waiting: &Waiting) -> Vec<u8> {
    let Waiting { first, lines, reason, status, asked_at } = *waiting;
    // 0 means no status; a status, which may itself be 0, is stored plus one. Likewise a time, counted from the
    // earliest possible time.
    let asked_at = asked_at.map_or(0, |at| at.abs_diff(i64::MIN).saturating_add(1));
    let status = status.map_or(0, |status| u64::from(status) + 1);
    let mut record = [key.as_bytes(), &[0]].concat();
    [first, lines, reason as u64, status, asked_at].into_iter().for_each(|number| push_number(number, &mut record));
    record
}

/// The entry of a record.
fn entry(record: &[u8]) -> io::Result<(String, Waiting)> {
    let damaged = || io::Error::from(io::ErrorKind::InvalidData);
    let end = memchr::memchr(0, record).ok_or_else(damaged)?;
    let (key, mut numbers) = (&record[..end], Reader(&record[end + 1..]));
    let mut number = || numbers.number().map_err(io::Error::other);
    let (first, lines) = (number()?, number()?);
    let reason = Reason::ALL.get(number()? as usize).copied().ok_or_else(damaged)?;
    let status = number()?.checked_sub(1).map(|status| status as u16);
    let asked_at = number()?.checked_sub(1).map(|since| i64::MIN.saturating_add_unsigned(since));
    let key = String::from_utf8(key.to_vec()).map_err(io::Error::other)?;
    Ok((key, Waiting { first, lines, reason, status, asked_at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was spilled, and whether or not the run was interrupted.
    #[test]
    fn each_origin_is_listed_once_in_the_order_of_first_lines() {
        const ORIGINS: u64 = 97;
        // Of different lengths, so that what is held and what is sorted reach their limits at different times.
        let origin = |line: u64| {
            let host = line * 7919 % ORIGINS;
            format!("http://{host}{}.example", "x".repeat((host * 31 % 60) as usize))
        };
        // An origin waits for the reason of its first line.
        let reason = |line: u64| [Reason::Unfetched, Reason::Unreachable][(line / 10 % 2) as usize];
        for limit in [0, 300, 1500, 1 << 20] {
            for stops in [&[][..], &[3, 2]] {
                let folder = tempfile::tempdir().unwrap();
                let resumed =
                    |state| MissingRobots::new(folder.path(), Share::for_test(5 * limit), Some(&state)).unwrap();
                let mut needed = resumed(MissingRobotsState::default());
                // Chunks may come in any order.
                for chunk in [2, 0, 3, 1] {
                    let mut waiting = WaitingOrigins::default();
                    for line in chunk * 100..chunk * 100 + 100 {
                        let url = origin(line);
                        let new = Waiting { first: line, lines: 1, reason: reason(line), status: None, asked_at: None };
                        waiting.count(url.as_bytes(), new);
                    }
                    if stops.contains(&chunk) {
                        let state = serde_json::to_string(&needed.state()).unwrap();
                        // Lost: this is after the checkpoint.
                        needed.add(&waiting).unwrap();
                        drop(needed);
                        needed = resumed(serde_json::from_str(&state).unwrap());
                    }
                    needed.add(&waiting).unwrap();
                }
                // Beyond memory, there are runs.
                assert_eq!(needed.by_origin.runs().count() > 0, limit < 1 << 20, "{limit}");
                let mut out = Vec::new();
                assert_eq!(
                    needed
                        .write(|origin, _| Asked { url: origin::robots_url(origin), status: None, at: None }, &mut out)
                        .unwrap()
                        .tally
                        .lines,
                    ORIGINS
                );
                let text = String::from_utf8(out).unwrap();
                let row = |line: u64| {
                    let lines = if line < 400 - 4 * ORIGINS { 5 } else { 4 };
                    let reason = reason(line).name();
                    format!("{}/robots.txt\t{reason}\t{lines}\t\t", origin(line))
                };
                assert!(text.lines().skip(1).eq((0..ORIGINS).map(row)), "limit {limit}: {text}");
            }
        }
    }

    #[test]
    fn of_several_times_the_newest_counts() {
        let waiting =
            |first, asked_at| Waiting { first, lines: 1, reason: Reason::Unreachable, status: None, asked_at };
        for times in [[None, Some(5), Some(3)], [Some(5), None, Some(3)], [Some(3), Some(5), None]] {
            let merged = times.into_iter().zip(0..).map(|(at, first)| waiting(first, at)).reduce(merged);
            assert_eq!(merged, Some(Waiting { lines: 3, ..waiting(0, Some(5)) }));
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        let times = [None, Some(0), Some(-1), Some(1_768_219_200), Some(i64::MIN), Some(i64::MAX - 1)];
        for (status, asked_at) in [None, Some(0), Some(503)].into_iter().flat_map(|status| times.map(|at| (status, at)))
        {
            let mut needed = MissingRobots::new(&std::env::temp_dir(), Share::for_test(1 << 20), None).unwrap();
            let waiting = Waiting { first: 7, lines: 3, reason: Reason::Unreachable, status, asked_at };
            needed.add_one("https://a.example:8443/robots.txt", waiting).unwrap();
            let mut out = Vec::new();
            let asked = |url: &str, waiting: &Waiting| Asked {
                url: url.to_owned(),
                status: waiting.status,
                at: waiting.asked_at,
            };
            needed.write(asked, &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let row = text.lines().nth(1).unwrap();
            assert_eq!(parse_row(row, 7), Some(("https://a.example:8443/robots.txt", waiting)));
            for damaged in [
                row.replace("https", "ftp"),
                row.replace("\t3\t", "\tx\t"),
                format!("{row}\t"),
                format!("{row}x"),
                row.replace("un", ""),
            ] {
                assert_eq!(parse_row(&damaged, 7), None, "{damaged}");
            }
        }
    }
}
