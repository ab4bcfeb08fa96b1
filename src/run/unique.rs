//! Leaves out lines whose URLs have occurred before.
//!
//! A worker hashes the URLs of its chunk. In the chunk's turn, it looks the hashes up among the URLs
//! [seen](super::seen) so far, and adds them. So the first line of a URL always stays, whichever worker has it. The
//! remaining lines are copied together and judged as if they were the whole chunk. Two lines have the same URL if their
//! judged parts have the same [key](SameUrl); a line without a valid URL is never left out.
//!
//! For large lists that are files, a [first pass](super::repeats) finds the repeated lines.
//!
//! A resumed run does not know the URLs that were seen before, because they are not durable. It reads the lists again
//! up to the point where it resumes, or all of them in a first pass, and only hashes.

use std::mem::take;
use std::path::Path;

use super::known_lines::KeyFiles;
use super::newly_seen::{NewlySeen, SeenPlace};
use super::queue::{Step, Turns};
use super::repeats::{PassLimits, Repeats, Why};
use super::seen::{Hashing, LineHashes, Seen};
use super::seen_file::ShardKeys;
use crate::error::run::Error;
use crate::formats::external_sort::ChunkKeys;
use crate::input::chunks::{Chunk, Chunks};
use crate::input::layout::Layout;
use crate::input::list::{Buffer, List};
use crate::judge::line_urls::LineUrls;
use crate::judge::same_url::SameUrl;
use crate::judge::tally::{Tally, line_hash};
use crate::lock::{Mutex, into_inner, lock};
use crate::origin;
use crate::run::scan::each_chunk;

/// The state shared by all workers.
#[derive(Debug)]
pub(super) enum Unique {
    /// The URLs of all chunks that have had their turn.
    InTurn(Hashing, Mutex<Seen>),
    /// A first pass has found the lines that are repeated.
    Known(Box<Known>),
}

/// The result of a first pass.
#[derive(Debug)]
pub(super) struct Known {
    repeats: Repeats,
    /// The allowed URLs, if they are stored for later runs.
    newly: Option<NewlySeen>,
    limits: PassLimits,
}

/// The tallies of the lines that were left out, by [`Why`].
pub(crate) type LeftOutTallies = [Tally; 3];

/// Leaves lines out of a chunk, in memory that a worker reuses for each chunk.
#[derive(Debug, Default)]
pub(super) struct LeavingOut {
    /// Whether lines are hashed for checksums.
    hashed: bool,
    lines: LineHashes,
    /// The numbers of lines to leave out, in ascending order.
    wanted: Vec<(usize, Why)>,
    /// The lines that stay, if any is left out.
    kept: Buffer,
    /// The keys of allowed lines.
    sorted: ChunkKeys,
    /// All lines of the chunk as read, if any was to be left out.
    pub input: Option<Tally>,
    pub left_out: LeftOutTallies,
}

impl Unique {
    /// With a set in a file of `folder`. If the run resumes, `before` is the chunks before that point, whose URLs are added.
    pub fn new(same: SameUrl, folder: &Path, before: Option<&Chunks<'_>>, threads: usize) -> Result<Unique, Error> {
        let (hashing, mut seen) = (Hashing::new(same), Seen::new(folder)?);
        if let Some(before) = before {
            seen = seen_before(before, hashing, seen, threads)?;
        }
        Ok(Unique::InTurn(hashing, Mutex::new(seen)))
    }

    /// With a first pass over all chunks. `read` is the number of lines of each list that were judged before the run
    /// resumes. If there is a `place` for seen URLs, the URLs in its file are left out, too, and allowed URLs are
    /// stored for it. If there are keys of `shards`, the URLs of earlier shards are left out.
    pub fn of_two_passes(
        same: SameUrl,
        chunks: &Chunks<'_>,
        limits: PassLimits,
        place: Option<&SeenPlace>,
        shards: Option<&ShardKeys>,
        read: Vec<u64>,
    ) -> Result<Unique, Error> {
        let has_files = place.is_some() || shards.is_some();
        let hashing = if has_files { Hashing::of_files(same) } else { Hashing::new(same) };
        let files = KeyFiles { seen: place.and_then(|place| place.file.as_ref()), shards };
        let repeats = Repeats::find(chunks, hashing, &limits, files, read)?;
        let newly = place.map(|_| NewlySeen::new(hashing, &limits)).transpose()?;
        Ok(Unique::Known(Box::new(Known { repeats, newly, limits })))
    }

