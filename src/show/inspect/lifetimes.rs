//! How fresh the answers of a policy are.

use serde::Serialize;

use crate::dialect::Lifetime;
use crate::formats::time::time;
use crate::policy::{Policy, Record};

const HOUR: u64 = 3600;
const DAY: u64 = 24 * HOUR;

/// Where the buckets of durations begin, in seconds.
const STARTS: [u64; 8] = [0, HOUR, 6 * HOUR, 12 * HOUR, DAY, 2 * DAY, 7 * DAY, 30 * DAY];

/// How many origins have rules that may still be used, by the dialect's lifetime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
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

    /// Counts an origin.
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
#[non_exhaustive]
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
