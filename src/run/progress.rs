//! The progress of a run, to be watched from another thread; and samples of its speed, for the receipt.
//!
//! A run updates its counts once a chunk, in the chunk's turn. So the numbers of a [`Snapshot`] are consistent and
//! cover a prefix of the chunks, and a watcher may take snapshots as often as it likes without slowing down the run.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::totals::{Totals, Whole};
use super::unique::LeftOutTallies;
use super::worker::Judged;
use crate::judge::tally::{CrawlerCounts, Tally};
use crate::lock::lock;
use crate::output::receipt::Sample;

/// The progress of one run.
#[derive(Debug, Default)]
pub struct Progress {
    state: Mutex<Counters>,
    /// Bytes read of the lists' files. Kept apart, because reading has no turn.
    source: AtomicU64,
}

#[derive(Debug, Default)]
struct Counters {
    /// When the run began, and its duration once it has ended.
    started: Option<Instant>,
    ended: Option<f64>,
    snapshot: Snapshot,
    samples: Samples,
}

named! {
    /// The phase of a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum Phase {
        /// The run has not begun.
        #[default]
        Waiting = "waiting",
        /// The lists are read for the first of two passes, to find repeated URLs.
        Comparing = "comparing",
        /// Lines are judged.
        Judging = "judging",
        /// All lines are judged. Row groups of tables are merged, and files are made durable and renamed.
        Completing = "completing",
        /// The run has ended, successfully or not.
        Ended = "ended",
    }
}

/// The progress of a run at one moment.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct Snapshot {
    /// The phase it is in.
    pub phase: Phase,
    /// Seconds since it began.
    pub seconds: f64,
    /// How many of these seconds the comparison of URLs took, before the first line was judged.
    pub comparing_seconds: f64,
    /// Bytes of lines, judged and on their way to their files.
    pub bytes: u64,
    /// Bytes read of the lists in this phase, as stored in their files: compressed bytes of compressed lists.
    pub source_bytes: u64,
    /// Bytes of all lists, as stored in their files; `None` if unknown, as for a stream.
    pub source_bytes_known: Option<u64>,
    /// Lines.
    pub lines: u64,
    /// How many of them were left out because their URLs had occurred before.
    pub duplicates: u64,
    /// How many of them were left out because earlier runs have seen their URLs.
    pub seen: u64,
    /// How many of them were left out because both policies put them into the same partition.
    pub unchanged: u64,
    /// Parts of lists skipped because they could not be read.
    pub skipped: u64,
    /// Chunks.
    pub chunks: u64,
    /// The lines, counted for each crawler.
    pub crawlers: Vec<CrawlerCounts>,
    /// The part of these counts that an earlier run had done before this run resumed it.
    pub resumed: Resumed,
}

/// The progress of a run before it was resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Resumed {
    /// Lines.
    pub lines: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Bytes of the lists' files that are not read again.
    pub source_bytes: u64,
}

impl Snapshot {
    /// Lines judged a second.
    pub fn lines_per_second(&self) -> f64 {
        self.rate(self.lines, self.resumed.lines)
    }

    /// Their bytes a second.
    pub fn bytes_per_second(&self) -> f64 {
        self.rate(self.bytes, self.resumed.bytes)
    }

    /// The time left at this speed, if the size of the lists is known and some of it has been read.
    pub fn seconds_left(&self) -> Option<f64> {
        let rest = self.source_bytes_known?.saturating_sub(self.source_bytes);
        let speed = self.rate(self.source_bytes, self.resumed.source_bytes);
        (speed > 0.0).then(|| rest as f64 / speed)
    }

    /// Adds lines as read, the lines left out of them, and the remaining lines as counted for each crawler.
    fn add(&mut self, input: &Tally, left_out: &LeftOutTallies, crawlers: &[CrawlerCounts]) {
        let [duplicates, seen, unchanged] = left_out;
        self.lines += input.lines;
        self.bytes += input.bytes;
        self.duplicates += duplicates.lines;
        self.seen += seen.lines;
        self.unchanged += unchanged.lines;
        self.crawlers.iter_mut().zip(crawlers).for_each(|(counted, more)| counted.append(more));
    }

    /// A speed of this run, without the work of an earlier run that it resumed.
    fn rate(&self, now: u64, before: u64) -> f64 {
        let seconds = self.seconds - self.comparing_seconds;
        if seconds > 0.0 { now.saturating_sub(before) as f64 / seconds } else { 0.0 }
    }
}

