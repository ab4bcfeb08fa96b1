//! Which robots.txt files a crawl should fetch: those of the origins of deferred lines, or the URLs that they redirect to, in order of
//! first appearance.

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use super::folder::{NEEDED, Written};
use super::spill::Sorter;
use crate::judge::tally::{Tally, line_hash};
use crate::origin;
use crate::outcome::Reason;

/// The head of `robots-needed.tsv`.
pub(crate) const HEAD: &[u8] = b"robots_txt\treason\tlines\tstatus\n";

/// The deferred lines of an origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Waiting {
    /// The number of its first deferred line, among all lines.
    pub first: u64,
    /// The number of its lines that wait.
    pub lines: u64,
    /// Why the first one waits.
    pub reason: Reason,
    /// The last status of the robots.txt, if it is known without the policy.
    pub status: Option<u16>,
}

/// The origins of a chunk's deferred lines. Keys are bytes, so that a line's origin can be looked up before it is parsed.
#[derive(Debug, Clone, Default)]
pub(crate) struct WaitingOrigins(HashMap<Box<[u8]>, Waiting>);

impl WaitingOrigins {
    /// Counts a deferred line. Does nothing if `url` is not a URL.
    pub fn count(&mut self, url: &[u8], line: u64, reason: Reason) {
        let url = origin::trimmed(url);
        // Keys are canonical, so an origin that is already a key needs no parsing.
        let known = origin::cut(url).and_then(|end| self.0.get_mut(&url[..end]));
        if let Some(waiting) = known {
            waiting.lines += 1;
        } else if let Ok((origin, _)) = origin::of(url) {
            let new = Waiting { first: line, lines: 0, reason, status: None };
            self.0.entry_ref(&*origin).or_insert(new).lines += 1;
        }
    }

    /// The origins, in the order of their first lines.
    pub fn in_order(self) -> Vec<(String, Waiting)> {
        let text = |(origin, waiting): (Box<[u8]>, _)| (String::from_utf8_lossy(&origin).into_owned(), waiting);
        let mut all: Vec<(String, Waiting)> = self.0.into_iter().map(text).collect();
        all.sort_unstable_by_key(|(_, waiting)| waiting.first);
        all
    }

    /// Shifts line numbers by the number of lines before the chunk.
    pub fn shift_by(&mut self, lines: u64) {
        self.0.values_mut().for_each(|waiting| waiting.first += lines);
    }
}

/// All origins with deferred lines, in bounded memory.
#[derive(Debug)]
pub(crate) struct MissingRobots {
    held: HashMap<Box<str>, Waiting>,
    held_bytes: usize,
    limit: usize,
    by_origin: Sorter,
    by_url: Sorter,
    by_first: Sorter,
}

/// The state of all origins, except those spilled to files.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct MissingRobotsState {
    /// The number of files with spilled origins.
    runs: usize,
    held: Vec<(Box<str>, Waiting)>,
}

/// Approximate memory of an entry besides its name.
const OVERHEAD: usize = 64;

impl MissingRobots {
    /// Holds about `limit` bytes in memory and spills the rest to `directory`. With a `state`, it continues from there, and its
    /// files outlive the process, so that another run can resume.
    pub fn new(directory: &Path, limit: usize, state: Option<&MissingRobotsState>) -> io::Result<MissingRobots> {
        let start = directory.join(NEEDED);
        let [by_url, by_first] = [Sorter::new(start.clone(), limit, None)?, Sorter::new(start.clone(), limit, None)?];
        let by_origin = Sorter::new(start, limit / 2, state.map(|state| state.runs))?;
        let mut needed = MissingRobots { held: HashMap::new(), held_bytes: 0, limit, by_origin, by_url, by_first };
        for (origin, waiting) in state.iter().flat_map(|state| &state.held) {
            needed.add_one(origin.clone(), *waiting)?;
        }
        Ok(needed)
    }

    /// The state from which another run can resume, besides the [files](MissingRobots::files).
    pub fn state(&self) -> MissingRobotsState {
        let held = self.held.iter().map(|(origin, waiting)| (origin.clone(), *waiting)).collect();
        MissingRobotsState { runs: self.by_origin.files().len(), held }
    }

    /// The names of the files of spilled origins, which keep their [partial](super::folder::partial) names and never become
    /// results.
    pub fn files(&self) -> Vec<PathBuf> {
        self.by_origin.files()
    }

    /// Adds the origins of a chunk.
    pub fn add(&mut self, chunk: WaitingOrigins) -> io::Result<()> {
        let mut chunk = chunk.0.into_iter();
        chunk.try_for_each(|(origin, waiting)| self.add_one(String::from_utf8_lossy(&origin).into(), waiting))
    }

