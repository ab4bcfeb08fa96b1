//! One chunk: judged, counted, and its lines sorted into buffers.

use super::judge::{Bench, Judge, Url};
use super::lines::{Line, Scanner};
use super::needed::{self, WaitingOrigins};
use super::outcome::{Outcome, Partition, Reason};
use super::tally::{Tally, line_hash};
use crate::origin;

/// How many lines are judged at a time. (Sorting 1,024 to 16,384 lines by automaton before they walk was tried: 0.52 s
/// instead of 0.53 for a shuffled list of 5.6 million lines, two threads; not worth the code.)
const BATCH: usize = 64;

/// The longest chunk: lines are found by 32-bit offsets.
pub(super) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

/// What one chunk came to.
#[derive(Debug)]
pub(super) struct Judged {
    /// The lines of each partition, in order.
    pub buffers: [Vec<u8>; 4],
    /// By the lines as they were read.
    pub tallies: [Tally; 4],
    /// The whole chunk, by the lines as they were read.
    pub input: Tally,
    pub counts: [u64; Outcome::COUNT],
    pub added_line_feed: bool,
    pub waiting: WaitingOrigins,
}

impl Default for Judged {
    fn default() -> Judged {
        Judged {
            buffers: Default::default(),
            tallies: Default::default(),
            input: Tally::default(),
            counts: [0; Outcome::COUNT],
            added_line_feed: false,
            waiting: WaitingOrigins::new(),
        }
    }
}

/// A worker's own space, used for one chunk after the other.
#[derive(Debug)]
pub(super) struct Worker<'j, 'p> {
    judge: &'j Judge<'p>,
    /// Whether lines are written, or only counted.
    writes: bool,
    pub bench: Bench,
    lines: Vec<Line>,
    outcomes: Vec<Outcome>,
    pub judged: Judged,
}

impl<'j, 'p> Worker<'j, 'p> {
    pub fn new(judge: &'j Judge<'p>, writes: bool) -> Worker<'j, 'p> {
        Worker {
            judge,
            writes,
            bench: Bench::default(),
            lines: Vec::new(),
            outcomes: Vec::new(),
            judged: Judged::default(),
        }
    }

    /// Judges the lines of a chunk. The last one gets a line feed, if it has none and `more_follows`.
    pub fn judge(&mut self, chunk: &[u8], more_follows: bool) {
        self.clear(chunk.len());
        let mut scanner = Scanner::new();
        let mut lines = std::mem::take(&mut self.lines);
        let mut urls = Vec::with_capacity(BATCH);
        loop {
            scanner.fill(chunk, &mut lines, BATCH);
            if lines.is_empty() {
                break;
            }
            urls.clear();
            urls.extend(
                lines
                    .iter()
                    .map(|line| Url { line: &chunk[line.start as usize..line.end as usize], plain: line.plain }),
            );
            self.judge.judge(&urls, &mut self.outcomes, &mut self.bench);
            self.sort(chunk, &lines);
        }
        self.lines = lines;
        if more_follows && chunk.last().is_some_and(|&octet| octet != b'\n') {
            self.add_line_feed();
        }
    }

    fn clear(&mut self, size: usize) {
        let mut buffers = std::mem::take(&mut self.judged.buffers);
        for buffer in &mut buffers {
            buffer.clear();
            // A chunk with a huge line should not take its memory for the rest of the run.
            buffer.shrink_to(2 * size);
        }
        self.judged = Judged { buffers, ..Judged::default() };
    }

    /// Counts a batch of lines and copies them, runs of lines of one partition at once.
    fn sort(&mut self, chunk: &[u8], lines: &[Line]) {
        let judged = &mut self.judged;
        let mut run = (0, 0, Partition::Allowed);
        for (line, &outcome) in lines.iter().zip(&self.outcomes) {
            let (start, end) = (line.start as usize, line.end as usize);
            let behind = (end + 1).min(chunk.len());
            let partition = outcome.partition();
            judged.counts[outcome.index()] += 1;
            // A paused origin waits for the operator, not for its robots.txt.
            let waits = partition == Partition::Deferred && outcome.reason() != Reason::Paused;
            if waits && self.writes {
                let content = origin::trimmed(&chunk[start..end]);
                if let Ok((origin, _)) = self.judge.origin_of(content) {
                    needed::count(&mut judged.waiting, &origin, judged.input.lines, outcome.reason());
                }
            }
            if !self.writes {
                for tally in [&mut judged.tallies[partition as usize], &mut judged.input] {
                    tally.lines += 1;
                    tally.bytes += (behind - start) as u64;
                }
                continue;
            }
            let hash = line_hash(&chunk[start..end]);
            judged.tallies[partition as usize].add_hashed(hash, behind - start);
            judged.input.add_hashed(hash, behind - start);
            if run.2 != partition || run.1 != start {
                judged.buffers[run.2 as usize].extend_from_slice(&chunk[run.0..run.1]);
                run = (start, behind, partition);
            }
            run.1 = behind;
        }
        judged.buffers[run.2 as usize].extend_from_slice(&chunk[run.0..run.1]);
    }

    /// Ends the last line of the chunk.
    fn add_line_feed(&mut self) {
        let Some(partition) = self.outcomes.last().map(|outcome| outcome.partition() as usize) else { return };
        self.judged.added_line_feed = true;
        self.judged.tallies[partition].bytes += 1;
        if self.writes {
            self.judged.buffers[partition].push(b'\n');
        }
    }
}