    /// Checks that so many lines of each list have had their turns.
    pub fn were_read(&self, read: &[u64], lists: &[List]) -> Result<(), Error> {
        match self {
            Unique::Known(known) => known.repeats.were_read(read, lists),
            Unique::InTurn(..) => Ok(()),
        }
    }

    /// Leaves out the lines of a chunk of `list` that are not to be judged, if they have not changed since they were hashed; returns
    /// false if the run has failed meanwhile.
    pub fn leave_out_repeated(
        &self,
        turns: &Turns,
        chunk: &mut Chunk<'_>,
        list: &List,
        leaving_out: &mut LeavingOut,
    ) -> Result<bool, Error> {
        let LeavingOut { lines, wanted, .. } = &mut *leaving_out;
        wanted.clear();
        match self {
            Unique::InTurn(hashing, seen) => {
                lines.find(chunk, *hashing);
                let insert =
                    |seen: &mut Seen| seen.insert_all(&lines.hashes, |line| wanted.push((line, Why::Repeated)));
                let Some(inserted) = turns.take(Step::LeavingOut, chunk.ticket, seen, insert) else { return Ok(false) };
                inserted?;
            }
            Unique::Known(known) => {
                if !known.repeats.of(turns, chunk, list, wanted)? {
                    return Ok(false);
                }
                if !wanted.is_empty() {
                    lines.urls.find(chunk);
                }
            }
        }
        let (layout, bom_len, urls) = (chunk.layout, chunk.bom_len, take(&mut lines.urls));
        let is_url = |line: usize, text: &[u8]| {
            // The line may have changed after its mark was found.
            has_url(text.get(if line == 0 { bom_len } else { 0 }..).unwrap_or_default(), layout)
        };
        leaving_out.leave_out(chunk, &urls, is_url);
        leaving_out.lines.urls = urls;
        Ok(true)
    }

    /// Stores the allowed URLs of a judged chunk for later runs, if there are such.
    pub fn keep_allowed(
        &self,
        chunk: &Chunk<'_>,
        is_allowed: impl FnOnce() -> Vec<bool>,
        LeavingOut { lines, sorted, .. }: &mut LeavingOut,
    ) -> Result<(), Error> {
        let Unique::Known(known) = self else { return Ok(()) };
        match &known.newly {
            Some(newly) => newly.add(chunk, &is_allowed(), lines, sorted, &known.limits),
            None => Ok(()),
        }
    }

    /// Checks, after all turns, that lines were left out of the lists as they were found there. Returns the URLs kept for later runs.
    pub fn end(self, lists: &[List]) -> Result<Option<NewlySeen>, Error> {
        match self {
            Unique::InTurn(..) => Ok(None),
            Unique::Known(known) => {
                let Known { repeats, newly, .. } = *known;
                repeats.all_were_read(lists).map(|()| newly)
            }
        }
    }
}

/// Adds the URLs of these chunks.
fn seen_before(chunks: &Chunks<'_>, hashing: Hashing, seen: Seen, threads: usize) -> Result<Seen, Error> {
    let seen = Mutex::new(seen);
    each_chunk(
        chunks,
        threads,
        || (),
        LineHashes::default,
        |chunk, lines| {
            lines.find(chunk, hashing);
            lock(&seen).insert_all(&lines.hashes, |_| ())?;
            Ok(true)
        },
    )?;
    // If a list has changed, these are not the URLs that the run had read.
    chunks.lists().iter().try_for_each(List::unchanged)?;
    Ok(into_inner(seen))
}

/// Whether the part of a line that would be judged is a URL, so that the line is not invalid.
fn has_url(line: &[u8], layout: &Layout) -> bool {
    layout.url(line).is_ok_and(|url| origin::split(&url).is_ok())
}

