//! The data of a report: from the receipt and the list of robots.txt to fetch, and counted in the blocked lines, which are read again.

use hashbrown::HashMap;
use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hash::Hash;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use crate::formats::error::FileError;
use crate::formats::memory::prefetch;
use crate::formats::seekable;
use crate::judge::choices::Choices;
use crate::judge::explain::Explainer;
use crate::judge::matcher::Matcher;
use crate::outcome::{Partition, Reason};
use crate::output::folder::NEEDED;
use crate::output::missing_robots;
use crate::output::receipt::Receipt;
use crate::policy::{Crawler, CrawlerError, Policy, WriteError};
use crate::preferences::{Preference, PreferenceLine, Use};
use crate::robots::{Rule, SideRecord};
use crate::run::stored::{StoredRun, reread};
use crate::run::verify::{VerifyError, read_receipt};
use crate::show::access::AccessCounts;
use crate::show::inspect::Summary;
use crate::{origin, threads};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReportError {
    /// A receipt or a partition cannot be read.
    #[error(transparent)]
    Run(#[from] VerifyError),
    /// The list of robots.txt files to fetch cannot be read.
    #[error(transparent)]
    Waiting(#[from] FileError),
    /// The policy is not for a crawler of the run.
    #[error("the policy is not for the crawlers of the run: {0}")]
    Crawler(#[from] CrawlerError),
    /// Lines were split once for all crawlers, so no crawler's rules explain them.
    #[error(
        "the run split lines once for all of its crawlers, so the rules of one do not explain them; report without a policy"
    )]
    NotOfEach,
    /// The layers of the policy cannot be merged.
    #[error("cannot merge the policies: {0}")]
    Layers(#[from] WriteError),
}

/// The data about a run that a report shows.
#[derive(Debug, Clone)]
pub struct Report {
    directory: PathBuf,
    pub(crate) receipt: Receipt,
    pub(crate) waiting: OriginsToFetch,
    pub(crate) explained: Option<Explained>,
    /// The number of rows in tables of the most frequent items.
    pub(crate) most: usize,
}

/// The data that a policy adds.
#[derive(Debug, Clone)]
pub(crate) struct Explained {
    /// Whether it is the policy of the run.
    pub(crate) is_same: bool,
    pub(crate) summary: Summary,
    /// How much of the origins is blocked, for each crawler of the receipt.
    pub(crate) access: Vec<AccessCounts>,
    /// What origins say about uses, for each crawler of the receipt.
    pub(crate) uses: Vec<UseCounts>,
    /// One for each crawler of the receipt.
    pub(crate) blocked: Vec<Blocked>,
}

impl Report {
    /// Reads the results of a run from its folder. Tables of the most frequent items have at most `most` rows.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if there is no receipt of a complete run, or something cannot be read.
    pub fn read(directory: &Path, most: usize) -> Result<Report, ReportError> {
        let receipt = read_receipt(directory)?;
        let waiting = OriginsToFetch::read(directory, most);
        let waiting = waiting.map_err(FileError::of("read", &directory.join(NEEDED)))?;
        Ok(Report { directory: directory.to_owned(), receipt, waiting, explained: None, most })
    }

    /// Reads the blocked lines again and explains them by a policy, which should be that of the run. If `threads` is 0,
    /// there is one per processor. Adds to `read` the blocked lines that were read, each once for each crawler.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if the lines cannot be read, the policy is not for the run's crawlers, or lines were split once for all of
    /// them.
    pub fn explain(&mut self, policy: &Policy, threads: usize, read: &AtomicU64) -> Result<(), ReportError> {
        if self.receipt.options.allowed_if.is_some() {
            return Err(ReportError::NotOfEach);
        }
        let splits = self.receipt.splits();
        let crawlers = policy.crawlers(splits.agents())?;
        let run = StoredRun::new(&self.receipt, &self.directory, threads);
        let read_blocked = |(place, crawler)| Blocked::read(run, place, crawler, policy, read);
        let read_blocked = || crawlers.iter().enumerate().map(read_blocked).collect::<Result<Vec<_>, _>>();
        let choices = self.receipt.options.choices;
        let of_policy = || {
            let (access, uses) =
                (AccessCounts::of(policy, &crawlers, choices), UseCounts::of(policy, &crawlers, choices));
            (access, uses, Summary::count(policy, &crawlers, choices.now, 0))
        };
        // What the policy itself says is found by one thread, so another reads lines meanwhile.
        let both = || threads::both(of_policy, read_blocked);
        let ((access, uses, summary), blocked) = threads::on(threads::asked(threads), both);
        let is_same = policy.checksum() == self.receipt.policy_checksum.0;
        self.explained = Some(Explained { is_same, summary: summary?, access, uses, blocked: blocked? });
        Ok(())
    }

    /// The number of lines that the run blocked, each counted for each crawler.
    #[cfg(feature = "cli")]
    pub(crate) fn blocked_lines(&self) -> u64 {
        let names = self.receipt.splits().partitions();
        let blocked = names.iter().skip(Partition::Blocked as usize).step_by(Partition::COUNT);
        blocked.filter_map(|name| self.receipt.partitions.get(name)).map(|part| part.judged.lines).sum()
    }

    /// The number of blocked lines that the given policy does not block. If there are any, it is not the policy of the
    /// run.
    pub fn not_blocked(&self) -> u64 {
        let blocked = self.explained.iter().flat_map(|explained| &explained.blocked);
        blocked.map(|blocked| blocked.not_blocked).sum()
    }
}

/// The origins to fetch. Memory is bounded by the number of distinct reasons and statuses, and by the number of origins
/// requested.
#[derive(Debug, Clone, Default)]
pub(crate) struct OriginsToFetch {
    /// How many origins and lines wait, by cause.
    pub reasons: BTreeMap<WaitCause, WaitCounts>,
    /// The origins with the most waiting lines.
    pub origins: Vec<WaitingOrigin>,
}

/// Why lines wait for a robots.txt: the reason, and the HTTP status of its fetch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitCause {
    pub reason: Reason,
    pub status: Option<u16>,
}

/// The number of origins to fetch, and of lines that wait for them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WaitCounts {
    pub origins: u64,
    pub lines: u64,
}

