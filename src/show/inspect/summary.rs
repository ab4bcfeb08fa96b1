//! Counts the contents of a whole policy.

use serde::Serialize;
use std::collections::BTreeMap;

use super::entry::{SharedGroup, most_shared};
use crate::dialect::{AnswerKind, Lifetime};
use crate::error::policy::Error;
use crate::formats::time::time;
use crate::policy::{Crawler, OriginStatus, Policy, Record, Ruling};
use crate::robots::{Delay, NoteCounts};

/// Where the buckets for rules per group begin.
const RULES: [u64; 9] = [0, 1, 2, 5, 10, 50, 100, 1000, 10_000];

/// The contents of a policy, counted.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// The dialect.
    pub(crate) dialect: &'static str,
    /// The size of the policy file in bytes.
    pub(crate) bytes: u64,
    /// The size of each section.
    pub(crate) sections: Vec<SectionSize>,
    /// The number of origins.
    pub(crate) origins: u64,
    /// Origins by status; every status is listed.
    pub(crate) origin_statuses: Vec<OriginStatusCount>,
    /// Origins by the HTTP status of their last answer; those without one come first.
    pub(crate) statuses: Vec<StatusCount>,
    /// Whose groups apply to each crawler.
    pub(crate) agents: Vec<AgentCounts>,
    /// The distinct groups.
    pub(crate) groups: GroupCounts,
    /// How fresh the answers are.
    pub(crate) lifetimes: Lifetimes,
    /// The operator's overrides.
    pub(crate) overrides: OverrideCounts,
    /// The answers that are kept, by kind.
    pub(crate) answers: BTreeMap<AnswerKind, u64>,
    /// URLs that were asked, besides the robots.txt of origins.
    pub(crate) other_urls: u64,
    /// Origins whose last answer failed and whose rules are from an earlier one.
    pub(crate) last_good: u64,
    /// The lines dropped or cut in robots.txt files, by kind.
    pub(crate) dropped: NoteCounts,
    /// The origins whose robots.txt in use looks like an HTML page, in order.
    pub(crate) html_pages: Vec<String>,
}

/// A section of the policy file.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SectionSize {
    /// The name in FORMAT.md.
    pub name: &'static str,
    /// The size in bytes.
    pub bytes: u64,
    /// Bytes per origin.
    pub per_origin: f64,
}

/// The origins with a status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OriginStatusCount {
    /// The origin status after the last answer.
    pub origin_status: OriginStatus,
    /// The number of origins.
    pub origins: u64,
    /// How many of these keep an earlier good answer.
    pub last_good: u64,
}

/// The origins with an HTTP status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct StatusCount {
    /// The status; `None` if nothing answered, or a source did not record it.
    pub status: Option<u16>,
    /// The number of origins.
    pub origins: u64,
}

/// Whose groups apply to a crawler.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentCounts {
    /// The crawler's name.
    pub agent: String,
    /// Origins where the crawler has its own group.
    pub own: u64,
    /// Origins where the group of `*` applies.
    pub everybody: u64,
    /// Origins with a robots.txt but no group for the crawler.
    pub none: u64,
}

/// Distinct groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GroupCounts {
    /// Distinct automata.
    pub automata: u64,
    /// Automata with the same verdict for every path.
    pub constant: u64,
    /// Automata that are DFAs.
    pub dfa: u64,
    /// Automata that use cursors.
    pub cursors: u64,
    /// Groups that differ as written, for example in their line numbers.
    pub as_written: u64,
    /// These groups by the number of their rules.
    pub rules: Distribution,
    /// The groups that most origins share.
    pub most_shared: Vec<SharedGroup>,
}

/// The operator's overrides, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct OverrideCounts {
    /// Origins with an override.
    pub origins: u64,
    /// Origins where everything is allowed.
    pub allow_all: u64,
    /// Origins where everything is forbidden.
    pub forbid_all: u64,
    /// Origins with another robots.txt.
    pub robots_txt: u64,
    /// Origins with a crawl delay set by the operator.
    pub crawl_delays: u64,
    /// Pauses still in effect.
    pub paused: u64,
    /// Pauses that have ended.
    pub pauses_over: u64,
    /// The first of these origins.
    pub first: Vec<Overridden>,
}

/// An origin with an override.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Overridden {
    /// The origin.
    pub origin: String,
    /// The ruling in place of its robots.txt: `allow-all`, `forbid-all`, or `robots-txt` for another one.
    pub ruling: Option<&'static str>,
    /// Until when the origin is paused, as RFC 3339.
    pub paused_until: Option<String>,
    /// The operator's crawl delay, as written.
    pub crawl_delay: Option<String>,
}

impl Summary {
    /// The number of origins.
    pub fn origins(&self) -> u64 {
        self.origins
    }

