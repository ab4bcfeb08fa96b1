//! The union of sorted lists of URLs: those of policies, or the runs of one that is compiled.

use hashbrown::HashSet;
use xxhash_rust::xxh3::xxh3_128;

use super::answer::{AnswerKind, Urls};
use super::image::{Sources, UrlRecord, WriteError};

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

/// The URLs of several lists, in order, each with what all of them keep for it.
pub(super) struct Union<'p> {
    /// The next URL of each list, and those after it.
    heads: Vec<Option<UrlRecord<'p>>>,
    others: Vec<UrlList<'p>>,
    sources: Sources<'p>,
    from: OverridesFrom,
    pub disagreements: Disagreements,
}

impl<'p> Union<'p> {
    /// The union of sorted lists, whose rules are those of the sources.
    pub fn new(mut others: Vec<UrlList<'p>>, sources: Sources<'p>, from: OverridesFrom) -> Union<'p> {
        let heads = others.iter_mut().map(Iterator::next).collect();
        Union { heads, others, sources, from, disagreements: Disagreements::default() }
    }

    /// The next URL.
    pub fn next(&mut self) -> Result<Option<UrlRecord<'p>>, WriteError> {
        while let Some(url) = self.folded()? {
            // An origin whose only override is gone was never asked for.
            if url.placement.is_some() || !url.kept.answers().is_empty() {
                return Ok(Some(url));
            }
        }
        Ok(None)
    }

    fn folded(&mut self) -> Result<Option<UrlRecord<'p>>, WriteError> {
        let key = |head: &UrlRecord<'p>| (head.origin, head.path);
        let Some(least) = self.heads.iter().flatten().map(key).min() else { return Ok(None) };
        let mut folded: Option<UrlRecord<'p>> = None;
        for at in 0..self.heads.len() {
            if self.heads[at].as_ref().map(key) != Some(least) {
                continue;
            }
            let next = self.others[at].next();
            let Some(mut url) = std::mem::replace(&mut self.heads[at], next) else { continue };
            if self.from == OverridesFrom::Last && at + 1 < self.heads.len() {
                url.placement = None;
            }
            match &mut folded {
                Some(folded) => self.fold(folded, url, at + 1 == self.heads.len())?,
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

/// The answers of the targets of redirects, in a union that can be made again and again.
pub(super) fn targets<'p>(union: impl Fn() -> Union<'p>) -> Result<Urls, WriteError> {
    let (mut wanted, mut all) = (HashSet::new(), union());
    while let Some(url) = all.next()? {
        let target = url.kept.of_kind(AnswerKind::Redirect).and_then(|redirect| redirect.target());
        wanted.extend(target.map(|target| xxh3_128(target.as_bytes())));
    }
    let (mut targets, mut all) = (Urls::default(), union());
    while !wanted.is_empty()
        && let Some(UrlRecord { origin, path, kept, .. }) = all.next()?
    {
        let url = [origin, path].concat();
        if wanted.contains(&xxh3_128(&url)) {
            let url = String::from_utf8_lossy(&url).into();
            targets.entry(url).kept = kept.into_owned();
        }
    }
    Ok(targets)
}
