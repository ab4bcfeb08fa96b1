//! Judges and counts one chunk, and sorts its lines into buffers.

use std::borrow::Cow;

use super::queue::Turns;
use super::render::{JudgedLines, Render, renderer};
use super::shape::Held;
use super::unique::{LeavingOut, LeftOutTallies, Unique};
use crate::error::run::Error;
use crate::formats::memory_budget::CacheMemory;
use crate::input::chunks::Chunk;
use crate::input::list::List;
use crate::judge::batch;
use crate::judge::line_urls::LineUrls;
use crate::judge::lines::Lines;
use crate::judge::matcher::Matcher;
use crate::judge::outcomes::{AllowedIf, Outcomes};
use crate::judge::pieces::Pieces;
use crate::judge::scratch::Scratch;
use crate::judge::tally::{self, Changes, CrawlerCounts, Tally};
use crate::judge::urls::UrlCounts;
use crate::outcome::{Outcome, Partition, Reason};
use crate::output::TabbedLines;
use crate::output::causes::ChunkCauses;
use crate::output::form::{Block, OutputOptions};
use crate::output::missing_robots::{Waiting, WaitingOrigins};
use crate::policy::Policy;

/// By outcome, whether the robots.txt of such a line's origin may have to be fetched.
static NOTED: [bool; 256] = {
    let (mut noted, mut reason) = ([false; 256], 0);
    while reason < Reason::ALL.len() {
        noted[Outcome::new(Partition::Deferred, Reason::ALL[reason]).index()] = true;
        reason += 1;
    }
    noted[Outcome::ROBOTS_TXT.index()] = true;
    noted
};

/// The results for one chunk.
#[derive(Debug, Default)]
pub(crate) struct Judged {
    /// The bytes to be written, in the order of the files of an [`OutputMode`](crate::output::form::OutputMode).
    pub buffers: Vec<Pieces>,
    /// The tally of each buffer that is written as it is.
    pub tallies: Vec<Tally>,
    /// The blocks that its [shape](super::shape) made instead; `None` if buffers are written.
    pub made: Option<Vec<Block<'static>>>,
    /// The lines or rows that wait in the shape after the chunk, if a checkpoint is due.
    pub held: Option<Held>,
    /// The policy that judged the chunk, if the robots.txt to fetch are wanted.
    pub policy: Option<Policy>,
    /// Whether they may refer to lines of the chunk, which stay in place until they are written.
    pub stays: bool,
    /// Whether a comparison proved that the buffers hold each line in the right place. If so, the buffers have the
    /// tallies of the lines; otherwise their tallies must be computed.
    pub is_proven: bool,
    /// For each crawler.
    pub crawlers: Vec<CrawlerCounts>,
    /// All lines of the chunk, as read.
    pub input: Tally,
    /// The judged lines: all lines without those left out.
    pub kept: Tally,
    /// The lines left out.
    pub left_out: LeftOutTallies,
    /// For each crawler, how many lines changed between partitions, if policies are compared.
    pub changes: Vec<Changes>,
    pub added_line_feed: bool,
    /// Odd URLs.
    pub odd: UrlCounts,
    /// Its lines that are invalid because of a tab, if there are any; the number of the first counts from 1 and
    /// includes lines left out.
    pub tabbed: Option<TabbedLines>,
    pub waiting: WaitingOrigins,
}

impl Judged {
    /// The tallies of the buffers: taken from the lines if the buffers are proven, otherwise computed.
    pub fn tallies(&self, style: OutputOptions) -> Vec<Tally> {
        match self.is_proven {
            true => style.expected(&self.kept, self.added_line_feed.into(), &self.crawlers),
            false => self.buffers.iter().enumerate().map(|(file, pieces)| style.tally(file, &pieces.copies)).collect(),
        }
    }

