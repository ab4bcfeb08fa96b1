//! The crawlers that may not fetch a URL, as sets.
//!
//! Of many crawlers, nearly all agree on most URLs, so few sets occur: each stands once, and a URL has its number.

use std::collections::HashMap;

use super::outcomes::{Difference, Outcomes};
use crate::outcome::Partition;

/// Sets that are kept from one call to the next.
const KEPT: usize = 4096;

/// For each of many URLs, the crawlers that may not fetch it: those that it is blocked for, and those that it is deferred for.
///
/// What is not a URL is blocked for all of them, since nobody can fetch it.
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

    /// Finds the sets of URLs with these outcomes. If they are those of more crawlers than there are names, only the first count.
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
