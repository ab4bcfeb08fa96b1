//! Takes captures from all sources into [`Captures`], or the newest of them into [`Newest`].
//!
//! Captures are added in batches. That bounds the memory for bodies, and allows compiling batches in parallel while the
//! source is still being read. The intake also notes the targets of redirects: archives hold pages of all kinds, but
//! only redirect targets matter.

use hashbrown::HashSet;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

use super::answer::{Captured, TimeBounds, is_named_robots_txt, page};
use super::error::in_source;
use super::fetched_at::SourceTimes;
use super::options::Options;
use super::passed_over::{PassedOver, Reason};
use crate::dialect::AnswerKind;
use crate::error::policy::Error;
use crate::formats::time;
use crate::policy::{Capture, Captures};
use crate::robots::{BodyFlaw, BodyProblem, body_limit};
use crate::threads;

/// The limits of a batch, in bytes and captures. Each earlier batch that is still being read takes as much again.
const BATCH_BYTES: usize = 16 << 20;
const BATCH: usize = 8192;

/// How many captures make a batch if the previous batch is compiled. So compiling a small folder begins while it is
/// being read, and a batch grows while the previous one is being compiled, so that more captures share a body.
const SMALL_BATCH: usize = 64;

/// The bytes that a body counts for each crawler in addition to its length.
const BYTES_PER_COLUMN: usize = 4 << 10;

/// The most bytes of a text that is read as a whole, such as a line of JSON.
const TEXT: usize = 1 << 30;

/// The most memory for text decompressed ahead, in bytes.
const AHEAD: u64 = 1 << 30;

/// The most row groups of a file that are read in parallel, and the bytes of the memory budget for each.
#[cfg(feature = "parquet")]
const ROW_GROUPS: usize = 8;
#[cfg(feature = "parquet")]
const BYTES_PER_ROW_GROUP: u64 = 64 << 20;

pub(super) struct Intake<'c> {
    pub captures: &'c mut Captures,
    pub options: &'c Options,
    batch: Vec<Capture>,
    bytes: usize,
    most: usize,
    targets: HashSet<u128>,
    fresh_targets: HashSet<u128>,
    /// The URLs with answers in each source that are useful only as redirect targets.
    pages: Vec<(PathBuf, Vec<String>)>,
    /// The times of answers that have none of their own.
    pub times: SourceTimes,
    /// The time for answers of the source that is being read.
    pub time_of_source: Option<i64>,
    /// Where captures go if only the newest are wanted.
    pub newest: Option<Newest>,
}

/// The key of a URL in the set of redirect targets.
pub(super) fn target_key(url: &str) -> u128 {
    xxh3_128(url.as_bytes())
}

/// Reads sources for `captures` by these options, on one of the threads that read captures.
pub(super) fn take(
    options: &Options,
    captures: &mut Captures,
    read: impl FnOnce(&mut Intake<'_>) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    captures.on_a_reader(|captures| {
        let mut intake = Intake::new(captures, options);
        read(&mut intake)?;
        intake.finish()
    })
}

