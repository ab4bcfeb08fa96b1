//! The outcomes of URLs for several crawlers: the outcome for most crawlers, and the differences of single crawlers.
//!
//! Nearly all crawlers have the same rules on nearly all origins. So memory, counting and writing grow with the URLs
//! and the differences, not with the crawlers.
//!
//! The crawlers that may not fetch a URL form few sets: each set is stored once, and each URL has the number of its set
//! ([`Refusals`]).

use std::cmp::Reverse;
use std::collections::HashMap;

use crate::outcome::{Outcome, Partition};

named! {
    /// When a line counts as allowed for several crawlers together.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
    #[non_exhaustive]
    pub enum AllowedIf {
        /// If any of them may fetch it.
        Any = "any",
        /// If all of them may fetch it.
        All = "all",
    }
}

impl AllowedIf {
    /// For how many of this many crawlers lines are split. If they are split once, the first crawler stands for all.
    pub(crate) fn split_count(allowed_if: Option<AllowedIf>, crawlers: usize) -> usize {
        if allowed_if.is_some() { crawlers.min(1) } else { crawlers }
    }
}

/// The outcomes of many URLs, in order, for several crawlers.
#[derive(Debug, Default)]
pub struct Outcomes {
    crawlers: usize,
    pub(super) most: Vec<Outcome>,
    pub(super) differences: Differences,
}

/// Outcomes of single URLs for single crawlers.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// The URL at which the batch begins.
    from: u32,
    all: Vec<Difference>,
}

/// The outcome of a URL for a crawler, other than that for most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Difference {
    /// The index of the URL, and that of the crawler.
    pub url: u32,
    pub crawler: u16,
    pub outcome: Outcome,
}

impl Outcomes {
    /// The outcomes for one crawler.
    pub(super) fn of_one(most: Vec<Outcome>) -> Outcomes {
        Outcomes { crawlers: 1, most, ..Outcomes::default() }
    }

    /// Removes all URLs; the next URLs are judged for this many crawlers.
    pub(crate) fn clear(&mut self, crawlers: usize) {
        self.crawlers = crawlers;
        self.most.clear();
        self.differences.all.clear();
    }

    /// The number of crawlers.
    pub fn crawlers(&self) -> usize {
        self.crawlers
    }

    /// The number of URLs.
    pub fn urls(&self) -> usize {
        self.most.len()
    }

    /// The outcomes for most crawlers.
    pub(crate) fn most(&self) -> &[Outcome] {
        &self.most
    }

    /// The outcomes that differ from the outcome for most, in the order of the URLs.
    pub(crate) fn differences(&self) -> &[Difference] {
        &self.differences.all
    }

    /// Whether each URL is allowed for any of the first `crawlers` crawlers.
    pub(crate) fn is_allowed(&self, crawlers: usize) -> Vec<bool> {
        let is_allowed = |outcome: Outcome| outcome.partition() == Partition::Allowed;
        let mut all: Vec<bool> = self.most.iter().map(|&most| is_allowed(most)).collect();
        let of_first = |difference: &&Difference| usize::from(difference.crawler) < crawlers;
        for (url, of_url) in by_url(&self.differences.all) {
            let mut differ = of_url.iter().filter(of_first).peekable();
            if differ.peek().is_some() {
                let others = crawlers - differ.clone().count();
                all[url] = all[url] && others > 0 || differ.any(|difference| is_allowed(difference.outcome));
            }
        }
        all
    }

    /// The outcome of the last URL for each crawler; none if there is no URL.
    pub(crate) fn of_last(&self) -> Vec<Outcome> {
        let Some(&last) = self.most.last() else { return Vec::new() };
        let mut outcomes = vec![last; self.crawlers];
        let url = self.most.len() as u32 - 1;
        let of_last = self.differences().iter().rev().take_while(|difference| difference.url == url);
        of_last.for_each(|difference| outcomes[usize::from(difference.crawler)] = difference.outcome);
        outcomes
    }

    /// The outcomes for a crawler.
    ///
    /// # Panics
    ///
    /// If there is no crawler with this index.
    pub fn of(&self, crawler: usize) -> Vec<Outcome> {
        assert!(crawler < self.crawlers, "no crawler {crawler}");
        let mut outcomes = self.most.clone();
        let of_crawler = self.differences().iter().filter(|difference| usize::from(difference.crawler) == crawler);
        of_crawler.for_each(|difference| outcomes[difference.url as usize] = difference.outcome);
        outcomes
    }

