//! One chunk: judged, counted, and its lines sorted into buffers.

use serde::{Deserialize, Serialize};

use super::causes::Causes;
use super::explain::Explainer;
use super::form::{Form, Rows, SEPARATOR, put_cause, put_no_cause};
use super::judge::{Bench, Judge, Url};
use super::layout::Located;
use super::lines::{Line, Scanner};
use super::needed::{self, WaitingOrigins};
use super::outcome::{Outcome, Partition, Reason};
use super::tally::{Tally, line_hash};
use super::unique::{Kept, Lines};
use crate::origin;

/// How many lines are judged at a time. (Sorting 1,024 to 16,384 lines by automaton before they walk was tried: 0.52 s
/// instead of 0.53 for a shuffled list of 5.6 million lines, two threads; not worth the code.)
pub(super) const BATCH: usize = 64;

/// The longest chunk: lines are found by 32-bit offsets.
pub(super) const LONGEST_CHUNK: usize = u32::MAX as usize - 1;

/// What one chunk came to.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// What is to be written, in the order of the files of a [`Form`].
    pub buffers: Vec<Vec<u8>>,
    /// For each crawler.
    pub crawlers: Vec<Sorted>,
    /// The whole chunk, by the lines as they were read.
    pub input: Tally,
    /// The lines that were judged: all, or those that were not left out.
    pub kept: Tally,
    /// The lines that were left out, because their URLs were there before.
    pub duplicates: Tally,
    pub added_line_feed: bool,
    pub waiting: WaitingOrigins,
}

/// What the lines of a chunk are to one crawler, by the lines as they were read.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Sorted {
    pub tallies: [Tally; 4],
    #[serde(with = "counts")]
    pub counts: [u64; Outcome::COUNT],
}

/// An array that is longer than serde knows.
mod counts {
    use super::Outcome;
    use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

    pub fn serialize<S: Serializer>(counts: &[u64; Outcome::COUNT], serializer: S) -> Result<S::Ok, S::Error> {
        counts.as_slice().serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[u64; Outcome::COUNT], D::Error> {
        let counts = Vec::<u64>::deserialize(deserializer)?;
        counts
            .try_into()
            .map_err(|counts: Vec<u64>| D::Error::invalid_length(counts.len(), &"a count for each outcome"))
    }
}

impl Default for Sorted {
    fn default() -> Sorted {
        Sorted { tallies: Default::default(), counts: [0; Outcome::COUNT] }
    }
}

/// A worker's own space, used for one chunk after the other.
#[derive(Debug)]
pub(super) struct Worker<'j, 'p> {
    /// One for each crawler.
    judges: &'j [Judge<'p>],
    /// How lines are written; `None` if they are only counted.
    rows: Option<Rows>,
    notes_waiting: bool,
    /// Whether lines become rows: then their outcomes are all that is needed of them.
    keeps_outcomes: bool,
    /// For each crawler, those of the chunk's lines, if they are kept.
    pub row_outcomes: Vec<Vec<Outcome>>,
    /// For each crawler, what blocked these lines, if somebody wants to know.
    pub row_causes: Vec<Causes>,
    /// For each crawler.
    pub benches: Vec<Bench>,
    lines: Vec<Line>,
    located: Located,
    hashes: Vec<u128>,
    /// For each crawler.
    outcomes: Vec<Vec<Outcome>>,
    /// For each crawler; none where nobody wants to know what blocked a line.
    explainers: Vec<Explainer<'j, 'p>>,
    pub judged: Judged,
}