    /// The blocks that its shape made, or else the buffers, for the files of a `set`; they may refer to the chunk's `text`.
    pub fn blocks<'b>(&'b self, set: usize, text: &'b [u8]) -> Vec<Block<'b>> {
        if let Some(made) = &self.made {
            let pieces = |block: &'b Block<'static>| block.pieces.iter().map(|piece| Cow::Borrowed(&**piece)).collect();
            return made.iter().map(|block| Block { pieces: pieces(block), ..*block }).collect();
        }
        let files = self.buffers.iter().map(|pieces| pieces.of(text).map(Cow::Borrowed));
        let files = files.zip(&self.tallies).enumerate();
        files.map(|(file, (pieces, &tally))| Block { set, file, pieces: pieces.collect(), tally }).collect()
    }
}

/// The memory of a worker, reused for each chunk.
pub(super) struct Worker {
    /// One for each crawler.
    matchers: Vec<Matcher>,
    /// The same by the policy that verdicts are compared with; none if they are not.
    older: Vec<Matcher>,
    /// Whether lines are split once for all crawlers.
    allowed_if: Option<AllowedIf>,
    /// How lines are written; `None` if they are only counted.
    style: Option<OutputOptions>,
    notes_waiting: bool,
    /// One to judge for most crawlers, one for the others.
    scratches: [Scratch; 2],
    urls: LineUrls,
    /// The outcomes of the chunk's lines, also by the older policy, if there is one; and space for the outcomes of each
    /// crawler.
    outcomes: Outcomes,
    by_older: Outcomes,
    by_crawler: Vec<Vec<Outcome>>,
    /// `None` if lines are only counted.
    renderer: Option<Box<dyn Render>>,
    /// For the caches of renderers.
    caches: CacheMemory,
    leaving_out: LeavingOut,
    pub judged: Judged,
}

impl Worker {
    /// A worker that judges by these matchers, one for each crawler, or one policy for all if `allowed_if` says so, and compares
    /// verdicts with those of the `older` matchers, if there are any.
    pub fn new(
        matchers: Vec<Matcher>,
        older: Vec<Matcher>,
        allowed_if: Option<AllowedIf>,
        style: Option<OutputOptions>,
        notes_waiting: bool,
        mut caches: CacheMemory,
    ) -> Worker {
        let scratches = [(); 2].map(|()| Scratch::within(&mut caches));
        let renderer = renderer(&matchers, &older, style, &mut caches.for_new_caches());
        Worker {
            matchers,
            older,
            allowed_if,
            style,
            notes_waiting,
            scratches,
            urls: LineUrls::default(),
            outcomes: Outcomes::default(),
            by_older: Outcomes::default(),
            by_crawler: Vec::new(),
            renderer,
            caches,
            leaving_out: LeavingOut::default(),
            judged: Judged::default(),
        }
    }

    /// The same worker without the memory that grew with chunks.
    pub fn anew(self, caches: CacheMemory) -> Worker {
        let Worker { matchers, older, allowed_if, style, notes_waiting, .. } = self;
        Worker::new(matchers, older, allowed_if, style, notes_waiting, caches)
    }

    /// Judges by these matchers from now on, one for each crawler.
    pub fn judge_by(&mut self, matchers: Vec<Matcher>) {
        self.renderer = renderer(&matchers, &self.older, self.style, &mut self.caches.for_new_caches());
        self.matchers = matchers;
    }

    /// The policy that it judges by.
    pub fn policy(&self) -> Option<&Policy> {
        self.matchers.first().map(Matcher::policy)
    }

