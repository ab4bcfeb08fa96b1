//! The lines whose URLs occurred before, found in a first pass over the lists.
//!
//! It is for lists with more URLs than a [set](super::seen) in memory has room for; they must be files, which can be read again. The
//! first pass only hashes. Then it is known of each line, by its number, whether it [is repeated](super::known_lines), and the second
//! pass, which judges, asks for each chunk in its turn.
//!
//! Both passes must read the same lines, or the wrong lines would be left out. As for all lists, a run fails if a file
//! has changed. Unreadable parts may be skipped, so this module also checks that both passes count the same number of
//! lines up to the end of each chunk.

use std::io;
use std::path::PathBuf;

use super::error::{interrupted, no_space};
use super::known_lines::{KeyFiles, KnownLines, known_lines};
use super::memory::{ADDED_KEYS, JobMemory, KEY_SETS, KEYS};
use super::queue::{Step, Turns};
use super::seen::{Hashing, LineHashes};
use super::seen_file::Unwritten;
use crate::error::About;
use crate::error::run::Error;
use crate::formats::external_sort::{ChunkKeys, KeyRuns};
use crate::formats::memory_budget::Share;
use crate::input::chunks::{Chunk, Chunks, Position};
use crate::input::error::changed;
use crate::input::list::List;
use crate::lock::{Mutex, into_inner, lock};
use crate::run::scan::each_chunk;

/// What the first pass may use.
#[derive(Debug)]
pub(super) struct PassLimits {
    /// The folder for its files.
    pub folder: PathBuf,
    pub threads: usize,
    /// For keys that are not yet written, and, while lines are judged, for those of allowed lines.
    keys: Share,
    added_keys: Share,
    /// For the set of each thread.
    set: Share,
}

/// Why a line is left out: the first reason that applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Why {
    /// Its URL has occurred before.
    Repeated,
    /// Earlier runs have seen its URL.
    Seen,
    /// Both policies put it into the same partition.
    Unchanged,
}

/// The lines that are repeated, and how many lines were read for the second time.
#[derive(Debug)]
pub(super) struct Repeats {
    lines: KnownLines,
    /// The number of the first line of each list among all lines; at the end, the number of all.
    starts: Vec<u64>,
    /// Where the chunks of the first pass ended, and the number of lines before that.
    ends: Vec<(Position, u64)>,
    /// Lines of each list that had their turn in the second pass.
    read: Mutex<Vec<u64>>,
}

/// The progress of the first pass.
pub(super) struct Passed {
    pub keys: KeyRuns,
    /// The lines of each list.
    lines: Vec<u64>,
    ends: Vec<(Position, u64)>,
}

impl PassLimits {
    /// With files in this folder, and so many threads.
    pub fn new(folder: PathBuf, threads: usize, memory: JobMemory) -> PassLimits {
        let set = memory.share(KEY_SETS).of_each(threads);
        PassLimits { folder, threads, keys: memory.share(KEYS), added_keys: memory.share(ADDED_KEYS), set }
    }

    /// No keys of allowed lines yet.
    pub fn no_added_keys(&self) -> Result<KeyRuns, Error> {
        KeyRuns::new(&self.folder, &self.added_keys).map_err(|error| self.failed(0, error))
    }

    /// The error that there is no room for more than these bytes.
    pub fn failed(&self, bytes: u64, error: io::Error) -> Error {
        no_space(&self.folder, bytes, &error)
    }
}

impl Repeats {
    /// Reads all chunks. Lines whose URLs are in `files` are found as well. `read` is the number of lines of each list
    /// that the second pass does not read, because an interrupted run has judged them.
    pub fn find(
        chunks: &Chunks<'_>,
        hashing: Hashing,
        limits: &PassLimits,
        files: KeyFiles<'_>,
        read: Vec<u64>,
    ) -> Result<Repeats, Error> {
        let Passed { keys, lines, ends } = first_pass(chunks, hashing, limits)?;
        let bytes = keys.written();
        let known = known_lines(keys, &limits.folder, limits.threads, &limits.set, files);
        let mut starts = vec![0];
        starts.extend(lines.iter().scan(0, |all, lines| {
            *all += lines;
            Some(*all)
        }));
        let lines = known.map_err(|problem| match problem {
            Unwritten::Itself(error) => limits.failed(bytes, error),
            Unwritten::Other(error) if files.shards.is_some() => error.about(About::Keys),
            Unwritten::Other(error) => error,
        })?;
        Ok(Repeats { lines, starts, ends, read: Mutex::new(read) })
    }

