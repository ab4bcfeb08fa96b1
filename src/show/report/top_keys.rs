//! The most frequent keys of a long sequence.

use hashbrown::HashMap;
use std::cmp::Reverse;
use std::hash::Hash;

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

    /// All keys, with their counts, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&K, u64)> {
        self.counts.iter().map(|(key, (times, _))| (key, *times))
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