    /// Counts the contents of a policy, for some or none of its crawlers; `now` is in seconds of Unix time. The lists
    /// of groups and of overrides have at most `most` entries. Layers are merged for it.
    ///
    /// # Errors
    ///
    /// If layers cannot be merged: a temporary file cannot be written, or it is beyond what a policy can hold.
    ///
    /// # Panics
    ///
    /// If a crawler was taken from a policy for other crawlers.
    pub fn of(policy: &Policy, crawlers: &[Crawler], now: i64, most: usize) -> Result<Summary, Error> {
        let policy = &policy.flattened(&std::env::temp_dir())?;
        let statistics = policy.statistics();
        let origins = statistics.origins;
        let per_origin = |bytes: usize| bytes as f64 / origins.max(1) as f64;
        let section = |(name, bytes)| SectionSize { name, bytes: bytes as u64, per_origin: per_origin(bytes) };
        let agent =
            |crawler: &Crawler| AgentCounts { agent: crawler.agents().to_string(), own: 0, everybody: 0, none: 0 };
        let mut summary = Summary {
            dialect: policy.dialect().name,
            bytes: policy.bytes().len() as u64,
            sections: policy.sections().map(section).collect(),
            origins,
            origin_statuses: OriginStatus::ALL
                .map(|origin_status| OriginStatusCount { origin_status, origins: 0, last_good: 0 })
                .to_vec(),
            statuses: Vec::new(),
            agents: crawlers.iter().map(agent).collect(),
            groups: GroupCounts::of(policy, crawlers, most),
            lifetimes: Lifetimes::of(policy, now),
            overrides: OverrideCounts::default(),
            answers: statistics.answers.clone(),
            other_urls: statistics.other_urls,
            last_good: statistics.last_good,
            dropped: statistics.notes,
            html_pages: Vec::new(),
        };
        for record in policy.lookup().records() {
            summary.add(policy, crawlers, &record);
            summary.overrides.add(policy, &record, now, most);
        }
        Ok(summary)
    }

    fn add(&mut self, policy: &Policy, crawlers: &[Crawler], record: &Record<'_>) {
        let origin_status = &mut self.origin_statuses[record.origin_status as usize];
        origin_status.origins += 1;
        origin_status.last_good += u64::from(record.last_good.is_some());
        let status = record.state().answered.status;
        match self.statuses.binary_search_by_key(&status, |count| count.status) {
            Ok(place) => self.statuses[place].origins += 1,
            Err(place) => self.statuses.insert(place, StatusCount { status, origins: 1 }),
        }
        let has_robots_txt = match record.ruling {
            Some(ruling) => ruling == Ruling::RobotsTxt,
            None => record.state().origin_status_in_use() == OriginStatus::RobotsTxt,
        };
        if has_robots_txt {
            for (crawler, counts) in crawlers.iter().zip(&mut self.agents) {
                match policy.groups(crawler).group(record.row) {
                    Some(group) if group.own => counts.own += 1,
                    Some(_) => counts.everybody += 1,
                    None => counts.none += 1,
                }
            }
        }
        if record.html_page {
            self.html_pages.push(String::from_utf8_lossy(record.origin).into_owned());
        }
    }
}

impl GroupCounts {
    /// Counts the groups of a policy; without crawlers, none is looked at for how many origins share it.
    fn of(policy: &Policy, crawlers: &[Crawler], most: usize) -> GroupCounts {
        let statistics = policy.statistics();
        let (mut as_written, mut rules) = (0, Distribution::new(&RULES));
        for outline in policy.outlines() {
            as_written += 1;
            rules.add(outline.rules);
        }
        GroupCounts {
            automata: statistics.automata,
            constant: statistics.constant,
            dfa: statistics.dfa,
            cursors: statistics.cursors,
            as_written,
            rules,
            most_shared: crawlers.first().map_or(Vec::new(), |first| most_shared(policy, &policy.groups(first), most)),
        }
    }
}

impl OverrideCounts {
    /// Counts an origin, if it has an override.
    fn add(&mut self, policy: &Policy, record: &Record<'_>, now: i64, most: usize) {
        let operator_override = record.operator_override();
        // Overrides are the same for all columns.
        let records = policy.side_records(record, 0);
        let delay = Delay::of(&records, policy.dialect()).filter(|delay| delay.record.is_operators());
        if !record.is_overridden() && delay.is_none() {
            return;
        }
        self.origins += 1;
        match operator_override.ruling {
            Some(Ruling::AllowAll) => self.allow_all += 1,
            Some(Ruling::ForbidAll) => self.forbid_all += 1,
            Some(Ruling::RobotsTxt) => self.robots_txt += 1,
            None => {}
        }
        match operator_override.paused_until {
            Some(until) if now < until => self.paused += 1,
            Some(_) => self.pauses_over += 1,
            None => {}
        }
        self.crawl_delays += u64::from(delay.is_some());
        if self.first.len() < most {
            self.first.push(Overridden {
                origin: String::from_utf8_lossy(record.origin).into_owned(),
                ruling: operator_override.ruling.map(Ruling::name),
                paused_until: operator_override.paused_until.map(time),
                crawl_delay: delay.map(|delay| String::from_utf8_lossy(delay.record.value).into_owned()),
            });
        }
    }
}