/// An origin that lines wait for. The greatest has the most waiting lines; among equals, it is the first by name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct WaitingOrigin {
    pub lines: u64,
    pub origin: Reverse<String>,
    pub cause: WaitCause,
}

impl OriginsToFetch {
    /// Reads the list in a run's folder. The `most` origins with the most waiting lines are kept by name.
    pub fn read(directory: &Path, most: usize) -> io::Result<OriginsToFetch> {
        let file = match seekable::open(&directory.join(NEEDED)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(OriginsToFetch::default()),
            opened => opened?,
        };
        let mut waiting = OriginsToFetch::default();
        let mut top = BinaryHeap::new();
        for row in missing_robots::rows(file) {
            let (url, found) = row?;
            let origin = origin::of_robots_url(&url).map_or(url.clone(), str::to_owned);
            let cause = WaitCause { reason: found.reason, status: found.status };
            let counts = waiting.reasons.entry(cause).or_default();
            counts.origins += 1;
            counts.lines = counts.lines.saturating_add(found.lines);
            top.push(Reverse(WaitingOrigin { lines: found.lines, origin: Reverse(origin), cause }));
            if top.len() > most {
                top.pop();
            }
        }
        waiting.origins = top.into_sorted_vec().into_iter().map(|Reverse(origin)| origin).collect();
        Ok(waiting)
    }
}

// Finds the causes of blocked lines: they are judged again, and each is explained.

/// The number of bytes of a rule that are kept; rules that differ only after them count as one.
const LONGEST_RULE: usize = 200;

/// The most lines of the next origin that are fetched from memory while those of one are explained.
const PREFETCHED: usize = 8;

