//! A site's preferences about uses of a page, looked up by the URL.
//!
//! A policy stores the records. Preferences are compiled from them on first use, once in each thread for each distinct
//! list of records.

use hashbrown::HashMap;
use std::sync::Arc;

use super::view::JudgeView;
use crate::dialect::Dialect;
use crate::formats::memory_budget::{Cache, Share};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::Record;
use crate::preferences::{Preference, PreferenceColumn, PreferenceLine, Preferences, Preferred, Requirements};
use crate::robots::SideRecord;
use crate::rules::chosen::KeptRule;
use crate::{automaton, origin};

/// What a list takes besides its records, in bytes.
const PER_LIST: usize = 256;

/// A thread's preferences, by the records that they follow from.
#[derive(Debug)]
pub(crate) struct KnownPreferences {
    memory: Share,
    known: HashMap<Vec<u8>, Arc<Preferences>>,
    /// The bytes of the records known.
    bytes: usize,
    /// The same by the address of the policy or layers, the list and the column; for one call only, because the next call may have
    /// another policy at this address.
    by_place: HashMap<(usize, u32, usize), Option<Arc<Preferences>>>,
    walk: automaton::Scratch,
}

/// Nearly all sites have one of a few short lists of records; a hostile one may be as long as its robots.txt. The last list stays,
/// whatever it takes.
impl Cache for KnownPreferences {
    const MOST: u64 = 1 << 20;

    fn within(memory: Share) -> KnownPreferences {
        let (known, by_place, walk) = Default::default();
        KnownPreferences { memory, known, bytes: 0, by_place, walk }
    }
}

impl KnownPreferences {
    /// The preferences in these records, which are for one crawler; `None` if there are none.
    pub fn of(&mut self, records: &[SideRecord<'_>], dialect: &Dialect) -> Option<Arc<Preferences>> {
        let mut key = PreferenceLine::key(records);
        if key.is_empty() {
            return None;
        }
        key.extend_from_slice(dialect.name.as_bytes());
        if let Some(known) = self.known.get(&key) {
            return Some(Arc::clone(known));
        }
        self.bytes += key.len() + PER_LIST;
        if self.bytes > self.memory.length() {
            self.known.clear();
            self.by_place.clear();
            self.bytes = key.len() + PER_LIST;
        }
        let found = Arc::new(Preferences::of(records, dialect));
        self.known.insert(key, Arc::clone(&found));
        Some(found)
    }

    /// The preferences in these records about uses of the page with a path in normal form; `None` if there are none.
    pub fn preferred(&mut self, records: &[SideRecord<'_>], dialect: &Dialect, path: &[u8]) -> Option<Preferred> {
        Some(self.of(records, dialect)?.preferred(path, &mut self.walk))
    }

    /// Begins a call, which may have another policy.
    pub fn begin(&mut self) -> BegunCall<'_> {
        // Clearing takes as long as it has room, so what a large call needed is not left to small ones.
        match self.by_place.capacity() > PLACES {
            true => self.by_place = HashMap::new(),
            false => self.by_place.clear(),
        }
        BegunCall(self)
    }
}

/// The most places that are in memory between calls.
const PLACES: usize = 1024;

/// What a call knows of preferences. Places are those of its policies, so nothing is known of them before it begins.
pub(crate) struct BegunCall<'k>(&'k mut KnownPreferences);

/// A page whose origin a policy knows.
pub(crate) struct Page<'p> {
    /// The view that judges it: that of the policy or of the layers over it.
    judge: JudgeView<'p>,
    record: Record<'p>,
    /// In normal form.
    path: Vec<u8>,
}

impl<'p> JudgeView<'p> {
    /// The page of a URL; `None` if the URL is invalid or its origin unknown.
    pub(crate) fn page(&self, url: &[u8]) -> Option<Page<'p>> {
        let url = origin::trimmed(url);
        let judge = self.of_changed(url).unwrap_or_else(|| self.clone());
        let (Some(record), end) = judge.find(url).ok()? else { return None };
        let dialect = judge.policy.dialect();
        let path = dialect.url_path.of(&url[end..]);
        let path = dialect.encoding.path(&path).into_owned();
        Some(Page { judge, record, path })
    }
}