    /// The outcomes for each crawler.
    pub fn of_each(&self) -> Vec<Vec<Outcome>> {
        let mut each = Vec::new();
        self.by_crawler(&mut each);
        each
    }

    /// The outcomes for each crawler, in this space.
    pub(crate) fn by_crawler<'o>(&self, space: &'o mut Vec<Vec<Outcome>>) -> &'o [Vec<Outcome>] {
        space.resize(self.crawlers, Vec::new());
        space.iter_mut().for_each(|outcomes| outcomes.clone_from(&self.most));
        for &Difference { url, crawler, outcome } in self.differences() {
            space[usize::from(crawler)][url as usize] = outcome;
        }
        space
    }

    /// Sets the outcome of a URL that has no differences, for all crawlers.
    pub(crate) fn set(&mut self, url: usize, outcome: Outcome) {
        self.most[url] = outcome;
    }

    /// Combines the outcomes for all crawlers into one for each URL: the best for any crawler or, if the URL must be
    /// allowed for all, the worst. A deferred URL may still become allowed or blocked, so it is between the two.
    pub(crate) fn combine(&mut self, allowed: AllowedIf) {
        let rank = |outcome: &Outcome| match outcome.partition() {
            Partition::Allowed => 0,
            Partition::Deferred => 1,
            Partition::Blocked => 2,
            Partition::Invalid => 3,
        };
        for (url, of_url) in by_url(&self.differences.all) {
            // The outcome for most may apply to no crawler.
            let most = (of_url.len() < self.crawlers).then_some(self.most[url]);
            let outcomes = most.into_iter().chain(of_url.iter().map(|difference| difference.outcome));
            let found = match allowed {
                AllowedIf::Any => outcomes.min_by_key(rank),
                AllowedIf::All => outcomes.min_by_key(|outcome| Reverse(rank(outcome))),
            };
            self.most[url] = found.expect("a difference");
        }
        self.differences.all.clear();
        self.crawlers = AllowedIf::split_count(Some(allowed), self.crawlers);
    }

    /// Replaces allowed outcomes from a URL on by the result of `change`, if any, which gets the indexes of the URL and the crawler.
    /// All allowed outcomes of one URL must change to the same.
    pub(super) fn change_allowed(&mut self, from: usize, mut change: impl FnMut(usize, usize) -> Option<Outcome>) {
        let is_allowed = |outcome: Outcome| outcome.partition() == Partition::Allowed;
        let first = self.differences.all.partition_point(|difference| (difference.url as usize) < from);
        let differences = self.differences.all.split_off(first);
        let (mut by_url, mut each) = (by_url(&differences).peekable(), Vec::new());
        for (url, most) in self.most.iter_mut().enumerate().skip(from) {
            let of_url = by_url.next_if(|(other, _)| *other == url).map_or(&[][..], |(_, of_url)| of_url);
            fill(&mut each, self.crawlers, *most, of_url);
            let mut changed = None;
            for (crawler, outcome) in each.iter_mut().enumerate().filter(|(_, outcome)| is_allowed(**outcome)) {
                if let Some(other) = change(url, crawler) {
                    *outcome = other;
                    changed = Some(other);
                }
            }
            let is_changed = |outcome: &&Outcome| Some(**outcome) == changed;
            if let Some(changed) = changed
                && each.iter().filter(is_changed).count() * 2 > self.crawlers
            {
                *most = changed;
            }
            let differing = (0..).zip(&each).filter(|(_, outcome)| **outcome != *most);
            let difference = |(crawler, &outcome)| Difference { url: url as u32, crawler, outcome };
            self.differences.all.extend(differing.map(difference));
        }
    }

    /// Appends crawlers, with their outcomes of the same URLs.
    pub(crate) fn append_crawlers(&mut self, others: &Outcomes) {
        assert_eq!(self.urls(), others.urls(), "outcomes of the same URLs");
        let (own, all) = (self.crawlers as u16, &mut self.differences.all);
        let (mut theirs, mut each) = (others.differences(), Vec::new());
        let put = |all: &mut Vec<Difference>, differences: &[Difference]| {
            all.extend(differences.iter().map(|other| Difference { crawler: own + other.crawler, ..*other }));
        };
        for (url, (most, of_others)) in (0..).zip(self.most.iter().zip(&others.most)) {
            if most == of_others {
                continue;
            }
            let (before, rest) = theirs.split_at(theirs.partition_point(|difference| difference.url < url));
            let (of_url, rest) = rest.split_at(rest.partition_point(|difference| difference.url == url));
            theirs = rest;
            put(all, before);
            fill(&mut each, others.crawlers, *of_others, of_url);
            let differing = (own..).zip(&each).filter(|(_, outcome)| *outcome != most);
            all.extend(differing.map(|(crawler, &outcome)| Difference { url, crawler, outcome }));
        }
        put(all, theirs);
        all.sort_by_key(|difference| difference.url);
        self.crawlers += others.crawlers;
    }

    /// Calls `visit` with each URL whose partition changed for a crawler, the crawler, and the partition before and
    /// now. The first half of the crawlers has the current outcomes; the second half is the same crawlers by the older
    /// policy.
    pub(crate) fn each_change(&self, mut visit: impl FnMut(usize, usize, [Partition; 2])) {
        let mut each = Vec::new();
        for (url, of_url) in by_url(self.differences()) {
            fill(&mut each, self.crawlers, self.most[url], of_url);
            let (now, was) = each.split_at(self.crawlers / 2);
            for (crawler, both) in was.iter().zip(now).enumerate() {
                let [was, now] = [both.0, both.1].map(|outcome| outcome.partition());
                if was != now {
                    visit(url, crawler, [was, now]);
                }
            }
        }
    }

    /// Sorts the differences from this URL on, and drops outcomes that do not differ.
    pub(super) fn sort(&mut self, from: usize) {
        let Outcomes { most, differences, .. } = self;
        let first =
            differences.all.iter().rposition(|difference| (difference.url as usize) < from).map_or(0, |at| at + 1);
        let mut kept = first;
        for at in first..differences.all.len() {
            let difference = differences.all[at];
            if most[difference.url as usize] != difference.outcome {
                differences.all[kept] = difference;
                kept += 1;
            }
        }
        differences.all.truncate(kept);
        differences.all[first..].sort_by_key(|difference| difference.url);
    }
}