    /// Judges the lines of a chunk. If `stays`, they stay in place until they are written. If `more_follows`, a line
    /// feed is added to the last line if it has none.
    pub fn judge(&mut self, chunk: &Chunk<'_>, stays: bool, more_follows: bool) {
        let text = chunk.text();
        self.clear(text.len());
        let mut urls = std::mem::take(&mut self.urls);
        urls.find(chunk);
        self.find_outcomes(text, &urls);
        self.count(text, urls.lines());
        self.count_changes();
        if self.notes_waiting {
            self.note_waiting(text, &urls);
        }
        self.judged.stays = stays;
        let lines = JudgedLines { text, stays, urls: &urls, outcomes: &self.outcomes };
        if let Some(renderer) = &mut self.renderer {
            self.judged.is_proven = renderer.render(&lines, &mut self.by_crawler, &mut self.judged.buffers);
        }
        self.urls = urls;
        self.judged.input = self.leaving_out.input.unwrap_or(self.judged.kept);
        self.judged.left_out = self.leaving_out.left_out;
        let counts = self.scratches.iter_mut().map(|scratch| std::mem::take(&mut scratch.counts));
        self.judged.odd = UrlCounts::of_crawlers(counts);
        if self.judged.odd.tabs > 0 && chunk.layout.refuses_tabs() {
            self.judged.tabbed = self.tabbed(chunk);
        }
        if more_follows && text.last().is_some_and(|&byte| byte != b'\n') {
            self.add_line_feed();
        }
    }

    /// Finds the outcomes of a chunk's lines, for each crawler, and by the older policy, if there is one.
    fn find_outcomes(&mut self, text: &[u8], urls: &LineUrls) {
        let Worker { matchers, older, allowed_if, scratches, outcomes, by_older, .. } = self;
        let (lines, apart): (Vec<usize>, Vec<&[u8]>) = urls.apart(text).unzip();
        let find = |matchers: &[Matcher], outcomes: &mut Outcomes, scratches: &mut [Scratch; 2]| {
            let judges = Matcher::views(matchers);
            outcomes.clear(judges.len());
            batch::judge(&judges, urls.urls(text), outcomes, scratches);
            if !lines.is_empty() {
                batch::judge_apart(&judges, &lines, &apart, outcomes, scratches);
            }
            for &(line, reason) in urls.flaws() {
                outcomes.set(line, Outcome::new(Partition::Invalid, reason));
            }
            if let Some(allowed) = *allowed_if {
                outcomes.combine(allowed);
            }
        };
        find(matchers, outcomes, scratches);
        if !older.is_empty() {
            // Odd URLs are counted only once.
            let counts = scratches.each_ref().map(|scratch| scratch.counts);
            find(older, by_older, scratches);
            scratches.iter_mut().zip(counts).for_each(|(scratch, counts)| scratch.counts = counts);
            outcomes.append_crawlers(by_older);
        }
    }

    /// Leaves out lines of a chunk of `list`, before it is judged: those that `unique` finds, and, if `only_changed`, those whose
    /// partition is the same by the older policy. Returns false if the run has failed meanwhile.
    pub fn leave_out(
        &mut self,
        unique: Option<&Unique>,
        turns: &Turns,
        chunk: &mut Chunk<'_>,
        list: &List,
        only_changed: bool,
    ) -> Result<bool, Error> {
        self.leaving_out.begin(self.style.is_some());
        if let Some(unique) = unique
            && !unique.leave_out_repeated(turns, chunk, list, &mut self.leaving_out)?
        {
            return Ok(false);
        }
        if only_changed {
            self.leave_out_unchanged(chunk);
        }
        Ok(true)
    }

    /// Leaves out the lines of a chunk whose partition is the same by the older policy, for all crawlers.
    fn leave_out_unchanged(&mut self, chunk: &mut Chunk<'_>) {
        let mut urls = std::mem::take(&mut self.urls);
        urls.find(chunk);
        self.find_outcomes(chunk.text(), &urls);
        for scratch in &mut self.scratches {
            scratch.counts = UrlCounts::default();
        }
        let mut is_changed = vec![false; urls.lines().count()];
        self.outcomes.each_change(|line, _, _| is_changed[line] = true);
        self.leaving_out.leave_out_unchanged(chunk, &urls, &is_changed);
        self.urls = urls;
    }

    /// Stores the allowed URLs of the judged chunk for later runs, if `unique` does.
    pub fn keep_allowed(&mut self, unique: &Unique, chunk: &Chunk<'_>) -> Result<(), Error> {
        let split_for = AllowedIf::split_count(self.allowed_if, self.matchers.len());
        unique.keep_allowed(chunk, || self.outcomes.is_allowed(split_for), &mut self.leaving_out)
    }