impl<'c> Intake<'c> {
    pub fn new(captures: &'c mut Captures, options: &'c Options) -> Intake<'c> {
        let now = options.now.unwrap_or_else(time::now);
        let most = usize::try_from(captures.memory / 128).map_or(BATCH_BYTES, |share| share.min(BATCH_BYTES));
        Intake {
            captures,
            options,
            batch: Vec::new(),
            bytes: 0,
            most,
            targets: HashSet::new(),
            fresh_targets: HashSet::new(),
            pages: Vec::new(),
            times: SourceTimes { given: options.fetched_at, bounds: TimeBounds::at(now) },
            time_of_source: None,
            newest: None,
        }
    }

    /// The most bytes of a text that is read as a whole.
    pub fn text_limit(&self) -> usize {
        // With a limit of no bytes, every text would be empty.
        usize::try_from(self.captures.memory / 32).map_or(TEXT, |share| share.clamp(1, TEXT))
    }

    /// The most bytes of a body that are read: the dialect's limit.
    pub fn body_limit(&self) -> usize {
        body_limit([self.captures.dialect()])
    }

    pub fn room_ahead(&self) -> u64 {
        AHEAD.min(self.captures.memory / 8)
    }

    /// How many row groups of a file are read in parallel. It does not depend on the number of threads, so neither does the
    /// first error reported for a file with several.
    #[cfg(feature = "parquet")]
    pub fn parallel_row_groups(&self) -> usize {
        usize::try_from(self.captures.memory / BYTES_PER_ROW_GROUP)
            .map_or(ROW_GROUPS, |groups| groups.clamp(1, ROW_GROUPS))
    }

    /// Memory for the pages of a row group.
    #[cfg(feature = "parquet")]
    pub fn pages_room(&self) -> u64 {
        self.captures.memory / 4 / self.parallel_row_groups() as u64
    }

    /// Adds captures; a body that consecutive captures share is read once.
    pub fn add(&mut self, captures: impl IntoIterator<Item = Capture>) -> Result<(), Error> {
        for mut capture in captures {
            threads::check();
            capture.answered.fetched_at = capture.answered.fetched_at.or(self.time_of_source);
            if let Some(newest) = &mut self.newest {
                newest.add(capture);
                continue;
            }
            self.note_target(&capture);
            let columns = self.captures.columns.count();
            self.bytes += capture.url.len() + capture.location.as_ref().map_or(0, String::len);
            let before = self.batch.last().and_then(|last| last.body.as_ref());
            let body = capture.body.as_ref().filter(|body| !before.is_some_and(|before| Arc::ptr_eq(before, body)));
            self.bytes += body.map_or(0, |body| body.len() + columns * BYTES_PER_COLUMN);
            self.batch.push(capture);
            let is_full = self.bytes >= self.most || self.batch.len() >= BATCH;
            if is_full || self.batch.len() >= SMALL_BATCH && self.captures.is_idle() {
                self.flush()?;
            }
        }
        Ok(())
    }

    /// Adds an answer of a source. If it is useful only as a redirect target, and no redirect leads to it, that is
    /// reported.
    pub fn add_answer(&mut self, source: &Path, capture: Capture) -> Result<(), Error> {
        if !is_named_robots_txt(&capture.url) {
            match self.pages.last_mut() {
                Some((known, pages)) if known == source => pages.push(capture.url.clone()),
                _ => self.pages.push((source.to_owned(), vec![capture.url.clone()])),
            }
        }
        self.add([capture])
    }

    /// Counts a body that is not a robots.txt, and reports why, with its place in the source.
    pub fn note_problem(&mut self, source: &Path, problem: BodyProblem, place: impl FnOnce() -> String) {
        let counts = &mut self.captures.statistics.captures;
        let (count, reason) = match problem.flaw() {
            Some(BodyFlaw::NotText) => (&mut counts.not_text, Reason::NotText),
            Some(BodyFlaw::Incomplete) => (&mut counts.damaged_bodies, Reason::Incomplete),
            None => (&mut counts.undecodable_bodies, Reason::Undecodable),
        };
        *count += 1;
        self.pass_over(source, reason, || format!("{}: {problem}", place()));
    }

    /// Adds the remaining captures, and waits until all are stored.
    pub fn finish(mut self) -> Result<(), Error> {
        self.flush()?;
        for (source, pages) in std::mem::take(&mut self.pages) {
            for url in pages {
                if !self.targets.contains(&target_key(&url)) {
                    self.pass_over(&source, Reason::Url, || url);
                }
            }
        }
        self.captures.settle()
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.bytes = 0;
        self.captures.add_ahead(std::mem::take(&mut self.batch))
    }

    fn note_target(&mut self, capture: &Capture) {
        if capture.kind() != AnswerKind::Redirect {
            return;
        }
        // A robots.txt is added in any case.
        let is_other = |url: &String| !is_named_robots_txt(url) && page(url).is_ok();
        if let Some(target) = capture.target().filter(is_other) {
            let key = target_key(&target);
            if self.targets.insert(key) {
                self.fresh_targets.insert(key);
            }
        }
    }

    /// The new targets of redirects since the last call, by [`target_key`].
    pub fn take_targets(&mut self) -> HashSet<u128> {
        std::mem::take(&mut self.fresh_targets)
    }

    /// The capture of a line, a row or another part of a source, at `place`. Reports a body that is no robots.txt; passes
    /// over an invalid part, or returns its error if it must not be passed over.
    pub fn capture_of(
        &mut self,
        source: &Path,
        place: impl FnOnce() -> String,
        read: Result<Captured, (Reason, Error)>,
    ) -> Result<Option<Capture>, Error> {
        match read {
            Ok(Captured { capture, problem }) => {
                if let Some(problem) = problem {
                    self.note_problem(source, problem, || format!("{}, {}", place(), capture.url));
                }
                Ok(Some(capture))
            }
            Err((_, error)) if !self.options.skip_bad => Err(error),
            Err((reason, error)) => {
                self.captures.statistics.captures.bad += 1;
                self.pass_over(source, reason, || in_source(&error, source));
                Ok(None)
            }
        }
    }

    /// Counts a record that is passed over in a source.
    pub fn pass_over(&mut self, source: &Path, reason: Reason, example: impl FnOnce() -> String) {
        let all = &mut self.captures.passed_over;
        let at = all.iter().position(|passed| passed.reason == reason).unwrap_or_else(|| {
            all.push(PassedOver::new(source, reason));
            all.len() - 1
        });
        all[at].add(source, example);
    }
}

