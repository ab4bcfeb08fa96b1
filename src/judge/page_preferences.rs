//! What sites say about uses of the pages of many URLs.

use super::preferred::{KnownPreferences, Places};
use super::view::Judge;
use crate::outcome::{Outcome, Partition, Reason};
use crate::preferences::{Preference, PreferenceColumn, Preferred};

/// What sites say about uses of the pages of many URLs, to each of several crawlers;
/// [`Matchers::find_preferences`](super::Matchers::find_preferences) finds it.
#[derive(Debug, Default)]
pub struct PagePreferences {
    crawlers: usize,
    /// For each URL, those for each crawler.
    found: Vec<Preferred>,
}

impl PagePreferences {
    /// What a column says of the page of a URL to a crawler; [`Preference::answer`] is what stands in it.
    ///
    /// # Panics
    ///
    /// If there is no URL or no crawler with this index.
    pub fn get(&self, column: PreferenceColumn, url: usize, crawler: usize) -> Preference {
        assert!(crawler < self.crawlers, "no crawler {crawler}");
        column.preference(self.of(url, crawler))
    }

    /// What a site says about uses of the page of a URL to a crawler.
    pub(crate) fn of(&self, url: usize, crawler: usize) -> &Preferred {
        &self.found[url * self.crawlers + crawler]
    }

    /// Forgets all URLs: of this many, nothing is said to this many crawlers.
    pub(super) fn clear(&mut self, urls: usize, crawlers: usize) {
        self.crawlers = crawlers;
        self.found.clear();
        self.found.resize(urls * crawlers, Preferred::default());
    }

    /// Finds what is said to the crawlers of one policy, of which `first` is the index of the first one; `url` returns the URL with an
    /// index, and `outcomes` are those of each crawler. Of what may not be fetched nothing is said, unless it is refused for what is
    /// said.
    pub(super) fn find<'u>(
        &mut self,
        judges: &[Judge<'_>],
        first: usize,
        url: impl Fn(usize) -> &'u [u8],
        outcomes: &[Vec<Outcome>],
        known: &mut KnownPreferences,
    ) {
        let (Some(any), Some(of_any)) = (judges.first(), outcomes.first()) else { return };
        let mut places = Places::new(known);
        for at in 0..of_any.len() {
            let is_needed = outcomes.iter().any(|outcomes| is_said(outcomes[at]));
            let Some(page) = is_needed.then(|| any.page(url(at))).flatten() else { continue };
            let of_url = &mut self.found[at * self.crawlers + first..];
            for ((judge, outcomes), found) in judges.iter().zip(outcomes).zip(of_url) {
                let preferred = is_said(outcomes[at]).then(|| page.preferred(judge.columns(), &mut places));
                *found = preferred.flatten().unwrap_or_default();
            }
        }
    }

    /// Frees the memory that grows with URLs.
    pub(super) fn release(&mut self) {
        *self = PagePreferences::default();
    }
}

/// Whether what is said of a page counts: it may be fetched, or is refused for what is said.
fn is_said(outcome: Outcome) -> bool {
    outcome.partition() == Partition::Allowed || outcome.reason() == Reason::Preference
}