/// Each URL that has differences, with these.
fn by_url(differences: &[Difference]) -> impl Iterator<Item = (usize, &[Difference])> {
    differences.chunk_by(|one, other| one.url == other.url).map(|of_url| (of_url[0].url as usize, of_url))
}

/// Fills `each` with the outcomes of a URL, given that for most crawlers and the differences.
fn fill(each: &mut Vec<Outcome>, crawlers: usize, most: Outcome, of_url: &[Difference]) {
    each.clear();
    each.resize(crawlers, most);
    of_url.iter().for_each(|difference| each[usize::from(difference.crawler)] = difference.outcome);
}

impl Differences {
    /// Begins a batch at a URL.
    pub fn begin(&mut self, from: usize) {
        self.from = from as u32;
    }

    /// Adds differences, which need not be in order.
    pub fn add(&mut self, differences: impl Iterator<Item = Difference>) {
        self.all.extend(differences);
    }

    /// Notes an outcome of a URL of the batch.
    #[inline]
    pub fn put(&mut self, crawler: u16, url: u8, outcome: Outcome) {
        self.all.push(Difference { url: self.from + u32::from(url), crawler, outcome });
    }
}

/// How many sets are stored from one call to the next.
const KEPT: usize = 4096;

/// For each of many URLs, the crawlers that may not fetch it, because it is blocked or deferred for them.
///
/// A line without a URL is blocked for all crawlers.
#[derive(Debug)]
pub struct Refusals {
    names: Vec<String>,
    sets: Vec<Refused>,
    /// The number of a set by the partition of most crawlers, and the crawlers with other partitions.
    known: HashMap<Vec<u8>, u32>,
    of_urls: Vec<u32>,
}

/// The crawlers that may not fetch some URLs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Refused {
    /// The indexes of the crawlers that they are blocked for, in order.
    pub blocked: Vec<u16>,
    /// The indexes of the crawlers that they are deferred for, in order.
    pub deferred: Vec<u16>,
    /// Their names as two columns of text: separated by commas, each column ended by a tab.
    pub(crate) columns: Vec<u8>,
}