    /// For each crawler, the outcomes of the judged chunk's lines, and the notes about them, if lines become rows.
    /// `text` is the chunk's text.
    pub fn rows<'w>(&'w mut self, text: &'w [u8]) -> Option<(&'w [Vec<Outcome>], ChunkCauses<'w>)> {
        let causes = self.renderer.as_mut()?.causes(text, &self.urls)?;
        // Otherwise nothing but the sets of crawlers is written.
        let outcomes = if causes.refusals.is_none() { &self.by_crawler[..] } else { &[] };
        Some((outcomes, causes))
    }

    fn clear(&mut self, size: usize) {
        let mut buffers = std::mem::take(&mut self.judged.buffers);
        buffers.resize(self.style.map_or(0, OutputOptions::files), Pieces::default());
        for buffer in &mut buffers {
            // The memory for a huge line should not be held for the rest of the run.
            buffer.clear(2 * size);
        }
        let split_for = AllowedIf::split_count(self.allowed_if, self.matchers.len());
        let older = AllowedIf::split_count(self.allowed_if, self.older.len());
        let crawlers = vec![CrawlerCounts::default(); split_for + older];
        self.judged = Judged { buffers, crawlers, changes: vec![Changes::default(); older], ..Judged::default() };
    }

    /// Counts the lines of a chunk. Hashes them only if they are written; otherwise there is nothing to prove.
    fn count(&mut self, text: &[u8], lines: &Lines) {
        let Judged { kept, crawlers, .. } = &mut self.judged;
        *kept = tally::count(text, lines, &self.outcomes, self.style.is_some(), crawlers);
    }

    /// Counts the lines that changed, if policies are compared.
    fn count_changes(&mut self) {
        if let changes @ [_, ..] = &mut self.judged.changes[..] {
            self.outcomes.each_change(|_, crawler, [was, now]| changes[crawler].0[was as usize][now as usize] += 1);
        }
    }

    /// Records the origins of deferred lines. They are the same for all crawlers, because a missing answer is missing
    /// for all of them.
    fn note_waiting(&mut self, text: &[u8], urls: &LineUrls) {
        let judge = self.matchers.first().map(Matcher::view);
        for (line, &outcome) in self.outcomes.most().iter().enumerate().filter(|(_, outcome)| NOTED[outcome.index()]) {
            let (url, first) = (urls.url(text, line), line as u64);
            let (lines, reason) = match outcome {
                // The line does not wait, but the robots.txt of its origin should be fetched.
                Outcome::ROBOTS_TXT => (0, judge.as_ref().and_then(|judge| judge.waiting(url))),
                _ => (1, Some(outcome.reason()).filter(|_| outcome.waits_for_robots_txt())),
            };
            if let Some(reason) = reason {
                self.judged.waiting.count(url, Waiting { first, lines, reason, status: None, asked_at: None });
            }
        }
    }

    /// The lines of the chunk that are invalid because of a tab.
    fn tabbed(&self, chunk: &Chunk<'_>) -> Option<TabbedLines> {
        let mut tabbed = (0..self.urls.lines().count()).filter(|&line| self.urls.is_refused(chunk.text(), line));
        let first = tabbed.next()?;
        // The number before lines were left out.
        let first = chunk.left_out.iter().fold(first, |first, &left_out| first + usize::from(left_out <= first));
        Some(TabbedLines { lines: 1 + tabbed.count() as u64, first: 1 + first as u64 })
    }

    /// Adds a line feed to the last line of the chunk.
    fn add_line_feed(&mut self) {
        for (counts, last) in self.judged.crawlers.iter_mut().zip(self.outcomes.of_last()) {
            counts.tallies[last.partition() as usize].bytes += 1;
        }
        if let Some(renderer) = &self.renderer {
            renderer.end_line(&self.outcomes, &mut self.judged.buffers);
        }
        self.judged.added_line_feed = true;
    }
}
