//! Memory for judging, besides the policy: the arrays between the steps of the [hot path](super::batch).
//!
//! In the hot path, entries of origins that layers over a policy change match no origin, so their URLs are first among
//! the unknown ones. URLs whose origins the layers have are then taken out and judged by the same steps, as a separate
//! batch (`Changed`).

use std::cell::Cell;
use std::iter::Peekable;
use std::ops::Range;

use super::lines::{LONGEST, Lines, find_second_looks};
use super::outcomes::Outcomes;
use super::preferred::KnownPreferences;
use super::urls::{PADDING, Places, Readable, UrlCounts};
use crate::automaton;
use crate::formats::memory_budget::CacheMemory;
use crate::outcome::Outcome;
use crate::policy::{self, Lookup};

/// A thread's memory for judging, reused.
#[derive(Debug)]
pub struct Scratch {
    pub(crate) walk: automaton::Scratch,
    /// `None` before they are first used, and while they are in use.
    pub(super) arrays: Option<Box<BatchArrays>>,
    /// For the URLs whose origins layers change.
    pub(super) changed: Option<Box<Changed>>,
    pub(super) lines: Lines,
    /// The URLs that are judged together, and where they are.
    pub(super) text: Vec<u8>,
    pub(super) places: Places,
    /// Whether a tab inside makes a URL invalid.
    pub(super) refuses_tabs: bool,
    /// Preferences about uses of pages, if they are needed.
    pub(crate) preferences: KnownPreferences,
    /// Odd URLs.
    pub counts: UrlCounts,
}

/// Bytes of URLs that are judged together.
const TOGETHER: usize = 1 << 18;

/// Spans that are judged together.
const SPANS: usize = 4096;

impl Default for Scratch {
    fn default() -> Scratch {
        Scratch::within(&mut CacheMemory::outside_jobs())
    }
}

impl Scratch {
    /// With caches in this memory.
    pub(crate) fn within(caches: &mut CacheMemory) -> Scratch {
        Scratch {
            walk: automaton::Scratch::default(),
            arrays: None,
            changed: None,
            lines: Lines::default(),
            text: Vec::new(),
            places: Places::default(),
            refuses_tabs: false,
            preferences: caches.cache(),
            counts: UrlCounts::default(),
        }
    }

    /// Takes the next URLs, as many as are judged together; none if the first is too long for 32-bit offsets.
    pub(super) fn take<'u>(&mut self, urls: &mut Peekable<impl Iterator<Item = &'u [u8]>>) {
        self.text.clear();
        self.places.clear();
        let fits = |text: &[u8], url: &[u8]| {
            if text.is_empty() { url.len() <= LONGEST - PADDING } else { text.len() + url.len() < TOGETHER }
        };
        while let Some(url) = urls.next_if(|url| fits(&self.text, url)) {
            let start = self.text.len();
            self.text.extend_from_slice(url);
            self.places.push(start, self.text.len());
        }
        let Places { starts, ends, second_looks } = &mut self.places;
        find_second_looks(&self.text, starts, ends, second_looks);
        self.text.resize(self.text.len() + PADDING, 0);
    }
}

impl Places {
    /// Takes the next spans, as long as their offsets from `base` fit in 32 bits; returns the text from there on.
    pub(super) fn take<'t>(
        &mut self,
        text: &'t [u8],
        base: usize,
        spans: &mut Peekable<impl Iterator<Item = Range<usize>>>,
    ) -> &'t [u8] {
        let window = &text[base.min(text.len())..text.len().min(base.saturating_add(LONGEST))];
        self.clear();
        let fits =
            |span: &Range<usize>| base <= span.start && span.start <= span.end && span.end - base <= window.len();
        while self.starts.len() < SPANS
            && let Some(span) = spans.next_if(fits)
        {
            self.push(span.start - base, span.end - base);
        }
        find_second_looks(window, &self.starts, &self.ends, &mut self.second_looks);
        window
    }
}

/// Lends out the thread's scratches. Meanwhile their cell is empty, because a caller's `as_ref` may call this function
/// again.
pub(super) fn with_scratches<T>(judge: impl FnOnce(&mut [Scratch; 2]) -> T) -> T {
    // Boxed, because a URL that is judged alone takes less time than moving them.
    thread_local!(static SCRATCHES: Cell<Option<Box<[Scratch; 2]>>> = const { Cell::new(None) });
    let mut scratches = SCRATCHES.take().unwrap_or_default();
    let judged = judge(&mut scratches);
    SCRATCHES.set(Some(scratches));
    judged
}

/// How many URLs go through a step together: enough for cache misses to overlap, and few enough for their arrays to
/// stay in the first-level cache.
pub(super) const BATCH: usize = 256;

/// The length of a key that no entry can have: the authority may continue past the key's bytes, or the URL ends before
/// the key does.
pub(super) const NO_KEY: u32 = u32::MAX;

/// A path that an automaton decides.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Item {
    pub(super) automaton: u32,
    /// Where the path begins and ends in the text.
    pub(super) start: u32,
    pub(super) end: u32,
    /// The number of the URL in the batch.
    pub(super) url: u8,
    /// The outcomes if the automaton allows, and if it blocks.
    pub(super) outcomes: [Outcome; 2],
}

/// The crawlers that an item is judged for, if not for most.
#[derive(Debug, Clone, Copy)]
pub(super) struct Other {
    /// The number of the URL in the batch.
    pub(super) line: u8,
    /// The place of its origin's row.
    pub(super) row: u32,
    pub(super) of: Of,
}