// How fresh the answers of a policy are.

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// Where the buckets of durations begin, in seconds.
const STARTS: [u64; 8] = [0, HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY];

/// How many origins have rules that may still be used, by the dialect's lifetime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Lifetimes {
    /// The time at which they are judged, as RFC 3339.
    pub at: String,
    /// The dialect's lifetime, in seconds.
    pub lifetime: u64,
    /// Whether the server's `Expires` replaces the lifetime.
    pub expires_header: bool,
    /// Origins whose answer in use may still be used.
    pub fresh: u64,
    /// Origins whose answer in use is too old.
    pub stale: u64,
    /// Origins whose answer in use has an unknown age.
    pub unknown: u64,
    /// Origins without an answer to use, or with an override in place of it, which has no age.
    pub ageless: u64,
    /// Fresh origins by their remaining lifetime, in seconds.
    pub left: Distribution,
    /// Stale origins by the time since their lifetime ended, in seconds.
    pub over: Distribution,
}

impl Lifetimes {
    /// Counts all origins of a policy; `now` is in seconds of Unix time.
    pub fn of(policy: &Policy, now: i64) -> Lifetimes {
        let lifetime = policy.dialect().lifetime;
        let mut lifetimes = Lifetimes {
            at: time(now),
            lifetime: lifetime.seconds,
            expires_header: lifetime.expires_header,
            fresh: 0,
            stale: 0,
            unknown: 0,
            ageless: 0,
            left: Distribution::new(&STARTS),
            over: Distribution::new(&STARTS),
        };
        policy.records().for_each(|(_, record)| lifetimes.add(&record, lifetime, now));
        lifetimes
    }

    fn add(&mut self, record: &Record<'_>, lifetime: Lifetime, now: i64) {
        let state = record.state();
        if state.operator_override.ruling.is_some() || !state.origin_status_in_use().is_definite() {
            self.ageless += 1;
            return;
        }
        match state.times_in_use().until(lifetime) {
            None => self.unknown += 1,
            Some(until) if until >= now => {
                self.fresh += 1;
                self.left.add(until.abs_diff(now));
            }
            Some(until) => {
                self.stale += 1;
                self.over.add(now.abs_diff(until));
            }
        }
    }
}

/// A range of numbers, and how many there are in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The smallest number of the range.
    pub from: u64,
    /// The first number above the range; `None` for the last bucket.
    pub below: Option<u64>,
    /// How many numbers are in it.
    pub count: u64,
}

/// Numbers counted by their size. The buckets are in ascending order, and every number belongs to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Distribution {
    buckets: Vec<Bucket>,
}

impl Distribution {
    /// An empty distribution with buckets that begin at `starts`, in ascending order; the first is 0.
    pub(super) fn new(starts: &[u64]) -> Distribution {
        debug_assert!(starts.first() == Some(&0) && starts.is_sorted());
        let bucket = |(place, &from): (usize, &u64)| Bucket { from, below: starts.get(place + 1).copied(), count: 0 };
        Distribution { buckets: starts.iter().enumerate().map(bucket).collect() }
    }

    /// Counts a number.
    pub(super) fn add(&mut self, number: u64) {
        let place = self.buckets.partition_point(|bucket| bucket.from <= number);
        self.buckets[place - 1].count += 1;
    }

    /// The buckets that are not empty.
    pub fn used(&self) -> impl Iterator<Item = &Bucket> {
        self.buckets.iter().filter(|bucket| bucket.count > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures};
    use crate::robots::Agents;

    #[test]
    fn origins_are_counted_even_for_no_crawler() {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let url = "http://a.example/robots.txt".to_owned();
        let origin = Some("http://a.example".to_owned());
        let answered = Answered { status: Some(404), ..Answered::default() };
        captures.add(vec![Capture { url, origin, answered, ..Capture::default() }]).unwrap();
        let summary = Summary::of(&captures.policy().unwrap(), &[], 0, 10).unwrap();
        assert_eq!((summary.origins, summary.groups.most_shared.len()), (1, 0));
    }

    #[test]
    fn every_number_belongs_to_one_bucket() {
        let mut distribution = Distribution::new(&[0, 1, 10]);
        for number in [0, 0, 1, 9, 10, u64::MAX] {
            distribution.add(number);
        }
        let counts: Vec<_> = distribution.buckets.iter().map(|b| (b.from, b.below, b.count)).collect();
        assert_eq!(counts, [(0, Some(1), 2), (1, Some(10), 2), (10, None, 2)]);
        assert_eq!(Distribution::new(&[0, 5]).used().count(), 0);
    }
}