impl LeavingOut {
    /// Begins with a chunk from which nothing was left out. `hashed` says whether lines are hashed for checksums.
    pub fn begin(&mut self, hashed: bool) {
        (self.hashed, self.input, self.left_out) = (hashed, None, LeftOutTallies::default());
    }

    /// Leaves out the lines of a chunk that are not changed. `urls` are the chunk's URLs.
    pub fn leave_out_unchanged(&mut self, chunk: &mut Chunk<'_>, urls: &LineUrls, is_changed: &[bool]) {
        self.wanted.clear();
        let unchanged = is_changed.iter().enumerate().filter(|&(_, &is_changed)| !is_changed);
        self.wanted.extend(unchanged.map(|(line, _)| (line, Why::Unchanged)));
        self.leave_out(chunk, urls, |_, _| true);
    }

    /// Leaves out the wanted lines that `is_out` confirms by their current text. `urls` are the chunk's URLs.
    fn leave_out(&mut self, chunk: &mut Chunk<'_>, urls: &LineUrls, is_out: impl Fn(usize, &[u8]) -> bool) {
        if self.wanted.is_empty() {
            return;
        }
        let (text, mut bom_len) = (chunk.text(), chunk.bom_len);
        let (mut kept, mut numbers, mut input) = (take(&mut self.kept), Vec::new(), Tally::default());
        kept.reuse(text.len());
        let mut wanted = self.wanted.iter().peekable();
        let mut flaws = chunk.flaws().iter().peekable();
        let (lines, mut from) = (urls.lines(), 0);
        for line in 0..lines.count() {
            let (start, whole) = (lines.starts()[line] as usize, lines.whole(text, line));
            let hash = if self.hashed { line_hash(lines.line(text, line)) } else { 0 };
            input.add_hashed(hash, whole.len());
            // A line that is left out takes its flaw with it.
            let flaw = flaws.next_if(|&&(other, _)| other == line as u64);
            let wanted = wanted.next_if(|&&(other, _)| other == line);
            if let Some(&(_, why)) = wanted.filter(|_| is_out(line, lines.line(text, line))) {
                self.left_out[why as usize].add_hashed(hash, whole.len());
                kept.bytes.extend_from_slice(&text[from..start]);
                from = start + whole.len();
                numbers.push(line);
                if line == 0 {
                    bom_len = 0;
                }
            } else if let Some(&(_, reason)) = flaw {
                kept.flaws.push(((line - numbers.len()) as u64, reason));
            }
        }
        kept.bytes.extend_from_slice(&text[from..]);
        self.input.get_or_insert(input);
        chunk.bom_len = bom_len;
        chunk.left_out = both(&chunk.left_out, &numbers);
        self.kept = chunk.set_lines(kept);
    }
}

