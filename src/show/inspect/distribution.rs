//! Counts numbers by their size.

use serde::Serialize;

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