    pub fn add_one(&mut self, origin: Box<str>, waiting: Waiting) -> io::Result<()> {
        match self.held.get_mut(&origin) {
            Some(entry) => *entry = merged(*entry, waiting),
            None => {
                self.held_bytes += origin.len() + OVERHEAD;
                self.held.insert(origin, waiting);
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

    /// Writes `robots-needed.tsv`; returns its description, in which each row is a line. `asked` tells, for each origin, the URL
    /// to fetch and its last status. Several origins may wait for one URL, to which they redirect.
    pub fn write(
        mut self,
        asked: impl Fn(&str, &Waiting) -> (String, Option<u16>),
        out: &mut impl Write,
    ) -> io::Result<Written> {
        self.sort()?;
        let MissingRobots { by_origin, mut by_url, mut by_first, .. } = self;
        each_merged(by_origin, |origin, waiting| {
            let (url, status) = asked(&origin, &waiting);
            by_url.push(record(&url, &Waiting { status, ..waiting }))
        })?;
        each_merged(by_url, |url, waiting| by_first.push(ordered(&url, &waiting)))?;
        out.write_all(HEAD)?;
        let mut rows = Tally::default();
        by_first.finish(|ordered| {
            let (first, row) = ordered.split_first_chunk().ok_or(io::ErrorKind::InvalidData)?;
            let (url, waiting) = entry(row, first)?;
            let row = row_of(&url, &waiting);
            rows.add_hashed(line_hash(row.as_bytes()), row.len() + 1);
            writeln!(out, "{row}")
        })?;
        let head = HEAD.len() as u64;
        Ok(Written { name: NEEDED.to_owned(), head, end: head + rows.bytes, tally: rows, blocks: 0, footer: 0 })
    }
}

/// Passes on the sorted entries, those of one key merged.
fn each_merged(sorted: Sorter, mut each: impl FnMut(String, Waiting) -> io::Result<()>) -> io::Result<()> {
    let mut current: Option<(String, Waiting)> = None;
    sorted.finish(|record| {
        let (row, first) = record.split_last_chunk().ok_or(io::ErrorKind::InvalidData)?;
        let (key, waiting) = entry(row, first)?;
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
    let Waiting { reason, lines, status, .. } = waiting;
    let status = status.map_or(String::new(), |status| status.to_string());
    format!("{url}\t{}\t{lines}\t{status}", reason.name())
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
    fields.next().is_none().then_some((url, Waiting { first, lines, reason, status }))
}

fn merged(a: Waiting, b: Waiting) -> Waiting {
    let first = if a.first <= b.first { a } else { b };
    Waiting { lines: a.lines + b.lines, ..first }
}

/// An entry as bytes that sort by key, an origin or a URL: its row, and then the number of its first line.
fn record(key: &str, waiting: &Waiting) -> Vec<u8> {
    [row_of(key, waiting).as_bytes(), &waiting.first.to_be_bytes()].concat()
}

/// An entry as bytes that sort by first line: the same, the other way round.
fn ordered(url: &str, waiting: &Waiting) -> Vec<u8> {
    [&waiting.first.to_be_bytes(), row_of(url, waiting).as_bytes()].concat()
}

/// The entry of a row and the number of its first line.
fn entry(row: &[u8], first: &[u8; 8]) -> io::Result<(String, Waiting)> {
    let row = std::str::from_utf8(row).map_err(io::Error::other)?;
    let (key, waiting) = parse_row(row, u64::from_be_bytes(*first)).ok_or(io::ErrorKind::InvalidData)?;
    Ok((key.to_owned(), waiting))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was spilled, and whether or not the run was interrupted.
    #[test]
    fn each_origin_is_listed_once_in_the_order_of_first_lines() {
        for limit in [0, 300, 1 << 20] {
            for stops in [&[][..], &[3, 2]] {
                let folder = tempfile::tempdir().unwrap();
                let resumed = |state| MissingRobots::new(folder.path(), limit, Some(&state)).unwrap();
                let mut needed = resumed(MissingRobotsState::default());
                // Chunks may come in any order.
                for chunk in [2, 0, 3, 1] {
                    let mut waiting = WaitingOrigins::default();
                    for line in chunk * 100..chunk * 100 + 100 {
                        let url = format!("http://{}.example", line * 7919 % 61);
                        waiting.count(url.as_bytes(), line, Reason::Unfetched);
                    }
                    if stops.contains(&chunk) {
                        let state = serde_json::to_string(&needed.state()).unwrap();
                        // Lost: this is after the checkpoint.
                        needed.add(waiting.clone()).unwrap();
                        drop(needed);
                        needed = resumed(serde_json::from_str(&state).unwrap());
                    }
                    needed.add(waiting).unwrap();
                }
                let mut out = Vec::new();
                assert_eq!(
                    needed.write(|origin, _| (origin::robots_url(origin), None), &mut out).unwrap().tally.lines,
                    61
                );
                let text = String::from_utf8(out).unwrap();
                let row = |line: usize| {
                    let lines = if line < 400 - 6 * 61 { 7 } else { 6 };
                    format!("http://{}.example/robots.txt\tunfetched\t{lines}\t", line * 7919 % 61)
                };
                assert!(text.lines().skip(1).eq((0..61).map(row)), "limit {limit}: {text}");
            }
        }
    }

    #[test]
    fn a_row_is_read_as_it_was_written() {
        for status in [None, Some(503)] {
            let mut needed = MissingRobots::new(&std::env::temp_dir(), 1 << 20, None).unwrap();
            let waiting = Waiting { first: 7, lines: 3, reason: Reason::Unreachable, status };
            needed.add_one("https://a.example:8443/robots.txt".into(), waiting).unwrap();
            let mut out = Vec::new();
            needed.write(|url, waiting| (url.to_owned(), waiting.status), &mut out).unwrap();
            let text = String::from_utf8(out).unwrap();
            let row = text.lines().nth(1).unwrap();
            assert_eq!(parse_row(row, 7), Some(("https://a.example:8443/robots.txt", waiting)));
            for damaged in
                [row.replace("https", "ftp"), row.replace('3', "x"), format!("{row}\t"), row.replace("un", "")]
            {
                assert_eq!(parse_row(&damaged, 7), None, "{damaged}");
            }
        }
    }
}
