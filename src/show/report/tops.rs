//! The most frequent keys of a long sequence, in bounded memory.
//!
//! Keys are counted exactly as long as there are at most [`LIMIT`] of them. When there are twice as many, the rare ones
//! are dropped: every count gets less by that of the most frequent key that has to go, as Misra and Gries do (Finding
//! Repeated Elements, 1982). Then counts are too small by at most [`Tops::error`], which is never more than all lines
//! divided by the limit; what is more frequent than that is never missed.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

/// So many keys remain when rare ones are dropped.
pub const LIMIT: usize = 1 << 17;

/// Keys with counts, and with an example of each.
#[derive(Debug, Clone)]
pub struct Tops<K, E> {
    counts: HashMap<K, (u64, E)>,
    limit: usize,
    error: u64,
}

impl<K, E> Default for Tops<K, E> {
    fn default() -> Tops<K, E> {
        Tops { counts: HashMap::new(), limit: LIMIT, error: 0 }
    }
}

impl<K: Hash + Eq + Ord + Clone, E: Clone> Tops<K, E> {
    /// Counts a key so many times more; its first example stays.
    pub fn add(&mut self, key: K, times: u64, example: impl FnOnce() -> E) {
        self.insert(key, times, example);
        self.drop_rare();
    }

    fn insert(&mut self, key: K, times: u64, example: impl FnOnce() -> E) {
        match self.counts.entry(key) {
            Entry::Occupied(mut entry) => entry.get_mut().0 += times,
            Entry::Vacant(entry) => {
                entry.insert((times, example()));
            }
        }
    }

    /// Adds what came later.
    pub fn append(&mut self, later: &Tops<K, E>) {
        self.error += later.error;
        for (key, (times, example)) in &later.counts {
            self.insert(key.clone(), *times, || example.clone());
        }
        // Not before all are there, so that it does not matter in which order the map gives them.
        self.drop_rare();
    }

    /// Drops rare keys, if there are too many.
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

    /// How much too small a count may be; 0 if all are exact.
    pub fn error(&self) -> u64 {
        self.error
    }

    /// How many keys there are; at least so many, if there is an [error](Tops::error).
    pub fn len(&self) -> usize {
        self.counts.len()
    }

    /// The most frequent keys, the most frequent first; of the same count in the order of the keys.
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
        let mut tops: Tops<u32, u32> = Tops { limit: 100, ..Tops::default() };
        for number in 0..1000 {
            tops.add(number % 10, 1, || number);
        }
        tops.add(3, 5, || 0);
        assert_eq!(tops.most_frequent(3), [(&3, 105, &3), (&0, 100, &0), (&1, 100, &1)]);
        assert_eq!((tops.error(), tops.len()), (0, 10));
    }

    #[test]
    fn counts_of_many_keys_are_off_by_no_more_than_the_error() {
        // Key k comes 1000/k times, in parts that are counted apart, and many keys once.
        let mut whole: Tops<u32, ()> = Tops { limit: 50, ..Tops::default() };
        let mut lines = 0;
        for part in 0..10u32 {
            let mut tops: Tops<u32, ()> = Tops { limit: 50, ..Tops::default() };
            for key in 1..=100 {
                tops.add(key, u64::from(100 / key), || ());
                lines += u64::from(100 / key);
            }
            for once in 0..300 {
                tops.add(1000 + 300 * part + once, 1, || ());
                lines += 1;
            }
            whole.append(&tops);
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
