//! Judges the URLs of origins that layers over a policy change.
//!
//! In the hot path, the entries of such origins belong to no origin, so their URLs are among the unknown ones. Those that the
//! layers know are taken out of these and judged by the same steps, as a batch of their own.

use super::batch_arrays::BatchArrays;
use super::outcomes::Outcomes;
use super::urls::{Readable, Urls};
use crate::outcome::Outcome;
use crate::policy::{self, Lookup};

/// The URLs of a batch that layers judge, and their outcomes for each crawler.
#[derive(Debug, Default)]
pub(super) struct Changed {
    urls: Vec<u8>,
    starts: Vec<u32>,
    ends: Vec<u32>,
    second_looks: Vec<u8>,
    pub outcomes: Outcomes,
    /// The arrays of the batch; `None` until there is one.
    pub arrays: Option<Box<BatchArrays>>,
}

impl Changed {
    /// Takes the URLs whose origins the layers have out of the unknown ones of a batch. Returns whether there are any.
    pub fn take(&mut self, lookup: &Lookup<'_>, batch: &Readable<'_>, arrays: &mut BatchArrays) -> bool {
        self.urls.clear();
        let mut left = 0;
        for place in 0..arrays.unknown.count {
            let url = arrays.unknown.items[place];
            if has_key(lookup, arrays, usize::from(url)) {
                self.urls.push(url);
            } else {
                arrays.unknown.items[left] = url;
                left += 1;
            }
        }
        arrays.unknown.count = left;
        self.starts.clear();
        self.ends.clear();
        self.second_looks.clear();
        for at in self.urls.iter().map(|&url| usize::from(url)) {
            self.starts.push(batch.starts[at]);
            self.ends.push(batch.ends[at]);
            self.second_looks.push(batch.second_looks[at]);
        }
        !self.urls.is_empty()
    }

    /// The URLs taken, as URLs of `batch`'s text.
    pub fn urls<'u>(&'u self, batch: &Readable<'u>) -> Urls<'u> {
        Urls {
            text: batch.text,
            starts: &self.starts,
            ends: &self.ends,
            gap: batch.gap,
            second_looks: &self.second_looks,
        }
    }

    /// The URLs, by their numbers in the batch, with their outcomes for most crawlers.
    pub fn most(&self) -> impl Iterator<Item = (u8, Outcome)> {
        self.urls.iter().copied().zip(self.outcomes.most().iter().copied())
    }

    /// The outcomes that differ from those: the URL, the crawler, and the outcome.
    pub fn differences(&self) -> impl Iterator<Item = (u8, u16, Outcome)> {
        let all = self.outcomes.differences().iter();
        all.map(|difference| (self.urls[difference.url as usize], difference.crawler, difference.outcome))
    }
}

/// Whether the slot of a URL's key has the entry of its origin.
fn has_key(lookup: &Lookup<'_>, arrays: &BatchArrays, url: usize) -> bool {
    let rest = arrays.rest[url].map(u64::from_le);
    let length = u64::from(arrays.lengths[url]);
    let hash = policy::hash(arrays.first[url], rest, length, lookup.seed());
    let slot = lookup.slot(hash, lookup.pilot(lookup.bucket(hash)));
    lookup.entry(slot).has_key(arrays.first[url], rest, length)
}
