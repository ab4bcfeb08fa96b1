//! The union of sorted lists of URLs: the lists of several policies, or the sorted runs of a policy that is being
//! compiled.
//!
//! [`derive`] derives the state of each origin from the union, and writes both. An origin may redirect to a URL that
//! comes later in the order of URLs, so the answers of all redirect [`Targets`] are collected first. There may be as
//! many targets as origins, so they are encoded in a [`Spool`].

use std::cmp::Ordering;
use std::convert::Infallible;
use std::iter::Map;
use std::sync::atomic::Ordering::Relaxed;

use super::image::{
    ItemSource, SpillFolder, Spool, UrlRecord, UrlRecords, Writer, compare_rules, hash_of_target, push_url,
};
use super::resolve::Resolved;
use super::statistics::{CompileProgress, Statistics};
use super::url_answers::UrlAnswers;
use crate::error::policy::Error;
use crate::formats::bytes::push_number;
use crate::formats::external_sort::Merge;
use crate::formats::memory::FileTable;
use crate::threads;

pub(super) type UrlList<'p> = Box<dyn Iterator<Item = UrlRecord<'p>> + 'p>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverridesFrom {
    /// The overrides of all policies; of two for one origin, the stricter.
    All,
    /// For each origin the override of the last policy, if it has one, otherwise the strictest of the others.
    LastOfEach,
    /// Only the overrides of the last policy.
    Last,
}

/// The URLs of several lists, which cannot fail: this process has written or checked them.
type MergedUrls<'p> = Merge<
    Map<UrlList<'p>, fn(UrlRecord<'p>) -> Result<UrlRecord<'p>, Infallible>>,
    UrlRecord<'p>,
    fn(&UrlRecord<'p>, &UrlRecord<'p>) -> Ordering,
>;

/// The URLs of several lists, in order, each with the combined answers of all lists.
pub(super) struct Union<'p> {
    urls: MergedUrls<'p>,
    /// The number of the last list.
    last: usize,
    sources: Vec<ItemSource<'p>>,
    from: OverridesFrom,
    /// The origins whose overrides contradict each other.
    pub contradictions: Vec<String>,
}

impl<'p> Union<'p> {
    /// The union of sorted lists, whose rules are in the sources.
    pub fn new(lists: Vec<UrlList<'p>>, sources: Vec<ItemSource<'p>>, from: OverridesFrom) -> Union<'p> {
        let last = lists.len().saturating_sub(1);
        let order =
            |one: &UrlRecord<'p>, other: &UrlRecord<'p>| (one.origin, one.path).cmp(&(other.origin, other.path));
        let lists = lists.into_iter().map(|list| list.map(Ok as fn(_) -> _)).collect();
        let Ok(urls) = MergedUrls::new(lists, order);
        Union { urls, last, sources, from, contradictions: Vec::new() }
    }

    /// The next wanted URL; `is_wanted` gets its origin and its path. Other URLs are passed over.
    fn next_of(&mut self, is_wanted: impl Fn(&[u8], &[u8]) -> bool) -> Option<UrlRecord<'p>> {
        while let Some(&UrlRecord { origin, path, .. }) = self.urls.peek() {
            threads::check();
            let folded = self.folded(origin, path, is_wanted(origin, path));
            // An origin whose only override was removed has no answers.
            if let Some(url) = folded.filter(|url| !url.stored.is_empty()) {
                return Some(url);
            }
        }
        None
    }

    /// Takes a URL from all lists that have it next; returns it if it is wanted.
    fn folded(&mut self, origin: &[u8], path: &[u8], is_wanted: bool) -> Option<UrlRecord<'p>> {
        let mut folded: Option<UrlRecord<'p>> = None;
        while self.urls.peek().is_some_and(|next| (next.origin, next.path) == (origin, path)) {
            let Ok(Some((list, mut url))) = self.urls.next() else { break };
            if !is_wanted {
                continue;
            }
            let is_last = list == self.last;
            if self.from == OverridesFrom::Last && !is_last && url.stored.placement.is_some() {
                url.stored.to_mut().placement = None;
            }
            match &mut folded {
                Some(folded) => self.fold(folded, url, is_last),
                none => *none = Some(url),
            }
        }
        folded
    }

    /// Adds what another list has of the same URL.
    fn fold(&mut self, folded: &mut UrlRecord<'p>, other: UrlRecord<'p>, is_last: bool) {
        let (stored, other) = (folded.stored.to_mut(), other.stored.into_owned());
        if self.from != OverridesFrom::All && is_last && other.placement.is_some() {
            stored.placement = None;
        }
        if stored.merge(other, &|one, other| compare_rules(&self.sources, one, other)) {
            self.contradictions.push(String::from_utf8_lossy(folded.origin).into_owned());
        }
    }
}