/// The causes that blocked the lines of one crawler.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocked {
    /// Blocked lines that were read.
    pub lines: u64,
    /// Lines that this policy does not block.
    pub not_blocked: u64,
    /// Lines of each origin.
    pub origins: TopKeys<String, ()>,
    /// Lines of each decider, with an example of where it decided.
    pub deciders: TopKeys<Decider, DecidingPlace>,
}

/// The cause of a blocked line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decider {
    /// A `Disallow` rule with this value, in any robots.txt.
    Rule(Vec<u8>),
    /// No rule, but the state of the origin or the operator's override.
    Reason(Reason),
}

impl Decider {
    fn of(rule: Option<Rule<'_>>, reason: Reason) -> Decider {
        let kept = |rule: Rule<'_>| rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec();
        rule.map_or(Decider::Reason(reason), |rule| Decider::Rule(kept(rule)))
    }
}

/// A line of those that are read again.
struct LineOfOrigin<'u> {
    /// The number of the origin, in the order in which they come, if it is spelled in canonical form; otherwise of the URL.
    origin: u32,
    url: &'u [u8],
}

/// Lines, those whose origins are spelled alike together, and in their order.
fn by_origin<'u>(urls: &'u [Cow<'_, [u8]>]) -> Vec<LineOfOrigin<'u>> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let line_of = |url: &'u Cow<'_, [u8]>| {
        let url = origin::trimmed(url);
        let next = numbers.len() as u32;
        let origin = numbers.entry(origin::canonical_cut(url).map_or(url, |end| &url[..end])).or_insert(next);
        LineOfOrigin { origin: *origin, url }
    };
    let mut lines: Vec<LineOfOrigin<'_>> = urls.iter().map(line_of).collect();
    lines.sort_by_key(|line| line.origin);
    lines
}

/// A place where a line was decided.
#[derive(Debug, Clone)]
pub(crate) struct DecidingPlace {
    pub origin: String,
    /// The line of the robots.txt; 0 if no rule decided.
    pub line: u32,
}

impl Blocked {
    /// Finds the causes that blocked the lines of a crawler, under the choices of the run; adds to `read` the lines that were read.
    pub fn read(
        run: StoredRun<'_>,
        place: usize,
        crawler: &Crawler,
        policy: &Policy,
        read: &AtomicU64,
    ) -> Result<Blocked, VerifyError> {
        let matcher = Matcher::new(policy, crawler.clone(), run.receipt.options.choices);
        let of = |urls: &[Cow<'_, [u8]>]| {
            let mut explainer = matcher.explainer();
            let mut blocked = Blocked { lines: urls.len() as u64, ..Blocked::default() };
            // Lines of one origin are explained by one look-up. The examples are those of the origins that come first.
            let lines = by_origin(urls);
            let mut origins = lines.chunk_by(|one, other| one.origin == other.origin).peekable();
            while let Some(same) = origins.next() {
                let next = origins.peek().copied().unwrap_or_default();
                next.iter().take(PREFETCHED).for_each(|line| prefetch(line.url, 0));
                blocked.count(same.iter().map(|line| line.url), &matcher, &mut explainer);
            }
            read.fetch_add(urls.len() as u64, Ordering::Relaxed);
            blocked
        };
        reread(run, place, Partition::Blocked, of, Blocked::append)
    }

    fn append(&mut self, later: Blocked) {
        self.lines += later.lines;
        self.not_blocked += later.not_blocked;
        self.origins.append(later.origins);
        self.deciders.append(later.deciders);
    }