impl Progress {
    /// The progress of a run that has not begun.
    pub fn new() -> Progress {
        Progress::default()
    }

    /// The lines that are judged, or left out, so far.
    pub fn lines(&self) -> u64 {
        self.snapshot().lines
    }

    /// The bytes of these lines.
    pub fn bytes(&self) -> u64 {
        self.snapshot().bytes
    }

    /// The current progress.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let state = lock(&self.state);
        let source_bytes = self.source.load(Ordering::Relaxed);
        Snapshot { seconds: state.seconds(), source_bytes, ..state.snapshot.clone() }
    }

    /// Records that the run begins; `source_bytes_known` are to be read, if that is known.
    pub(super) fn begin(&self, source_bytes_known: Option<u64>, crawlers: usize) {
        let snapshot = Snapshot {
            phase: Phase::Judging,
            source_bytes_known,
            crawlers: vec![CrawlerCounts::default(); crawlers],
            ..Snapshot::default()
        };
        self.source.store(0, Ordering::Relaxed);
        *lock(&self.state) = Counters { started: Some(Instant::now()), snapshot, ..Counters::default() };
    }

    /// Calls `compared`, which reads the lists to compare their URLs.
    pub(super) fn comparing<T>(&self, compared: impl FnOnce() -> T) -> T {
        lock(&self.state).snapshot.phase = Phase::Comparing;
        let compared = compared();
        let mut state = lock(&self.state);
        let seconds = state.seconds();
        (state.snapshot.phase, state.snapshot.comparing_seconds) = (Phase::Judging, seconds);
        self.source.store(0, Ordering::Relaxed);
        compared
    }

    /// The counter of bytes read of the lists' files.
    pub(super) fn source(&self) -> &AtomicU64 {
        &self.source
    }

    /// Records that a chunk was judged, and how many parts of lists were skipped before it or in it.
    pub(super) fn chunk(&self, judged: &Judged, skipped: usize) {
        let mut state = lock(&self.state);
        let seconds = state.seconds();
        let Counters { snapshot, samples, .. } = &mut *state;
        snapshot.chunks += 1;
        snapshot.skipped += skipped as u64;
        snapshot.add(&judged.input, &judged.left_out, &judged.crawlers);
        let Snapshot { lines, bytes, resumed, .. } = *snapshot;
        samples.add(Sample { seconds, lines: lines - resumed.lines, bytes: bytes - resumed.bytes });
    }

    /// Records how many parts of lists were skipped in all, including those after the last chunk.
    pub(super) fn skipped(&self, parts: u64) {
        lock(&self.state).snapshot.skipped = parts;
    }

    /// Records that the run resumes from these totals; `source_bytes` of the lists' files are not read again.
    pub(super) fn resume(&self, totals: &Totals, source_bytes: u64) {
        let Whole { input, left_out, crawlers, .. } = totals.whole();
        let snapshot = &mut lock(&self.state).snapshot;
        snapshot.resumed = Resumed { lines: input.lines, bytes: input.bytes, source_bytes };
        snapshot.skipped = totals.skipped();
        snapshot.add(&input, &left_out, &crawlers);
        self.source.store(source_bytes, Ordering::Relaxed);
    }

    /// Records that all lines are judged; returns the samples of the speed.
    pub(super) fn judged(&self) -> Vec<Sample> {
        let mut state = lock(&self.state);
        state.snapshot.phase = Phase::Completing;
        std::mem::take(&mut state.samples).finish()
    }

    /// Calls `run`, which is the run, and records that it has ended.
    pub(super) fn of<T>(&self, run: impl FnOnce() -> T) -> T {
        let ran = run();
        let mut state = lock(&self.state);
        state.ended = Some(state.seconds());
        state.snapshot.phase = Phase::Ended;
        ran
    }
}

impl Counters {
    fn seconds(&self) -> f64 {
        self.ended.or(self.started.map(|started| started.elapsed().as_secs_f64())).unwrap_or(0.0)
    }
}

/// The most samples kept.
const MAX: usize = 240;

/// The interval between the first samples.
const FIRST_INTERVAL: f64 = 0.05;

/// The samples of a run. When there are too many, every other one is dropped and the interval doubles, so that they stay about
/// evenly spaced.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    kept: Vec<Sample>,
    /// How often the interval has doubled.
    doubled: i32,
    latest: Option<Sample>,
}