/// Some crawlers of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Of {
    /// The crawlers in the classes from this one on that have the same automaton.
    Class(usize),
    /// This crawler, which has several columns.
    List(u16),
}

/// The arrays between the steps; one for each thread, reused.
///
/// URLs of a batch are numbered by bytes, which need no bounds check in arrays of 256.
#[derive(Debug)]
pub(super) struct BatchArrays {
    pub(super) hashes: [u64; BATCH],
    pub(super) first: [u64; BATCH],
    /// In the byte order of the file.
    pub(super) rest: [[u64; 4]; BATCH],
    /// The length of the key; [`NO_KEY`] if it is not one.
    pub(super) lengths: [u32; BATCH],
    /// Where the path begins, if there is a key, and where it ends.
    pub(super) paths: [u32; BATCH],
    pub(super) ends: [u32; BATCH],
    /// For URLs that stay untidy, how many bytes of the path are known to be in normal form.
    pub(super) kept: [u32; BATCH],
    pub(super) slots: [u32; BATCH],
    pub(super) outcomes: [Outcome; BATCH],
    /// URLs of known origins whose path is in normal form.
    pub(super) known: BatchList<u8>,
    /// URLs of known origins whose path may not be in normal form; after step 4, URLs whose path is not.
    pub(super) untidy: BatchList<u8>,
    /// URLs whose origin, as written, is not in the table.
    pub(super) unknown: BatchList<u8>,
    /// Paths for the front.
    pub(super) items: BatchList<Item>,
    /// Indices of the items to probe for prefixes.
    pub(super) probing: BatchList<u8>,
    /// Indices of the items to probe for triples.
    pub(super) asking: BatchList<u8>,
    /// Indices of the items to walk.
    pub(super) walks: BatchList<u8>,
    /// The lanes of the prefixes found for an item.
    pub(super) lanes: [u8; BATCH],
    /// The crawlers of the items, if these are for some crawlers only.
    pub(super) others: Vec<Other>,
}

/// A list with room for a batch.
#[derive(Debug)]
pub(super) struct BatchList<T> {
    pub(super) items: [T; BATCH],
    pub(super) count: usize,
}

impl<T: Copy + Default> Default for BatchList<T> {
    fn default() -> BatchList<T> {
        BatchList { items: [T::default(); BATCH], count: 0 }
    }
}

impl<T> BatchList<T> {
    pub(super) fn items(&self) -> &[T] {
        &self.items[..self.count]
    }
}

/// A list that a step appends to without a branch. Its count is kept in a register meanwhile.
pub(super) struct Append<'l, T> {
    pub(super) items: &'l mut [T; BATCH],
    pub(super) count: usize,
}

impl<'l, T> Append<'l, T> {
    /// Starts with an empty list.
    #[inline(always)]
    pub(super) fn to(items: &'l mut [T; BATCH]) -> Append<'l, T> {
        Append { items, count: 0 }
    }

    /// Appends an item if it is `wanted`. There is room for one item for each URL.
    #[inline(always)]
    pub(super) fn push_if(&mut self, wanted: bool, item: T) {
        // A mask is cheaper than a bounds check, and never changes the index: nothing is appended to a full list.
        self.items[self.count % BATCH] = item;
        self.count += usize::from(wanted);
    }
}

impl Default for BatchArrays {
    fn default() -> BatchArrays {
        BatchArrays {
            hashes: [0; BATCH],
            first: [0; BATCH],
            rest: [[0; 4]; BATCH],
            lengths: [0; BATCH],
            paths: [0; BATCH],
            ends: [0; BATCH],
            kept: [0; BATCH],
            slots: [0; BATCH],
            outcomes: [Outcome::NONE; BATCH],
            known: BatchList::default(),
            untidy: BatchList::default(),
            unknown: BatchList::default(),
            items: BatchList::default(),
            probing: BatchList::default(),
            asking: BatchList::default(),
            walks: BatchList::default(),
            lanes: [0; BATCH],
            others: Vec::new(),
        }
    }
}

/// The URLs of a batch that layers judge, and their outcomes for each crawler.
#[derive(Debug, Default)]
pub(super) struct Changed {
    urls: Vec<u8>,
    pub places: Places,
    pub outcomes: Outcomes,
    /// The arrays of their batch, while those of the thread are in use; `None` until there is one.
    pub arrays: Option<Box<BatchArrays>>,
}

impl Changed {
    /// Takes URLs whose origins the layers have out of a batch's unknown URLs. Returns whether there are any.
    pub fn take(&mut self, lookup: &Lookup<'_>, batch: &Readable<'_>, arrays: &mut BatchArrays) -> bool {
        self.urls.clear();
        self.places.clear();
        let mut left = 0;
        for place in 0..arrays.unknown.count {
            let url = arrays.unknown.items[place];
            let at = usize::from(url);
            if has_key(lookup, arrays, at) {
                self.urls.push(url);
                self.places.push(batch.starts[at] as usize, batch.ends[at] as usize);
                self.places.second_looks.push(batch.second_looks[at]);
            } else {
                arrays.unknown.items[left] = url;
                left += 1;
            }
        }
        arrays.unknown.count = left;
        !self.urls.is_empty()
    }

    /// The URLs, by their numbers in the batch, with their outcomes for most crawlers.
    pub fn most(&self) -> impl Iterator<Item = (u8, Outcome)> {
        self.urls.iter().copied().zip(self.outcomes.most().iter().copied())
    }

    /// The outcomes that differ from the outcome for most crawlers: the URL, the crawler, and the outcome.
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
