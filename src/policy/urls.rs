//! URLs, with the answers and the override of each.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::cmp::Ordering;
use std::hash::BuildHasher;

use super::resolve::Resolved;
use super::side_records;
use super::state::{OverrideState, Ruling};
use super::url_answers::{CompareRules, StoredRules, UrlAnswers};
use crate::robots::NoteCounts;

/// All that is stored of a URL: its answers, and the override for its origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoredUrl {
    pub kept: UrlAnswers,
    /// The operator's override for the origin; boxed, because few have one.
    pub placement: Option<Box<StoredOverride>>,
}

impl StoredUrl {
    /// Whether there is neither an answer nor an override.
    pub fn is_empty(&self) -> bool {
        self.placement.is_none() && self.kept.answers().is_empty()
    }

    /// The rules of its override and of its answers, to be changed.
    pub fn rules_mut(&mut self) -> impl Iterator<Item = &mut StoredRules> {
        let of_override = self.placement.as_mut().filter(|placement| placement.has_rules());
        of_override.map(|placement| &mut placement.robots_txt).into_iter().chain(self.kept.rules_mut())
    }

    /// Adds what else is stored of the same URL. Returns whether the overrides contradict each other.
    pub fn merge(&mut self, other: StoredUrl, rules: &CompareRules<'_>) -> bool {
        self.kept.merge(other.kept, rules);
        other.placement.is_some_and(|placement| self.add_override(placement, rules))
    }

    /// Adds an override. Returns whether it contradicts the one that is there.
    pub fn add_override(&mut self, other: Box<StoredOverride>, rules: &CompareRules<'_>) -> bool {
        match &mut self.placement {
            Some(known) => known.merge(*other, rules),
            none => {
                *none = Some(other);
                false
            }
        }
    }
}

/// The stored answers, by URL. There may be millions of URLs, so no URL has its own allocation.
#[derive(Debug, Default)]
pub(crate) struct Urls {
    /// All URLs, one after the other.
    text: String,
    /// Where each URL ends in the text, and its answers.
    urls: Vec<(usize, StoredUrl)>,
    indices: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

/// Splits a URL in canonical form before its path.
pub(crate) fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    url.split_at(url[host..].find('/').map_or(url.len(), |at| host + at))
}

impl Urls {
    /// The entry of a URL, which is made if there is none.
    pub fn entry(&mut self, url: &str) -> &mut StoredUrl {
        let index = self.index(url).unwrap_or_else(|| {
            let index = u32::try_from(self.urls.len()).expect("fewer URLs than a policy can hold");
            self.text.push_str(url);
            self.urls.push((self.text.len(), StoredUrl::default()));
            let Urls { text, urls, indices, hasher } = self;
            let hash = |&index: &u32| hasher.hash_one(url_at(text, urls, index));
            indices.insert_unique(hash(&index), index, hash);
            index
        });
        &mut self.urls[index as usize].1
    }

    fn index(&self, url: &str) -> Option<u32> {
        let is_it = |&index: &u32| url_at(&self.text, &self.urls, index) == url;
        self.indices.find(self.hasher.hash_one(url), is_it).copied()
    }

    /// The answers of a URL, if it is known.
    pub fn get(&self, url: &str) -> Option<&UrlAnswers> {
        self.index(url).map(|index| &self.urls[index as usize].1.kept)
    }

    pub fn len(&self) -> usize {
        self.urls.len()
    }

    /// All URLs, split before the path, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = ((&str, &str), &StoredUrl)> {
        (0..).zip(&self.urls).map(|(index, (_, kept))| (split(url_at(&self.text, &self.urls, index)), kept))
    }
}

fn url_at<'t>(text: &'t str, urls: &[(usize, StoredUrl)], index: u32) -> &'t str {
    let start = index.checked_sub(1).map_or(0, |before| urls[before as usize].0);
    &text[start..urls[index as usize].0]
}

/// The override for an origin.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StoredOverride {
    pub operator_override: OverrideState,
    /// The rules that replace the origin's, for [`Ruling::RobotsTxt`].
    pub robots_txt: StoredRules,
    /// The lines of that file that were dropped or cut.
    pub notes: NoteCounts,
    /// The crawl delay in seconds, as a decimal number.
    pub crawl_delay: Option<Box<str>>,
}

impl StoredOverride {
    /// Whether it has rules of its own.
    pub fn has_rules(&self) -> bool {
        self.operator_override.ruling == Some(Ruling::RobotsTxt)
    }

    /// Applies the override to an origin. The origin also keeps its own state.
    pub fn apply(&self, resolved: &mut Resolved) {
        resolved.state.operator_override = self.operator_override;
        if self.has_rules() {
            resolved.rules = self.robots_txt;
        }
    }

    /// The operator's own side records, encoded: the crawl delay.
    pub fn side_records(&self) -> Option<Vec<u8>> {
        self.crawl_delay.as_deref().map(side_records::operators_delay)
    }

    /// Adds another override for the same origin. Overrides have no time, so if two contradict each other, the stricter
    /// one counts. Returns whether they contradict each other.
    fn merge(&mut self, other: StoredOverride, rules: &CompareRules<'_>) -> bool {
        let (own, others) = (self.operator_override, other.operator_override);
        let mut by_ruling = strictness(own.ruling).cmp(&strictness(others.ruling));
        if own.ruling == Some(Ruling::RobotsTxt) && others.ruling == own.ruling {
            by_ruling = rules(self.robots_txt, other.robots_txt);
        }
        let seconds =
            |placement: &StoredOverride| placement.crawl_delay.as_deref().and_then(|delay| delay.parse::<f64>().ok());
        let by_seconds = seconds(self).partial_cmp(&seconds(&other)).unwrap_or(Ordering::Equal);
        let by_delay = by_seconds.then_with(|| self.crawl_delay.cmp(&other.crawl_delay));
        let told = own.ruling.and(others.ruling).is_some() && by_ruling.is_ne()
            || self.crawl_delay.is_some() && other.crawl_delay.is_some() && by_delay.is_ne()
            || own.paused_until.and(others.paused_until).is_some() && own.paused_until != others.paused_until;
        if by_ruling.is_lt() {
            self.operator_override.ruling = others.ruling;
            (self.robots_txt, self.notes) = (other.robots_txt, other.notes);
        }
        if by_delay.is_lt() {
            self.crawl_delay = other.crawl_delay;
        }
        self.operator_override.paused_until = own.paused_until.max(others.paused_until);
        told
    }
}

/// Rulings from the least strict to the strictest.
fn strictness(ruling: Option<Ruling>) -> u8 {
    match ruling {
        None => 0,
        Some(Ruling::AllowAll) => 1,
        Some(Ruling::RobotsTxt) => 2,
        Some(Ruling::ForbidAll) => 3,
    }
}