    /// Finds the repeated lines of a chunk, and the lines whose URLs are in the file, in the chunk's turn; returns
    /// false if the run has failed meanwhile.
    pub fn of(
        &self,
        turns: &Turns,
        chunk: &Chunk<'_>,
        list: &List,
        found: &mut Vec<(usize, Why)>,
    ) -> Result<bool, Error> {
        let count = count_lines(chunk.text());
        let first = turns.take(Step::LeavingOut, chunk.ticket, &self.read, |read| {
            let first = self.starts[chunk.list] + read[chunk.list];
            read[chunk.list] += count;
            first
        });
        let Some(first) = first else { return Ok(false) };
        let (end, place) = (first + count, Position { list: chunk.list, at: chunk.end });
        let before = self.ends.binary_search_by_key(&place, |&(place, _)| place).map(|at| self.ends[at].1);
        if end > self.starts[chunk.list + 1] || before.is_ok_and(|before| before != end) {
            return Err(changed(&list.path));
        }
        self.lines.repeated.each(first, count as usize, |line| found.push((line, Why::Repeated)));
        if let Some(known) = &self.lines.in_file {
            known.each(first, count as usize, |line| found.push((line, Why::Seen)));
            found.sort_unstable();
            // A line is left out once.
            found.dedup_by_key(|&mut (line, _)| line);
        }
        Ok(true)
    }

    /// Checks that so many lines of each list have had their turns.
    pub fn were_read(&self, read: &[u64], lists: &[List]) -> Result<(), Error> {
        match lock(&self.read).iter().zip(read).position(|(had, read)| had != read) {
            Some(list) => Err(changed(&lists[list].path)),
            None => Ok(()),
        }
    }

    /// Checks, after all turns, that the second pass has read all lines of the first.
    pub fn all_were_read(&self, lists: &[List]) -> Result<(), Error> {
        let known: Vec<u64> = self.starts.windows(2).map(|of_list| of_list[1] - of_list[0]).collect();
        self.were_read(&known, lists)
    }
}

/// Hashes the lines of all chunks.
pub(super) fn first_pass(chunks: &Chunks<'_>, hashing: Hashing, limits: &PassLimits) -> Result<Passed, Error> {
    let keys = KeyRuns::new(&limits.folder, &limits.keys).map_err(|error| limits.failed(0, error))?;
    let (turns, none) = (Turns::default(), Passed { keys, lines: vec![0; chunks.lists().len()], ends: Vec::new() });
    let passed = Mutex::new(none);
    let new = <(LineHashes, ChunkKeys)>::default;
    each_chunk(
        chunks,
        limits.threads,
        || turns.stop(),
        new,
        |chunk, (hashes, sorted)| {
            hashes.find(chunk, hashing);
            sorted.sort(&hashes.hashes);
            let added =
                turns.take(Step::LeavingOut, chunk.ticket, &passed, |passed| passed.add(chunk, sorted)).transpose();
            Ok(added.map_err(|(bytes, error)| limits.failed(bytes, error))?.is_some())
        },
    )?;
    if chunks.is_interrupted() {
        return Err(interrupted());
    }
    // If a list has changed, the second pass would read other URLs.
    chunks.lists().iter().try_for_each(List::unchanged)?;
    Ok(into_inner(passed))
}

impl Passed {
    /// Adds a chunk in its turn. An error comes with the bytes written before.
    fn add(&mut self, chunk: &Chunk<'_>, sorted: &ChunkKeys) -> Result<(), (u64, io::Error)> {
        let bytes = self.keys.written();
        self.keys.add(sorted).map_err(|error| (bytes, error))?;
        self.lines[chunk.list] += sorted.lines();
        self.ends.push((Position { list: chunk.list, at: chunk.end }, self.keys.lines()));
        Ok(())
    }
}