impl Page<'_> {
    /// The line that refuses a required use of the page; `None` if the site is silent on it.
    pub fn refusing(
        &self,
        columns: &[usize],
        requirements: &Requirements,
        known: &mut KnownPreferences,
    ) -> Option<KeptRule> {
        let (column, _) = self.judge.groups.answered_by(columns).answer(self.record.row);
        let (policy, scope) = (self.judge.policy, self.judge.decisions.choices.content_signal);
        let mut lines = policy.side_records_with(&self.record, column, scope);
        lines.retain(|line| PreferenceLine::is_one(line.key));
        let mut refuse = |lines: &[SideRecord<'_>]| {
            let found = known.of(lines, policy.dialect());
            found.is_some_and(|found| requirements.are_refused(&found.preferred(&self.path, &mut known.walk)))
        };
        let alone: Vec<bool> = lines.iter().map(|line| refuse(std::slice::from_ref(line))).collect();
        // A line that would refuse the use may be overruled by a line with a longer path.
        let with_others = |at: usize| {
            let others = lines.iter().enumerate().filter(|&(other, _)| other == at || !alone[other]);
            others.map(|(_, line)| *line).collect::<Vec<_>>()
        };
        let line = &lines[(0..lines.len()).find(|&at| alone[at] && refuse(&with_others(at)))?];
        Some(KeptRule { allow: false, value: line.value.to_vec(), line: line.line, about_uses: Some(line.key) })
    }

    /// The preferences of the page for the crawler with these columns; `None` if there are none. They mean nothing if
    /// the page is blocked.
    pub fn preferred(&self, columns: &[usize], BegunCall(known): &mut BegunCall<'_>) -> Option<Preferred> {
        let side = self.record.side();
        // The first list is empty.
        if side == 0 {
            return None;
        }
        let (column, _) = self.judge.groups.answered_by(columns).answer(self.record.row);
        let (policy, scope) = (self.judge.policy, self.judge.decisions.choices.content_signal);
        let place = (std::ptr::from_ref(policy).addr(), side, column);
        let found = match known.by_place.get(&place) {
            Some(found) => found.clone(),
            None => {
                let records = policy.side_records_with(&self.record, column, scope);
                let found = known.of(&records, policy.dialect());
                known.by_place.insert(place, found.clone());
                found
            }
        };
        Some(found?.preferred(&self.path, &mut known.walk))
    }
}

/// Preferences about uses of the pages of many URLs, for each of several crawlers;
/// [`Matchers::find_preferences`](super::Matchers::find_preferences) finds them.
#[derive(Debug, Default)]
pub struct PagePreferences {
    crawlers: usize,
    /// For each URL, the preferences for each crawler.
    found: Vec<Preferred>,
}

impl PagePreferences {
    /// The preference in a column, for the page of a URL and a crawler; [`Preference::answer`] is its text.
    ///
    /// # Panics
    ///
    /// If there is no URL or no crawler with this index.
    pub fn get(&self, column: PreferenceColumn, url: usize, crawler: usize) -> Preference {
        assert!(crawler < self.crawlers, "no crawler {crawler}");
        column.preference(self.of(url, crawler))
    }

    /// The preferences about uses of the page of a URL, for a crawler.
    pub(crate) fn of(&self, url: usize, crawler: usize) -> &Preferred {
        &self.found[url * self.crawlers + crawler]
    }

    /// Removes all URLs, and starts with this many URLs without preferences, for this many crawlers.
    pub(super) fn clear(&mut self, urls: usize, crawlers: usize) {
        self.crawlers = crawlers;
        self.found.clear();
        self.found.resize(urls * crawlers, Preferred::default());
    }

    /// Finds the preferences for the crawlers of one policy; `first` is the index of the first of these. `url` returns
    /// the URL with an index, and `outcomes` are those of each crawler. Pages that may not be fetched have no
    /// preferences, unless a preference is what refuses them.
    pub(super) fn find<'u>(
        &mut self,
        judges: &[JudgeView<'_>],
        first: usize,
        url: impl Fn(usize) -> &'u [u8],
        outcomes: &[Vec<Outcome>],
        known: &mut KnownPreferences,
    ) {
        let (Some(any), Some(of_any)) = (judges.first(), outcomes.first()) else { return };
        let mut known = known.begin();
        for at in 0..of_any.len() {
            let is_needed = outcomes.iter().any(|outcomes| is_said(outcomes[at]));
            let Some(page) = is_needed.then(|| any.page(url(at))).flatten() else { continue };
            let of_url = &mut self.found[at * self.crawlers + first..];
            for ((judge, outcomes), found) in judges.iter().zip(outcomes).zip(of_url) {
                let preferred = is_said(outcomes[at]).then(|| page.preferred(judge.groups.columns(), &mut known));
                *found = preferred.flatten().unwrap_or_default();
            }
        }
    }
}

/// Whether a page has preferences: it may be fetched, or a preference refuses it.
fn is_said(outcome: Outcome) -> bool {
    outcome.partition() == Partition::Allowed || outcome.reason() == Reason::Preference
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robots::SideKey;

    #[test]
    fn preferences_are_kept_in_bounded_memory() {
        let dialect = Dialect::DEFAULT;
        let mut known = KnownPreferences::within(Share::for_test(1 << 20));
        let (long, mut forgotten) = ("x".repeat(1000), 0);
        for number in 0..5000 {
            let value = format!("/{number}{long} train-ai=n");
            let record = SideRecord { key: SideKey::ContentUsage, value: value.as_bytes(), line: 1, group: None };
            let before = known.known.len();
            let found = known.of(&[record], dialect).expect("something is said");
            forgotten += usize::from(known.known.len() < before);
            let again = known.of(&[SideRecord { line: 7, ..record }], dialect).expect("the same");
            assert!(Arc::ptr_eq(&found, &again), "lines do not matter");
            assert!(known.known.keys().map(Vec::len).sum::<usize>() <= 1 << 20);
        }
        assert!((3..9).contains(&forgotten), "not each time: {forgotten}");
        let other = SideRecord { key: SideKey::Sitemap, value: b"s", line: 1, group: None };
        assert!(known.of(&[other], dialect).is_none());
    }
}