impl<'p> Iterator for Union<'p> {
    type Item = UrlRecord<'p>;

    fn next(&mut self) -> Option<UrlRecord<'p>> {
        self.next_of(|_, _| true)
    }
}

/// Writes the URLs of a union, and the origins derived from them; `known` returns the answers of a redirect target, if it was
/// requested. Completes the statistics.
pub(super) fn derive(
    union: &mut Union<'_>,
    writer: &mut Writer<'_>,
    known: impl Fn(&str) -> Option<UrlAnswers>,
    statistics: &mut Statistics,
    progress: &CompileProgress,
) -> Result<(), Error> {
    for url in union {
        count_tie(&url, statistics);
        for answer in url.stored.kept.answers() {
            *statistics.answers.entry(answer.kind).or_default() += 1;
            // A file named by a host is for http and https, and counts once.
            let is_again = !answer.exact && url.origin.starts_with(b"https:");
            answer.notes.iter().filter(|_| !is_again).for_each(|notes| statistics.notes.merge(notes));
        }
        if !url.is_of_origin() {
            statistics.other_urls += 1;
            writer.add(url, None)?;
            continue;
        }
        let mut resolved = Resolved::of(&url.stored.kept, writer.dialect, &known);
        if let Some(placement) = &url.stored.placement {
            placement.apply(&mut resolved);
            statistics.notes.merge(&placement.notes);
            statistics.overridden += 1;
        }
        statistics.last_good += u64::from(resolved.state.last_good.is_some());
        progress.written.fetch_add(1, Relaxed);
        writer.add(url, Some(&resolved))?;
    }
    Ok(())
}

/// Counts a URL if only bytes could decide between its answers. URLs come in order, so the first such URL does not
/// depend on how the sources were read.
fn count_tie(url: &UrlRecord<'_>, statistics: &mut Statistics) {
    let Some(answer) = url.stored.kept.newest_tied() else { return };
    let captures = &mut statistics.captures;
    let count = if answer.fetched_at.is_some() { &mut captures.same_time } else { &mut captures.without_time };
    *count += 1;
    let text = || String::from_utf8_lossy(&[url.origin, url.path].concat()).into_owned();
    statistics.first_tie.get_or_insert_with(text);
}

#[derive(Debug)]
pub(super) struct Targets {
    records: Spool,
    /// The hash of each URL, and where its record begins.
    places: FileTable<(u64, u64)>,
}

