//! How many things are how large.

use serde::Serialize;

/// How many numbers there are within some bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Bucket {
    /// The least number.
    pub from: u64,
    /// The first number beyond; `None` for the last bucket.
    pub below: Option<u64>,
    /// How many there are.
    pub count: u64,
}

/// Numbers, counted by their size; buckets stand in ascending order, and all numbers belong to one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Distribution {
    buckets: Vec<Bucket>,
}

impl Distribution {
    /// No numbers so far, for buckets that begin at these: ascending, the first is 0.
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

    /// The buckets.
    pub fn buckets(&self) -> &[Bucket] {
        &self.buckets
    }

    /// The buckets that have something in them.
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
        let counts: Vec<_> = distribution.buckets().iter().map(|b| (b.from, b.below, b.count)).collect();
        assert_eq!(counts, [(0, Some(1), 2), (1, Some(10), 2), (10, None, 2)]);
        assert_eq!(Distribution::new(&[0, 5]).used().count(), 0);
    }
}