impl Samples {
    /// Takes a sample if one is due.
    pub fn add(&mut self, sample: Sample) {
        self.latest = Some(sample);
        let due = self.kept.last().map_or(0.0, |last| last.seconds) + FIRST_INTERVAL * 2f64.powi(self.doubled);
        if sample.seconds < due {
            return;
        }
        self.kept.push(sample);
        if self.kept.len() == MAX {
            self.kept = self.kept.iter().copied().skip(1).step_by(2).collect();
            self.doubled += 1;
        }
    }

    /// All samples; the last is that of the last chunk.
    pub fn finish(mut self) -> Vec<Sample> {
        if let Some(latest) = self.latest.filter(|latest| self.kept.last() != Some(latest)) {
            self.kept.push(latest);
        }
        self.kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::form::Splits;
    use crate::robots::Agents;

    #[test]
    fn what_is_read_to_compare_urls_is_read_again() {
        let progress = Progress::new();
        progress.begin(Some(1000), 1);
        progress.comparing(|| {
            progress.source().store(700, Ordering::Relaxed);
            let snapshot = progress.snapshot();
            assert_eq!((snapshot.phase, snapshot.source_bytes), (Phase::Comparing, 700));
            lock(&progress.state).started = Instant::now().checked_sub(std::time::Duration::from_secs(100));
        });
        let snapshot = progress.snapshot();
        assert_eq!((snapshot.phase, snapshot.source_bytes), (Phase::Judging, 0));
        assert!(snapshot.comparing_seconds >= 100.0);
        let later = Snapshot { seconds: snapshot.comparing_seconds + 2.0, lines: 10, ..snapshot };
        assert_eq!(later.lines_per_second().round(), 5.0);
    }

    #[test]
    fn work_of_an_earlier_run_is_done_but_not_part_of_the_speed() {
        let progress = Progress::new();
        progress.begin(Some(1000), 1);
        let splits = Splits::new(vec![Agents::everybody()], None, false);
        let mut totals = Totals::new(1, &splits, 1, None);
        totals.lists[0].input = Tally { lines: 70, bytes: 700, ..Tally::default() };
        progress.resume(&totals, 600);
        let at_first = progress.snapshot();
        assert_eq!((at_first.lines, at_first.bytes, at_first.source_bytes, at_first.chunks), (70, 700, 600, 0));
        assert_eq!(at_first.resumed, Resumed { lines: 70, bytes: 700, source_bytes: 600 });
        let input = Tally { lines: 30, bytes: 300, ..Tally::default() };
        progress.chunk(&Judged { input, ..Judged::default() }, 0);
        let later = progress.snapshot();
        assert_eq!((later.lines, later.bytes, later.chunks), (100, 1000, 1));
        let later = Snapshot { seconds: 2.0, source_bytes: 800, ..later };
        assert_eq!((later.lines_per_second(), later.bytes_per_second()), (15.0, 150.0));
        assert_eq!(later.seconds_left(), Some(2.0), "of the 1000 bytes of its lists");
        assert_eq!(Snapshot { source_bytes: 600, ..later }.seconds_left(), None);
        let samples = progress.judged();
        assert_eq!(samples.last().map(|last| (last.lines, last.bytes)), Some((30, 300)));
    }

    fn taken(chunks: u64, seconds_each: f64) -> Vec<Sample> {
        let mut samples = Samples::default();
        for chunk in 1..=chunks {
            samples.add(Sample { seconds: chunk as f64 * seconds_each, lines: 10 * chunk, bytes: 100 * chunk });
        }
        samples.finish()
    }

    #[test]
    fn there_are_never_too_many_and_the_last_is_the_end() {
        for (chunks, seconds_each) in [(0, 1.0), (1, 0.001), (7, 0.001), (1_000, 0.01), (100_000, 0.5), (3, 1e6)] {
            let samples = taken(chunks, seconds_each);
            assert!(samples.len() <= MAX, "{}", samples.len());
            assert_eq!(samples.last().map(|last| last.lines), (chunks > 0).then_some(10 * chunks));
            assert!(samples.windows(2).all(|pair| pair[0].seconds < pair[1].seconds));
        }
    }

    #[test]
    fn a_long_run_is_sampled_evenly_all_over() {
        let samples = taken(100_000, 0.5);
        assert!(samples.len() > MAX / 3, "{}", samples.len());
        let gaps: Vec<f64> = samples.windows(2).map(|pair| pair[1].seconds - pair[0].seconds).collect();
        let longest = gaps.iter().copied().fold(0.0, f64::max);
        // The last one is wherever the run ends.
        assert!(gaps[..gaps.len() - 1].iter().all(|&gap| gap > 0.3 * longest), "{gaps:?}");
    }
}