    /// Counts URLs of one origin that the run blocked.
    fn count<'u>(&mut self, urls: impl Iterator<Item = &'u [u8]>, matcher: &Matcher, explainer: &mut Explainer) {
        let (mut first, mut by_place) = (None, BTreeMap::<(u32, Reason), (Decider, u64)>::new());
        for url in urls {
            let (outcome, rule) = explainer.blocking(url).unwrap_or_else(|| (matcher.judge(url), None));
            if outcome.partition() == Partition::Blocked {
                first = first.or(Some(url));
                let place = (rule.map_or(0, |rule| rule.line), outcome.reason());
                by_place.entry(place).or_insert_with(|| (Decider::of(rule, outcome.reason()), 0)).1 += 1;
            } else {
                self.not_blocked += 1;
            }
        }
        let blocked: u64 = by_place.values().map(|(_, times)| times).sum();
        // The origin is named by the first URL that is blocked. It has one, unless the file has changed.
        let Some((origin, _)) = first.and_then(|url| origin::split(url).ok()) else {
            self.not_blocked += blocked;
            return;
        };
        // A copy first: a file that is mapped may change.
        let origin = String::from_utf8(origin.into_owned().into_bytes());
        let origin = origin.unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned());
        for ((line, _), (decider, times)) in by_place {
            self.deciders.add(decider, times, || DecidingPlace { origin: origin.clone(), line });
        }
        self.origins.add(origin, blocked, || ());
    }
}

/// How many origins say something about uses to a crawler, in lines that apply to it. One that says several things counts for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UseCounts {
    /// The crawler's name.
    pub agent: String,
    /// Origins by use, and by what they say of it for some page.
    origins: [[u64; Preference::ALL.len()]; Use::ALL.len()],
}

impl UseCounts {
    /// Counts the origins of a policy for some of its crawlers, by the operator's choices.
    pub fn of(policy: &Policy, crawlers: &[Crawler], choices: Choices) -> Vec<UseCounts> {
        // Which column answers depends on the row only if there are several.
        let needs_row = crawlers.iter().any(|crawler| policy.answering(crawler).len() > 1);
        let mut same: HashMap<(bool, Option<u32>, Vec<u8>), u64> = HashMap::new();
        for (of, record) in policy.records() {
            let list = of.records_only(&record, PreferenceLine::is_one);
            if !list.is_empty() {
                let row = needs_row.then_some(record.row);
                *same.entry((std::ptr::eq(of, policy), row, list)).or_default() += 1;
            }
        }
        let new = |crawler: &Crawler| UseCounts { agent: crawler.agents().to_string(), origins: Default::default() };
        let mut all: Vec<UseCounts> = crawlers.iter().map(new).collect();
        for ((is_own, row, list), origins) in same {
            let of = if is_own { policy } else { policy.changed().unwrap_or(policy) };
            for (crawler, counts) in crawlers.iter().zip(&mut all) {
                let column = match (row, policy.answering(crawler)) {
                    (None, [only]) => *only,
                    _ => of.groups(crawler).answer(row.unwrap_or_default()).0,
                };
                counts.add(&Policy::records_of_column(&list, column, choices.content_signal), origins);
            }
        }
        all
    }

    fn add(&mut self, records: &[SideRecord<'_>], origins: u64) {
        let mut is_said = [[false; Preference::ALL.len()]; Use::ALL.len()];
        for line in records.iter().filter_map(PreferenceLine::of) {
            Use::ALL.into_iter().for_each(|use_| is_said[use_ as usize][line.says(use_) as usize] = true);
        }
        for (counts, said) in self.origins.iter_mut().flatten().zip(is_said.iter().flatten()) {
            *counts += if *said { origins } else { 0 };
        }
    }

    /// Origins that say this of a use, for some page.
    pub fn with(&self, use_: Use, preference: Preference) -> u64 {
        self.origins[use_ as usize][preference as usize]
    }
}

/// The number of keys that remain when rare ones are dropped.
const LIMIT: usize = 1 << 17;

/// Finds the most frequent keys of a long sequence in bounded memory: counts keys, and has an example of each.
///
/// Counts are exact for fewer than twice [`LIMIT`] keys. At that number, rare keys are dropped: every count is reduced
/// by that of the most frequent key to be dropped, as in Misra and Gries (Finding Repeated Elements, 1982). After that,
/// counts are too small by at most [`TopKeys::error`], which is never more than the number of lines divided by the limit.
/// A key that is more frequent than that is never missed.
#[derive(Debug, Clone)]
pub(crate) struct TopKeys<K, E> {
    counts: HashMap<K, (u64, E)>,
    limit: usize,
    error: u64,
}

impl<K, E> Default for TopKeys<K, E> {
    fn default() -> TopKeys<K, E> {
        TopKeys { counts: HashMap::new(), limit: LIMIT, error: 0 }
    }
}

impl<K: Hash + Eq + Ord, E> TopKeys<K, E> {
    /// Counts a key that occurred so many times. Its first example is kept.
    pub fn add(&mut self, key: K, times: u64, example: impl FnOnce() -> E) {
        self.insert(key, times, example);
        self.drop_rare();
    }