/// The number of lines of a text.
fn count_lines(text: &[u8]) -> u64 {
    let is_open = text.last().is_some_and(|&byte| byte != b'\n');
    memchr::memchr_iter(b'\n', text).count() as u64 + u64::from(is_open)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::input::chunks::Cut;
    use crate::input::layout::{Layout, UrlField};
    use crate::input::list::{Buffer, Opening};
    use crate::judge::same_url::SameUrl;

    /// Opens these texts as lists.
    fn lists(folder: &std::path::Path, texts: &[&str]) -> Vec<List> {
        let path = |(number, text): (usize, &&str)| {
            let path = folder.join(number.to_string());
            std::fs::write(&path, text).unwrap();
            path
        };
        let paths: Vec<_> = texts.iter().enumerate().map(path).collect();
        List::open_all(&paths, Opening::new(&UrlField::default())).unwrap()
    }

    /// As little memory as there can be.
    fn limits(folder: &std::path::Path) -> PassLimits {
        let none = || Share::for_test(0);
        PassLimits { folder: folder.to_owned(), threads: 2, keys: none(), added_keys: none(), set: none() }
    }

    fn find(lists: &[List], folder: &std::path::Path, read: Vec<u64>) -> Repeats {
        let counter = AtomicU64::new(0);
        let chunks = Chunks::new(Cut::all(lists, 60, &counter));
        Repeats::find(&chunks, Hashing::new(SameUrl::Fetched), &limits(folder), KeyFiles::default(), read).unwrap()
    }

    const TEXTS: [&str; 3] = [
        "http://a.example/1\nno\nhttp://a.example/2\nhttp://a.example/%31\nno\n",
        "",
        "http://a.example/3\nhttp://a.example/2\nhttp://a.example/3",
    ];

    #[test]
    fn repeated_lines_are_known_by_their_numbers() {
        let folder = tempfile::tempdir().unwrap();
        let lists = lists(folder.path(), &TEXTS);
        let repeats = find(&lists, folder.path(), vec![0; 3]);
        let (counter, mut buffer, mut found) = (AtomicU64::new(0), Buffer::default(), Vec::new());
        // Other chunks than those of the first pass.
        let (chunks, turns) = (Chunks::new(Cut::all(&lists, 1, &counter)), Turns::default());
        while let Some(mut chunk) = chunks.next(&mut buffer).unwrap() {
            chunks.read(&mut chunk, &mut buffer).unwrap();
            let text = String::from_utf8(chunk.text().to_vec()).unwrap();
            let mut repeated = Vec::new();
            assert!(repeats.of(&turns, &chunk, &lists[chunk.list], &mut repeated).unwrap());
            assert!(repeated.iter().all(|&(_, why)| why == Why::Repeated));
            found.extend(repeated.into_iter().map(|(line, _)| (chunk.list, line, text.clone())));
        }
        let expected = [(0, "http://a.example/%31\n"), (2, "http://a.example/2\n"), (2, "http://a.example/3")]
            .map(|(list, text)| (list, 0, text.to_owned()));
        assert_eq!(found, expected);
        assert!(repeats.all_were_read(&lists).is_ok());
    }

    /// Runs of several blocks, each read several times: the first line of each URL stays.
    #[test]
    fn the_first_line_stays_when_keys_do_not_fit_into_memory() {
        let folder = tempfile::tempdir().unwrap();
        let line = |n: u64| format!("http://a.example/{}#{n}\n", if n.is_multiple_of(3) { n } else { n % 2 });
        let texts = [0..5000, 3000..9000].map(|numbers| numbers.map(line).collect::<String>());
        let lists = lists(folder.path(), &[&texts[0], &texts[1]]);
        let counter = AtomicU64::new(0);
        let limits = limits(folder.path());
        let passed = first_pass(&Chunks::new(Cut::all(&lists, 60, &counter)), Hashing::new(SameUrl::Fetched), &limits);
        assert!(passed.unwrap().keys.most_blocks() > 3);
        let (repeats, mut seen) = (find(&lists, folder.path(), vec![0; 2]), std::collections::HashSet::new());
        let keys = texts.iter().flat_map(|text| text.lines()).map(|line| line.split('#').next());
        let expected: Vec<usize> =
            keys.enumerate().filter(|(_, key)| !seen.insert(*key)).map(|(line, _)| line).collect();
        let mut found = Vec::new();
        repeats.lines.repeated.each(0, 11_000, |line| found.push(line));
        assert!(found == expected);
    }

    #[test]
    fn other_lines_in_the_second_pass_are_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let lists = lists(folder.path(), &TEXTS);
        let changed = |result: Result<bool, Error>| result.is_err_and(|error| error.is_about(About::Untrusted));
        let chunk = |text, list, end| {
            let mut chunk = Chunk::of_lines(text, &Layout::Whole, 0);
            (chunk.list, chunk.end) = (list, end);
            chunk
        };
        // Where no chunk of the first pass ended, nothing is known.
        for (text, list, end, is_other) in [
            ("a\nb\n", 0, TEXTS[0].len() as u64, true),
            ("a\nb\nc\nd\ne\n", 0, TEXTS[0].len() as u64, false),
            ("a\nb\n", 0, 61, false),
            ("a\nb\nc\n", 2, TEXTS[2].len() as u64, false),
            ("a\nb\n", 2, TEXTS[2].len() as u64, true),
            ("a\n", 1, 1, true),
        ] {
            let repeats = find(&lists, folder.path(), vec![0; 3]);
            assert_eq!(
                changed(repeats.of(
                    &Turns::default(),
                    &chunk(text.as_bytes(), list, end),
                    &lists[list],
                    &mut Vec::new()
                )),
                is_other,
                "{text} {end}"
            );
        }
        assert!(changed(find(&lists, folder.path(), vec![5, 0, 2]).all_were_read(&lists).map(|()| true)));
        assert!(find(&lists, folder.path(), vec![5, 0, 3]).all_were_read(&lists).is_ok());
    }
}