/// The newest robots.txt of each origin, by origin, and the records that were passed over.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Newest {
    /// The bodies, by origin.
    pub bodies: BTreeMap<String, Arc<[u8]>>,
    times: BTreeMap<String, (Option<i64>, bool)>,
    /// The records that were passed over in the sources.
    pub passed_over: Vec<PassedOver>,
}

impl Newest {
    /// Stores the body of a capture that is the newest of its origin so far. At equal times, an exact name wins over a
    /// shorthand, and then the capture that was read last.
    fn add(&mut self, capture: Capture) {
        let is_served = capture.kind() == AnswerKind::RobotsTxt;
        let (Some(origin), Some(body), true) = (&capture.origin, &capture.body, is_served) else { return };
        let time = (capture.answered.fetched_at, capture.exact);
        if self.times.get(origin).is_none_or(|known| *known <= time) {
            self.times.insert(origin.clone(), time);
            self.bodies.insert(origin.clone(), Arc::clone(body));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_whole_answer_of_each_origin_counts() {
        let mut newest = Newest::default();
        let capture = |origin: &str, body: &str, time| {
            let found = Capture::found(origin, body);
            let answered = crate::policy::Answered { fetched_at: time, ..found.answered };
            Capture { answered, ..found }
        };
        newest.add(capture("https://a.example", "2", Some(2)));
        newest.add(capture("https://a.example", "1", Some(1)));
        newest.add(capture("https://a.example", "0", None));
        newest.add(capture("https://b.example", "1", Some(1)));
        newest.add(capture("https://b.example", "2", Some(1)));
        newest.add(Capture { flaw: Some(BodyFlaw::Incomplete), ..capture("https://a.example", "cut", Some(3)) });
        let status =
            |status| crate::policy::Answered { status: Some(status), fetched_at: Some(9), ..Default::default() };
        newest.add(Capture { answered: status(404), ..capture("https://a.example", "none", Some(9)) });
        let bodies: Vec<_> = newest.bodies.iter().map(|(origin, body)| (origin.as_str(), &body[..])).collect();
        assert_eq!(bodies, [("https://a.example", &b"2"[..]), ("https://b.example", b"2")]);
    }
}
