//! The outcomes of URLs for several crawlers: those that most get, and where single ones differ.
//!
//! Nearly all crawlers have the same rules on nearly all origins, so what is kept, counted and written for all of them grows with
//! the URLs and the differences, not with the crawlers.

use std::cmp::Reverse;

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
    /// How many of so many crawlers lines are split for. If they are split once, the first stands for all.
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
    #[cfg(test)]
    pub(super) fn of_one(most: Vec<Outcome>) -> Outcomes {
        Outcomes { crawlers: 1, most, ..Outcomes::default() }
    }

    /// Forgets all URLs; the next ones are judged for this many crawlers.
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

    /// The outcomes that differ from those for most, in the order of the URLs.
    pub(crate) fn differences(&self) -> &[Difference] {
        &self.differences.all
    }

    /// Whether each URL is allowed for any of the first so many crawlers.
    pub(crate) fn is_allowed(&self, crawlers: usize) -> Vec<bool> {
        let is_allowed = |outcome: Outcome| outcome.partition() == Partition::Allowed;
        let mut all: Vec<bool> = self.most.iter().map(|&most| is_allowed(most)).collect();
        let of_first = |difference: &&Difference| usize::from(difference.crawler) < crawlers;
        let of_url = |one: &Difference, other: &Difference| one.url == other.url;
        for differences in self.differences.all.chunk_by(of_url) {
            let mut differ = differences.iter().filter(of_first).peekable();
            if differ.peek().is_some() {
                let url = differences[0].url as usize;
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
        self.expand(&mut each);
        each
    }

    /// The outcomes for each crawler; `space` holds them if there are several.
    pub(crate) fn by_crawler<'o>(&'o self, space: &'o mut Vec<Vec<Outcome>>) -> &'o [Vec<Outcome>] {
        if self.crawlers > 1 {
            self.expand(space);
        }
        self.expanded(space)
    }

    /// The same, where [`Outcomes::by_crawler`] has filled this space.
    pub(crate) fn expanded<'o>(&'o self, space: &'o [Vec<Outcome>]) -> &'o [Vec<Outcome>] {
        if self.crawlers > 1 { space } else { std::slice::from_ref(&self.most) }
    }

    fn expand(&self, space: &mut Vec<Vec<Outcome>>) {
        space.resize(self.crawlers, Vec::new());
        space.iter_mut().for_each(|outcomes| outcomes.clone_from(&self.most));
        for &Difference { url, crawler, outcome } in self.differences() {
            space[usize::from(crawler)][url as usize] = outcome;
        }
    }

    /// Sets the outcome of a URL that has no differences, for all crawlers.
    pub(crate) fn set(&mut self, url: usize, outcome: Outcome) {
        self.most[url] = outcome;
    }

    /// Combines the outcomes for all crawlers into those for one: of each URL, the best for any of them or, if it must be allowed
    /// for all, the worst. What is deferred may become either, so it is between allowed and blocked.
    pub(crate) fn combine(&mut self, allowed: AllowedIf) {
        let rank = |outcome: &Outcome| match outcome.partition() {
            Partition::Allowed => 0,
            Partition::Deferred => 1,
            Partition::Blocked => 2,
            Partition::Invalid => 3,
        };
        for (url, of_url) in by_url(&self.differences.all) {
            // Nobody may be left to whom the outcome for most applies.
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

    /// Blocks what is allowed where `refuses` says so, given the index of the URL and that of the crawler: it becomes `blocked`.
    pub(super) fn block_where(&mut self, blocked: Outcome, mut refuses: impl FnMut(usize, usize) -> bool) {
        let is_allowed = |outcome: Outcome| outcome.partition() == Partition::Allowed;
        let differences = std::mem::take(&mut self.differences.all);
        let (mut by_url, mut each) = (by_url(&differences).peekable(), Vec::new());
        for (url, most) in self.most.iter_mut().enumerate() {
            let of_url = by_url.next_if(|(other, _)| *other == url).map_or(&[][..], |(_, of_url)| of_url);
            fill(&mut each, self.crawlers, *most, of_url);
            for (crawler, outcome) in each.iter_mut().enumerate().filter(|(_, outcome)| is_allowed(**outcome)) {
                if refuses(url, crawler) {
                    *outcome = blocked;
                }
            }
            if each.iter().filter(|outcome| **outcome == blocked).count() * 2 > self.crawlers {
                *most = blocked;
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

    /// Calls `visit` with each URL whose partition changed for a crawler, the crawler, and the partition before and now. The first
    /// half of the crawlers are those of now, the second half the same ones before.
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

    /// Puts the differences of the URLs from one on into order, and drops those that are none.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outcome::Reason;

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
}