impl<'j, 'p> Worker<'j, 'p> {
    pub fn new(judges: &'j [Judge<'p>], rows: Option<Rows>, notes_waiting: bool) -> Worker<'j, 'p> {
        let explained = if rows.is_some_and(|rows| rows.explain) { judges } else { &[] };
        Worker {
            judges,
            rows,
            notes_waiting,
            keeps_outcomes: false,
            row_outcomes: vec![Vec::new(); judges.len()],
            row_causes: explained.iter().map(|_| Causes::default()).collect(),
            benches: judges.iter().map(|_| Bench::default()).collect(),
            lines: Vec::new(),
            located: Located::default(),
            hashes: Vec::new(),
            outcomes: vec![Vec::new(); judges.len()],
            explainers: explained.iter().map(Explainer::new).collect(),
            judged: Judged::default(),
        }
    }

    /// Keeps so many octets of rules for each crawler to explain lines with.
    pub fn keep_rules(&mut self, octets: usize) {
        self.explainers.iter_mut().for_each(|explainer| explainer.keep(octets));
    }

    /// From here on, lines become rows: their outcomes are kept, and nothing is put into buffers.
    pub fn keep_outcomes(&mut self) {
        self.keeps_outcomes = true;
    }

    /// Judges the lines of a chunk. The last one gets a line feed, if it has none and `more_follows`.
    pub fn judge(&mut self, chunk: &Lines<'_>, more_follows: bool) {
        let Lines { octets: chunk, layout, mark, mut flaws, .. } = *chunk;
        self.clear(chunk.len());
        let mut scanner = Scanner::new();
        let mut lines = std::mem::take(&mut self.lines);
        let mut located = std::mem::take(&mut self.located);
        let mut urls = Vec::with_capacity(BATCH);
        let mut marked = mark > 0;
        loop {
            scanner.fill(chunk, &mut lines, BATCH);
            if lines.is_empty() {
                break;
            }
            let said = if std::mem::take(&mut marked) { &behind_mark(&lines, mark) } else { &lines };
            if layout.is_whole() {
                urls.clear();
                urls.extend(said.iter().map(|line| Url { line: line.of(chunk), plain: line.plain }));
                let before = self.judged.kept.lines;
                let (of_batch, rest) = flaws.split_at(flaws.partition_point(|&(line, _)| line < before + BATCH as u64));
                let of_batch: Vec<(usize, Reason)> =
                    of_batch.iter().map(|&(line, reason)| ((line - before) as usize, reason)).collect();
                self.judge_batch(chunk, &lines, &urls, &of_batch);
                flaws = rest;
            } else {
                located.locate(layout, chunk, said);
                self.judge_batch(chunk, &lines, &located.urls(chunk), &located.flaws);
            }
        }
        self.lines = lines;
        self.located = located;
        self.judged.input = self.judged.kept;
        if more_follows && chunk.last().is_some_and(|&octet| octet != b'\n') {
            self.add_line_feed();
        }
    }

    /// Counts the lines of the chunk that were left out before it was judged.
    pub fn leave_out(&mut self, kept: &Kept) {
        if kept.duplicates.lines > 0 {
            (self.judged.input, self.judged.duplicates) = (kept.input, kept.duplicates);
        }
    }

    /// Judges the URLs of a batch of lines, and puts the lines where they go; `flaws` are those that have none.
    fn judge_batch(&mut self, chunk: &[u8], lines: &[Line], urls: &[Url<'_>], flaws: &[(usize, Reason)]) {
        for ((judge, outcomes), bench) in self.judges.iter().zip(&mut self.outcomes).zip(&mut self.benches) {
            judge.judge(urls, outcomes, bench);
            for &(place, reason) in flaws {
                outcomes[place] = Outcome::new(Partition::Invalid, reason);
            }
        }
        self.count(chunk, lines, urls);
        match self.rows {
            _ if self.keeps_outcomes => self.keep_rows(urls),
            Some(Rows { form: Form::Partitions, explain: false, .. }) => self.sort(chunk, lines),
            Some(Rows { form: Form::Partitions, .. }) => self.sort_explained(chunk, lines, urls),
            Some(Rows { form: Form::Verdicts, explain: false, .. }) => self.put_verdicts(chunk, lines),
            Some(Rows { form: Form::Verdicts, .. }) => self.put_explained_verdicts(chunk, lines, urls),
            None => {}
        }
    }

    /// Keeps the outcomes of a batch of lines, and what blocked them.
    fn keep_rows(&mut self, urls: &[Url<'_>]) {
        for (rows, outcomes) in self.row_outcomes.iter_mut().zip(&self.outcomes) {
            rows.extend_from_slice(outcomes);
        }
        for ((causes, outcomes), explainer) in self.row_causes.iter_mut().zip(&self.outcomes).zip(&mut self.explainers)
        {
            for (url, outcome) in urls.iter().zip(outcomes) {
                let is_blocked = outcome.partition() == Partition::Blocked;
                causes.push(is_blocked.then(|| explainer.explain(url.line)).as_ref());
            }
        }
    }

    /// Keeps no memory of the size of chunks.
    pub fn release(&mut self) {
        self.judged = Judged::default();
        self.located = Located::default();
        self.benches = self.judges.iter().map(|_| Bench::default()).collect();
        self.row_causes.iter_mut().for_each(|causes| *causes = Causes::default());
    }

    fn clear(&mut self, size: usize) {
        self.row_outcomes.iter_mut().for_each(Vec::clear);
        self.row_causes.iter_mut().for_each(Causes::clear);
        let mut buffers = std::mem::take(&mut self.judged.buffers);
        buffers.resize(self.rows.map_or(0, Rows::files), Vec::new());
        for buffer in &mut buffers {
            buffer.clear();
            // A chunk with a huge line should not take its memory for the rest of the run.
            buffer.shrink_to(2 * size);
        }
        let crawlers = vec![Sorted::default(); self.judges.len()];
        self.judged = Judged { buffers, crawlers, ..Judged::default() };
    }

    /// Counts and hashes a batch of lines.
    fn count(&mut self, chunk: &[u8], lines: &[Line], urls: &[Url<'_>]) {
        let judged = &mut self.judged;
        let before = judged.kept.lines;
        self.hashes.clear();
        // Where nothing is written, there is nothing to prove.
        let hashed = self.rows.is_some();
        let hash = |line: &Line| if hashed { line_hash(line.of(chunk)) } else { 0 };
        self.hashes.extend(lines.iter().map(hash));
        let length = |line: &Line| (line.end as usize + 1).min(chunk.len()) - line.start as usize;
        for (line, &hash) in lines.iter().zip(&self.hashes) {
            judged.kept.add_hashed(hash, length(line));
        }
        for (sorted, outcomes) in judged.crawlers.iter_mut().zip(&self.outcomes) {
            for ((line, &hash), outcome) in lines.iter().zip(&self.hashes).zip(outcomes) {
                sorted.counts[outcome.index()] += 1;
                sorted.tallies[outcome.partition() as usize].add_hashed(hash, length(line));
            }
        }
        if self.notes_waiting {
            self.note_waiting(urls, before);
        }
    }

    /// Notes the origins of deferred lines. They are the same for all crawlers: what there is no answer of, there is of
    /// none.
    fn note_waiting(&mut self, urls: &[Url<'_>], before: u64) {
        let (Some(judge), Some(outcomes)) = (self.judges.first(), self.outcomes.first()) else { return };
        for (place, (url, outcome)) in (before..).zip(urls.iter().zip(outcomes)) {
            // A paused origin waits for the operator, not for its robots.txt.
            if outcome.partition() == Partition::Deferred && outcome.reason() != Reason::Paused {
                if let Ok((origin, _)) = judge.origin_of(origin::trimmed(url.line)) {
                    needed::count(&mut self.judged.waiting, &origin, place, outcome.reason());
                }
            }
        }
    }

    /// Copies a batch of lines, runs of lines of one partition at once.
    fn sort(&mut self, chunk: &[u8], lines: &[Line]) {
        for (buffers, outcomes) in self.judged.buffers.chunks_exact_mut(4).zip(&self.outcomes) {
            let mut run = (0, 0, Partition::Allowed);
            for (line, outcome) in lines.iter().zip(outcomes) {
                let (start, partition) = (line.start as usize, outcome.partition());
                if run.2 != partition || run.1 != start {
                    buffers[run.2 as usize].extend_from_slice(&chunk[run.0..run.1]);
                    run = (start, start, partition);
                }
                run.1 = (line.end as usize + 1).min(chunk.len());
            }
            buffers[run.2 as usize].extend_from_slice(&chunk[run.0..run.1]);
        }
    }

    /// Copies a batch of lines, each behind what it is to every crawler.
    fn put_verdicts(&mut self, chunk: &[u8], lines: &[Line]) {
        let buffer = &mut self.judged.buffers[0];
        for (place, line) in lines.iter().enumerate() {
            for outcomes in &self.outcomes {
                buffer.extend_from_slice(outcomes[place].partition().name().as_bytes());
                buffer.push(SEPARATOR);
            }
            buffer.extend_from_slice(whole(line, chunk));
        }
    }

    /// Copies a batch of lines, those that are blocked behind what blocked them.
    fn sort_explained(&mut self, chunk: &[u8], lines: &[Line], urls: &[Url<'_>]) {
        let crawlers = self.judged.buffers.chunks_exact_mut(4).zip(&self.outcomes).zip(&mut self.explainers);
        for ((buffers, outcomes), explainer) in crawlers {
            for ((line, url), outcome) in lines.iter().zip(urls).zip(outcomes) {
                let buffer = &mut buffers[outcome.partition() as usize];
                if outcome.partition() == Partition::Blocked {
                    put_cause(&explainer.explain(url.line), buffer);
                }
                buffer.extend_from_slice(whole(line, chunk));
            }
        }
    }

    /// Copies a batch of lines, each behind what it is to every crawler and what blocked it.
    fn put_explained_verdicts(&mut self, chunk: &[u8], lines: &[Line], urls: &[Url<'_>]) {
        let buffer = &mut self.judged.buffers[0];
        for (place, (line, url)) in lines.iter().zip(urls).enumerate() {
            for (outcomes, explainer) in self.outcomes.iter().zip(&mut self.explainers) {
                let partition = outcomes[place].partition();
                buffer.extend_from_slice(partition.name().as_bytes());
                buffer.push(SEPARATOR);
                if partition == Partition::Blocked {
                    put_cause(&explainer.explain(url.line), buffer);
                } else {
                    put_no_cause(buffer);
                }
            }
            buffer.extend_from_slice(whole(line, chunk));
        }
    }

    fn form(&self) -> Option<Form> {
        self.rows.map(|rows| rows.form)
    }

    /// Ends the last line of the chunk.
    fn add_line_feed(&mut self) {
        for (place, outcomes) in self.outcomes.iter().enumerate() {
            let Some(partition) = outcomes.last().map(|outcome| outcome.partition() as usize) else { return };
            self.judged.crawlers[place].tallies[partition].bytes += 1;
            if self.form() == Some(Form::Partitions) && !self.keeps_outcomes {
                self.judged.buffers[4 * place + partition].push(b'\n');
            }
        }
        if self.form() == Some(Form::Verdicts) && !self.keeps_outcomes {
            self.judged.buffers[0].push(b'\n');
        }
        self.judged.added_line_feed = true;
    }
}

/// A line of a chunk with its LF, where it has one.
fn whole<'c>(line: &Line, chunk: &'c [u8]) -> &'c [u8] {
    &chunk[line.start as usize..(line.end as usize + 1).min(chunk.len())]
}

/// Lines of which the first one begins so many octets later.
pub(super) fn behind_mark(lines: &[Line], mark: usize) -> Vec<Line> {
    let mut lines = lines.to_vec();
    if let Some(first) = lines.first_mut() {
        first.start += mark as u32;
    }
    lines
}