impl Targets {
    /// The URLs of a union that have one of these [hashes](hash_of_target).
    pub fn collect<'u>(
        hashes: impl Iterator<Item = u64>,
        union: impl FnOnce() -> Union<'u>,
        spill: &SpillFolder,
    ) -> Result<Targets, Error> {
        let memory = spill.tables();
        let (mut wanted, mut places) = (FileTable::new(&memory), FileTable::new(&memory));
        for hash in hashes {
            if wanted.find(hash, |&known| known == hash).is_none() {
                wanted.insert(hash, |&hash| hash).map_err(|error| spill.failed(error))?;
            }
        }
        let (mut records, mut bytes) = (Spool::new(spill, Vec::new()), Vec::new());
        if !wanted.is_empty() {
            let mut all = union();
            let is_wanted = |origin: &[u8], path: &[u8]| {
                let hash = hash_of_target(&[origin, path].concat());
                wanted.find(hash, |&known| known == hash).is_some()
            };
            while let Some(url) = all.next_of(is_wanted) {
                let place = (hash_of_target(&[url.origin, url.path].concat()), records.len());
                places.insert(place, |&(hash, _)| hash).map_err(|error| spill.failed(error))?;
                bytes.clear();
                push(&url, &mut bytes);
                records.write(&bytes)?;
            }
        }
        Ok(Targets { records, places })
    }

    /// The answers of a URL, if they were collected.
    pub fn get(&self, url: &str) -> Option<UrlAnswers> {
        let hash = hash_of_target(url.as_bytes());
        let mut found = None;
        self.places.find(hash, |&(other, place)| {
            found = if other == hash { self.read(place, url) } else { None };
            found.is_some()
        });
        found
    }

    /// The answers in the record at a place, if it is that of a URL.
    fn read(&self, place: u64, url: &str) -> Option<UrlAnswers> {
        let mut records = UrlRecords::new(&self.records.bytes()[place as usize..], std::iter::empty(), 0);
        // It was written by this process.
        let record = records.read().ok().flatten()?;
        if [record.origin, record.path].concat() != url.as_bytes() {
            return None;
        }
        let mut sources = records.rest();
        let mut kept = record.stored.into_owned().kept;
        kept.rules_mut().for_each(|rules| rules.source = sources.small().unwrap_or_default());
        Some(kept)
    }
}

/// Appends a record, and after it the source of each answer's rules.
fn push(url: &UrlRecord<'_>, out: &mut Vec<u8>) {
    push_url(url, None, out);
    let with_rules = url.stored.kept.answers().iter().filter(|answer| answer.kind.has_rules());
    with_rules.for_each(|answer| push_number(u64::from(answer.rules().source), out));
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::*;
    use crate::dialect::AnswerKind;
    use crate::policy::union::OverridesFrom;
    use crate::policy::url_answers::{Content, Failures, StoredAnswer, StoredRules};
    use crate::policy::urls::StoredUrl;

    #[test]
    fn targets_keep_the_sources_of_their_rules() {
        let folder = tempfile::tempdir().unwrap();
        let spill = SpillFolder { folder: folder.path().to_owned(), limit: 10 };
        let answer = |kind: AnswerKind, source: u32| StoredAnswer {
            kind,
            exact: true,
            status: Some(200),
            flaw: None,
            fetched_at: Some(i64::from(source)),
            expires: None,
            content: Content::Rules(StoredRules { source, row: source + 1, side: source + 2 }),
            notes: None,
        };
        let kept = |number: u32| {
            let answers = [answer(AnswerKind::HtmlPage, number), answer(AnswerKind::RobotsTxt, 1000 * number)];
            UrlAnswers::of(answers.into_iter().collect(), Failures::new(Some(5), None))
        };
        let paths: Vec<String> = (100..300).map(|number| format!("/{number}")).collect();
        let urls = || {
            let urls = (100..300).zip(&paths).map(|(number, path)| UrlRecord {
                origin: b"http://a",
                path: path.as_bytes(),
                stored: Cow::Owned(StoredUrl { kept: kept(number), placement: None }),
            });
            Union::new(vec![Box::new(urls)], Vec::new(), OverridesFrom::All)
        };
        let wanted = (100..200).map(|number| hash_of_target(format!("http://a/{number}").as_bytes()));
        let targets = Targets::collect(wanted.chain([7]), urls, &spill).unwrap();
        for number in 0..300 {
            let expected = (100..200).contains(&number).then(|| kept(number));
            assert_eq!(targets.get(&format!("http://a/{number}")), expected, "{number}");
        }
        let none = Targets::collect(std::iter::empty(), || unreachable!("nothing is wanted"), &spill).unwrap();
        assert_eq!(none.get("http://a/100"), None);
    }
}