    fn insert(&mut self, key: K, times: u64, example: impl FnOnce() -> E) {
        self.counts.entry(key).or_insert_with(|| (0, example())).0 += times;
    }

    /// Adds the counts of a later part of the sequence.
    pub fn append(&mut self, later: TopKeys<K, E>) {
        self.error += later.error;
        for (key, (times, example)) in later.counts {
            self.insert(key, times, || example);
        }
        // Only once all keys are there, so that the order of the map does not matter.
        self.drop_rare();
    }

    fn drop_rare(&mut self) {
        if self.counts.len() < 2 * self.limit {
            return;
        }
        let mut counts: Vec<u64> = self.counts.values().map(|(times, _)| *times).collect();
        let (_, &mut dropped, _) = counts.select_nth_unstable_by_key(self.limit, |&times| Reverse(times));
        self.counts.retain(|_, (times, _)| {
            *times = times.saturating_sub(dropped);
            *times > 0
        });
        self.error += dropped;
    }

    /// By how much a count may be too small; 0 if all counts are exact.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// The number of keys; a lower bound if there is an [error](TopKeys::error).
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The most frequent keys in descending order; keys with equal counts are sorted.
    pub fn most_frequent(&self, most: usize) -> Vec<(&K, u64, &E)> {
        let mut keys: Vec<_> = self.counts.iter().map(|(key, (times, example))| (key, *times, example)).collect();
        keys.sort_unstable_by(|a, b| (Reverse(a.1), a.0).cmp(&(Reverse(b.1), b.0)));
        keys.truncate(most);
        keys
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_keys_are_counted_exactly() {
        let mut top_keys: TopKeys<u32, u32> = TopKeys { limit: 100, ..TopKeys::default() };
        for number in 0..1000 {
            top_keys.add(number % 10, 1, || number);
        }
        top_keys.add(3, 1, || 0);
        assert_eq!(top_keys.most_frequent(3), [(&3, 101, &3), (&0, 100, &0), (&1, 100, &1)]);
        assert_eq!((top_keys.error(), top_keys.len()), (0, 10));
    }

    #[test]
    fn counts_of_many_keys_are_off_by_no_more_than_the_error() {
        // Key k occurs 1000/k times, spread over parts that are counted separately; many other keys occur once.
        let mut whole: TopKeys<u32, ()> = TopKeys { limit: 50, ..TopKeys::default() };
        let mut lines = 0;
        for part in 0..10u32 {
            let mut top_keys: TopKeys<u32, ()> = TopKeys { limit: 50, ..TopKeys::default() };
            for key in 1..=100 {
                top_keys.add(key, u64::from(100 / key), || ());
                lines += u64::from(100 / key);
            }
            for once in 0..300 {
                top_keys.add(1000 + 300 * part + once, 1, || ());
                lines += 1;
            }
            whole.append(top_keys);
            assert!(whole.counts.len() < 100);
        }
        assert!(whole.error() > 0 && whole.error() <= lines / 50, "{} of {lines}", whole.error());
        let found = whole.most_frequent(3);
        for (at, (&key, times, ())) in found.into_iter().enumerate() {
            let exact = 10 * u64::from(100 / key);
            assert_eq!(key as usize, at + 1);
            assert!(times <= exact && times + whole.error() >= exact, "{key}: {times} of {exact}");
        }
    }
}