impl Refusals {
    /// Refusals of crawlers with these names.
    pub fn new(names: Vec<String>) -> Refusals {
        Refusals { names, sets: Vec::new(), known: HashMap::new(), of_urls: Vec::new() }
    }

    /// Finds the sets of URLs with these outcomes. If there are more crawlers than names, only the first ones count.
    ///
    /// # Panics
    ///
    /// If there are more names than crawlers.
    pub fn find(&mut self, outcomes: &Outcomes) {
        assert!(outcomes.crawlers() >= self.names.len(), "a crawler for each name");
        self.of_urls.clear();
        if self.sets.len() > KEPT {
            self.sets.clear();
            self.known.clear();
        }
        let (mut of_all, mut key, mut rest) = ([None; Partition::COUNT], Vec::new(), outcomes.differences());
        for (url, most) in (0..).zip(outcomes.most()) {
            let differing = rest.iter().take_while(|difference| difference.url == url).count();
            let set = if differing == 0 {
                *of_all[most.partition() as usize].get_or_insert_with(|| self.set(&[most.partition() as u8]))
            } else {
                let (differences, others) = rest.split_at(differing);
                rest = others;
                key.clear();
                key.push(most.partition() as u8);
                let named = differences.iter().filter(|other| usize::from(other.crawler) < self.names.len());
                let refused = named.filter(|other| other.outcome.partition() != most.partition());
                for Difference { crawler, outcome, .. } in refused {
                    key.extend_from_slice(&crawler.to_le_bytes());
                    key.push(outcome.partition() as u8);
                }
                self.set(&key)
            };
            self.of_urls.push(set);
        }
    }

    /// The number of the set with this key.
    fn set(&mut self, key: &[u8]) -> u32 {
        if let Some(&set) = self.known.get(key) {
            return set;
        }
        let set = self.sets.len() as u32;
        self.sets.push(Refused::of(&self.names, key));
        self.known.insert(key.to_vec(), set);
        set
    }

    /// For each URL, the number of its set.
    pub fn of_urls(&self) -> &[u32] {
        &self.of_urls
    }

    /// The sets, by their numbers.
    pub fn sets(&self) -> &[Refused] {
        &self.sets
    }

    /// The set of a URL.
    pub(crate) fn of(&self, url: usize) -> &Refused {
        &self.sets[self.of_urls[url] as usize]
    }

