//! The union of sorted lists of URLs: those of policies, or the runs of one that is compiled.
//!
//! What the origins come to is derived from it, and both are written (`Deriving`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;

use super::answer::{Hops, Kept, Resolver};
use super::error::WriteError;
use super::image::{Sources, UrlRecord, Writer};
use super::statistics::{CompileProgress, Statistics};
use crate::dialect::Dialect;

/// URLs in order.
pub(super) type UrlList<'p> = Box<dyn Iterator<Item = UrlRecord<'p>> + 'p>;

/// Which overrides count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverridesFrom {
    /// Those of all policies, the stricter of two.
    All,
    /// For each origin that of the last policy, if it has one, else those of the others, the stricter of two.
    LastOfEach,
    /// Those of the last policy only.
    Last,
}

/// What the merged policies disagree about.
#[derive(Debug, Default)]
pub(super) struct Disagreements {
    /// Pairs of answers without a time, of which only the bytes could choose one.
    pub without_time: u64,
    /// The origins whose overrides contradict each other.
    pub contradictions: Vec<String>,
}

/// A URL, split before its path, and the number of the list that has it next.
type Head<'p> = Reverse<(&'p [u8], &'p [u8], usize)>;

/// The URLs of several lists, in order, each with what all of them keep for it.
pub(super) struct Union<'p> {
    lists: Vec<UrlList<'p>>,
    /// The next URL of each list; `None` at its end.
    next: Vec<Option<UrlRecord<'p>>>,
    /// Those URLs, the least first.
    heads: BinaryHeap<Head<'p>>,
    sources: Sources<'p>,
    from: OverridesFrom,
    pub disagreements: Disagreements,
}

impl<'p> Union<'p> {
    /// The union of sorted lists, whose rules are those of the sources.
    pub fn new(lists: Vec<UrlList<'p>>, sources: Sources<'p>, from: OverridesFrom) -> Union<'p> {
        let (next, disagreements) = (vec![None; lists.len()], Disagreements::default());
        let mut union = Union { lists, next, heads: BinaryHeap::new(), sources, from, disagreements };
        for at in 0..union.lists.len() {
            union.take(at);
        }
        union
    }

    /// Takes the next URL of a list.
    fn take(&mut self, at: usize) -> Option<UrlRecord<'p>> {
        let next = self.lists[at].next();
        self.heads.extend(next.iter().map(|url| Reverse((url.origin, url.path, at))));
        std::mem::replace(&mut self.next[at], next)
    }

    /// The next URL.
    pub fn next(&mut self) -> Result<Option<UrlRecord<'p>>, WriteError> {
        self.next_of(|_, _| true)
    }

    /// The next URL that is wanted, given its origin and its path; the others are passed over.
    pub fn next_of(&mut self, is_wanted: impl Fn(&[u8], &[u8]) -> bool) -> Result<Option<UrlRecord<'p>>, WriteError> {
        while let Some(&Reverse((origin, path, _))) = self.heads.peek() {
            let folded = self.folded(origin, path, is_wanted(origin, path))?;
            // An origin whose only override is gone was never asked for.
            if let Some(url) = folded
                && (url.placement.is_some() || !url.kept.answers().is_empty())
            {
                return Ok(Some(url));
            }
        }
        Ok(None)
    }

    /// Takes a URL from all lists that have it next; returns it if it is wanted.
    fn folded(&mut self, origin: &[u8], path: &[u8], is_wanted: bool) -> Result<Option<UrlRecord<'p>>, WriteError> {
        let mut folded: Option<UrlRecord<'p>> = None;
        while let Some(&Reverse((next_origin, next_path, at))) = self.heads.peek()
            && (next_origin, next_path) == (origin, path)
        {
            self.heads.pop();
            let Some(mut url) = self.take(at).filter(|_| is_wanted) else { continue };
            let is_last = at + 1 == self.lists.len();
            if self.from == OverridesFrom::Last && !is_last {
                url.placement = None;
            }
            match &mut folded {
                Some(folded) => self.fold(folded, url, is_last)?,
                none => *none = Some(url),
            }
        }
        Ok(folded)
    }

    /// Adds what another list keeps for the same URL.
    fn fold(&mut self, folded: &mut UrlRecord<'p>, other: UrlRecord<'p>, is_last: bool) -> Result<(), WriteError> {
        let kept = folded.kept.to_mut();
        self.disagreements.without_time += kept.merge(other.kept.into_owned(), &mut self.sources)?;
        match (&mut folded.placement, other.placement) {
            (_, None) => {}
            (Some(known), Some(other)) if self.from == OverridesFrom::All || !is_last => {
                if known.merge(other, &mut self.sources)? {
                    self.disagreements.contradictions.push(String::from_utf8_lossy(folded.origin).into_owned());
                }
            }
            (known, other) => *known = other,
        }
        Ok(())
    }
}

/// Writes URLs, and the origins derived from them, in order.
pub(super) struct Deriving<'d, 's, K> {
    pub writer: Writer<'s>,
    /// The answers of a URL that a redirect leads to, if it was asked.
    pub known: K,
    pub dialect: &'static Dialect,
    /// Completed with what is written.
    pub statistics: Statistics,
    pub progress: &'d CompileProgress,
}

impl<K: Fn(&str) -> Option<Kept>> Deriving<'_, '_, K> {
    /// Adds the next URL.
    pub fn add(&mut self, url: UrlRecord<'_>) -> Result<(), WriteError> {
        let statistics = &mut self.statistics;
        for answer in url.kept.answers() {
            *statistics.answers.entry(answer.kind).or_default() += 1;
            // A file named by a host is for http and https, and counts once.
            let is_again = !answer.exact && url.origin.starts_with(b"https:");
            answer.notes.iter().filter(|_| !is_again).for_each(|notes| statistics.notes.merge(notes));
        }
        if !url.is_of_origin() {
            statistics.other_urls += 1;
            return self.writer.add(url, None);
        }
        let hops = Hops::within(self.dialect, &url.kept, &self.known);
        let mut resolved = Resolver { hops: &hops, dialect: self.dialect }.resolve(&url.kept);
        if let Some(placement) = &url.placement {
            placement.apply(&mut resolved);
            statistics.notes.merge(&placement.notes);
            statistics.overridden += 1;
        }
        statistics.last_good += u64::from(resolved.state.last_good.is_some());
        self.progress.written.fetch_add(1, Relaxed);
        self.writer.add(url, Some(&resolved))
    }
}