/// Combines the numbers of lines that were left out with the numbers of lines left out of the rest, which were counted
/// without the former.
fn both(before: &[usize], then: &[usize]) -> Vec<usize> {
    let (mut all, mut passed) = (Vec::with_capacity(before.len() + then.len()), 0);
    for &number in then {
        while let Some(&earlier) = before.get(passed).filter(|&&earlier| earlier <= number + passed) {
            all.push(earlier);
            passed += 1;
        }
        all.push(number + passed);
    }
    all.extend_from_slice(&before[passed..]);
    all
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::input::chunks::Cut;
    use crate::outcome::Reason;
    use crate::run::memory::{DEFAULT_MEMORY, JobMemory, Needs};

    /// For consecutive chunks: the text that stays, its flawed lines, and how many lines were left out.
    fn remaining(same: SameUrl, layout: &Layout, chunks: &[(&str, &[(u64, Reason)])]) -> Vec<(String, Vec<u64>, u64)> {
        let (unique, turns) = (Unique::new(same, &std::env::temp_dir(), None, 1).unwrap(), Turns::default());
        let (file, mut leaving_out) = (tempfile::NamedTempFile::new().unwrap(), LeavingOut::default());
        let list = List::open(file.path()).unwrap();
        let mut all = Vec::new();
        for (ticket, (text, flaws)) in (0..).zip(chunks) {
            let bom_len = if text.starts_with('\u{feff}') { 3 } else { 0 };
            let mut chunk = Chunk::of_lines(b"", layout, bom_len);
            chunk.ticket = ticket;
            chunk.set_lines(Buffer { bytes: text.as_bytes().to_vec(), flaws: flaws.to_vec(), left_out: Vec::new() });
            leaving_out.begin(true);
            assert!(unique.leave_out_repeated(&turns, &mut chunk, &list, &mut leaving_out).unwrap());
            let text = String::from_utf8(chunk.text().to_vec()).unwrap();
            assert_eq!(chunk.bom_len, if text.starts_with('\u{feff}') { 3 } else { 0 }, "{text:?}");
            let flaws = chunk.flaws().iter().map(|flaw| flaw.0).collect();
            all.push((text, flaws, leaving_out.left_out[Why::Repeated as usize].lines));
        }
        all
    }

    /// A byte order mark is not part of the URL, but stays or goes with its line.
    #[test]
    fn a_mark_makes_no_other_url() {
        let (marked, plain) = ("\u{feff}http://a.example/1\nno\n", "http://a.example/1\nno\n");
        let again = "\u{feff}http://a.example/1\nhttp://a.example/1\n";
        assert_eq!(remaining(SameUrl::Bytes, &Layout::Whole, &[(again, &[])])[0].0, "\u{feff}http://a.example/1\n");
        for (first, second) in [(marked, plain), (plain, marked), (marked, marked)] {
            let chunks: [(&str, &[_]); 2] = [(first, &[]), (second, &[])];
            assert_eq!(
                remaining(SameUrl::Bytes, &Layout::Whole, &chunks),
                [(first.to_owned(), vec![], 0), ("no\n".to_owned(), vec![], 1)]
            );
        }
    }

    #[test]
    fn flawed_lines_stay_and_keep_their_places() {
        let text = "http://a.example/1\nhttp://a.example/1\nhttp://a.example/%0A\nhttp://a.example/%0A\n";
        let flaws = [(2, Reason::LineBreak)];
        assert_eq!(
            remaining(SameUrl::Bytes, &Layout::Whole, &[(text, &flaws), (text, &flaws)]),
            [
                ("http://a.example/1\nhttp://a.example/%0A\nhttp://a.example/%0A\n".to_owned(), vec![1], 1),
                ("http://a.example/%0A\n".to_owned(), vec![0], 3)
            ]
        );
    }

    #[test]
    fn other_lines_than_an_interrupted_run_judged_are_an_error() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "http://a.example/1\nhttp://a.example/2\n").unwrap();
        let (lists, counter) = ([List::open(file.path()).unwrap()], AtomicU64::new(0));
        let memory = JobMemory::new(DEFAULT_MEMORY, Needs::new([], None, false, None)).unwrap();
        let limits = PassLimits::new(std::env::temp_dir(), 1, memory);
        let chunks = Chunks::new(Cut::all(&lists, 60, &counter));
        let unique = Unique::of_two_passes(SameUrl::Bytes, &chunks, limits, None, None, vec![1]).unwrap();
        assert!(unique.were_read(&[1], &lists).is_ok());
        assert!(unique.were_read(&[2], &lists).is_err());
        assert!(unique.end(&lists).is_err(), "the second line was not read");
    }

    #[test]
    fn lines_left_out_in_turn_are_counted_from_the_first() {
        // Which lines are left out first, and then of the rest, as bits.
        for (before, then) in (0..256).flat_map(|before| (0..256).map(move |then| (before, then))) {
            let numbers = |bits: u32| (0..8).filter(move |line| bits & (1 << line) != 0).collect::<Vec<usize>>();
            let (before, then) = (numbers(before), numbers(then));
            let rest: Vec<usize> = (0..16).filter(|line| !before.contains(line)).collect();
            let mut expected: Vec<usize> = then.iter().map(|&number| rest[number]).chain(before.clone()).collect();
            expected.sort_unstable();
            assert_eq!(both(&before, &then), expected);
        }
    }
}