    /// The names of the crawlers, by their indexes.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

impl Refused {
    /// The set with a key: the partition of most crawlers, then the index and the partition of each other one.
    fn of(names: &[String], key: &[u8]) -> Refused {
        let mut partitions = vec![key[0]; names.len()];
        for other in key[1..].chunks_exact(3) {
            partitions[usize::from(u16::from_le_bytes([other[0], other[1]]))] = other[2];
        }
        let (mut refused, mut last) = (Refused::default(), [false; 2]);
        let mut columns = [Vec::new(), Vec::new()];
        for ((crawler, name), partition) in (0..).zip(names).zip(partitions) {
            let is_deferred = partition == Partition::Deferred as u8;
            if partition == Partition::Allowed as u8 {
                continue;
            }
            let (set, column) =
                (if is_deferred { &mut refused.deferred } else { &mut refused.blocked }, usize::from(is_deferred));
            set.push(crawler);
            if std::mem::replace(&mut last[column], true) {
                columns[column].push(b',');
            }
            columns[column].extend_from_slice(name.as_bytes());
        }
        refused.columns = columns.into_iter().flat_map(|column| [column, vec![b'\t']].concat()).collect();
        refused
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::{Outcome, Reason};
    use crate::rng::Rng;

    #[test]
    fn crawlers_are_appended() {
        let all = Partition::ALL.map(|partition| Outcome::new(partition, Reason::Rules));
        // Outcomes of four URLs for two crawlers each, the first of which is that for most.
        let outcomes_of = |each: [[usize; 2]; 4]| {
            let mut outcomes = Outcomes::default();
            outcomes.clear(2);
            for (url, [first, second]) in (0..).zip(each) {
                outcomes.most.push(all[first]);
                outcomes.differences.put(1, url, all[second]);
            }
            outcomes.sort(0);
            outcomes
        };
        let (now, was) = ([[0, 0], [0, 1], [1, 0], [2, 2]], [[0, 0], [0, 0], [1, 1], [1, 2]]);
        let (mut together, before) = (outcomes_of(now), outcomes_of(was));
        together.append_crawlers(&before);
        for crawler in 0..4 {
            let expected = (0..4).map(|url| if crawler < 2 { now[url][crawler] } else { was[url][crawler - 2] });
            assert_eq!(together.of(crawler), expected.map(|partition| all[partition]).collect::<Vec<_>>(), "{crawler}");
        }
        let pairs: Vec<(u32, u16)> = together.differences().iter().map(|other| (other.url, other.crawler)).collect();
        let distinct: std::collections::BTreeSet<_> = pairs.iter().collect();
        assert!(pairs.is_sorted_by_key(|pair| pair.0) && distinct.len() == pairs.len(), "{pairs:?}");
        let mut changes = Vec::new();
        together.each_change(|url, crawler, [was, now]| changes.push((url, crawler, was as usize, now as usize)));
        assert_eq!(changes, [(1, 1, 0, 1), (2, 1, 1, 0), (3, 0, 1, 2)]);
    }

    #[test]
    fn lines_are_allowed_for_any_or_for_all() {
        let [allowed, blocked, deferred, invalid] =
            Partition::ALL.map(|partition| Outcome::new(partition, Reason::Rules));
        for (each, any, all) in [
            ([allowed, allowed, allowed], allowed, allowed),
            ([allowed, blocked, allowed], allowed, blocked),
            ([blocked, blocked, allowed], allowed, blocked),
            ([deferred, blocked, deferred], deferred, blocked),
            ([allowed, deferred, deferred], allowed, deferred),
            ([invalid, invalid, invalid], invalid, invalid),
        ] {
            // For most, something that applies to none of them.
            for most in [each[0], deferred] {
                for (combined, expected) in [(AllowedIf::Any, any), (AllowedIf::All, all)] {
                    let mut outcomes = Outcomes::default();
                    outcomes.clear(3);
                    outcomes.most.extend([most; 2]);
                    outcomes.differences.begin(1);
                    (0..3).for_each(|crawler| outcomes.differences.put(crawler, 0, each[usize::from(crawler)]));
                    outcomes.sort(0);
                    assert_eq!(outcomes.of_last(), each);
                    outcomes.combine(combined);
                    assert_eq!((outcomes.crawlers(), outcomes.most()), (1, &[most, expected][..]), "{each:?}");
                }
            }
        }
    }

    #[test]
    fn each_url_has_the_crawlers_that_may_not_fetch_it() {
        const CRAWLERS: usize = 40;
        let mut rng = Rng(7);
        let mut refusals = Refusals::new((0..CRAWLERS).map(|number| format!("bot{number}")).collect());
        let outcome = |number: usize| Outcome::new(Partition::ALL[number % 4], Reason::Rules);
        for count in [0, 1, 127, 500] {
            let mut outcomes = Outcomes::default();
            outcomes.clear(CRAWLERS);
            for url in 0..count {
                outcomes.most.push(outcome(url));
                outcomes.differences.begin(url);
                for crawler in 0..if url % 3 == 0 { 0 } else { rng.below(CRAWLERS) } {
                    outcomes.differences.put(crawler as u16, 0, outcome(rng.below(4)));
                }
            }
            outcomes.sort(0);
            refusals.find(&outcomes);
            assert_eq!(refusals.of_urls().len(), count);
            let by_crawler: Vec<Vec<Outcome>> = (0..CRAWLERS).map(|crawler| outcomes.of(crawler)).collect();
            assert_eq!(outcomes.by_crawler(&mut Vec::new()), by_crawler);
            for (url, set) in (0..count).map(|url| (url, refusals.of(url))) {
                let of = |wanted: &[Partition]| -> Vec<u16> {
                    let is_wanted =
                        |crawler: &u16| wanted.contains(&by_crawler[usize::from(*crawler)][url].partition());
                    (0..CRAWLERS as u16).filter(is_wanted).collect()
                };
                assert_eq!(set.blocked, of(&[Partition::Blocked, Partition::Invalid]), "{url}");
                assert_eq!(set.deferred, of(&[Partition::Deferred]), "{url}");
                let names = |set: &[u16]| set.iter().map(|at| format!("bot{at}")).collect::<Vec<_>>().join(",");
                let columns = format!("{}\t{}\t", names(&set.blocked), names(&set.deferred));
                assert_eq!(set.columns, columns.as_bytes());
            }
        }
    }
}
