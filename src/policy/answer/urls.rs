//! URLs and what is kept for each.

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use super::kept::Kept;
use super::kind::AnswerKind;
use crate::policy::overrides::Placement;

/// A URL's answers, and the override for its origin.
#[derive(Debug, Default)]
pub(crate) struct KeptUrl {
    pub kept: Kept,
    /// The operator's override for the origin; boxed, because few have one.
    pub placement: Option<Box<Placement>>,
}

/// The answers that are kept, by URL.
#[derive(Debug, Default)]
pub(crate) struct Urls(HashMap<Box<str>, KeptUrl>);

/// Splits a URL in canonical form before its path.
pub(crate) fn split(url: &str) -> (&str, &str) {
    let host = url.find("://").map_or(0, |at| at + 3);
    url.split_at(url[host..].find('/').map_or(url.len(), |at| host + at))
}

impl Urls {
    /// The entry of a URL, which is made if there is none.
    pub fn entry(&mut self, url: Box<str>) -> &mut KeptUrl {
        match self.0.entry(url) {
            Entry::Occupied(entry) => entry.into_mut(),
            Entry::Vacant(entry) => entry.insert(KeptUrl::default()),
        }
    }

    /// The URLs that the redirect of a URL leads to, one after the other, `most` at most.
    pub fn chain(kept: &Kept, most: usize, known: impl Fn(&str) -> Option<Kept>) -> Urls {
        let mut urls = Urls::default();
        let target = |kept: &Kept| Some(Box::from(kept.of_kind(AnswerKind::Redirect)?.target()?));
        let mut next: Option<Box<str>> = target(kept);
        while let Some(url) = next.take().filter(|url| urls.len() < most && urls.get(url).is_none())
            && let Some(kept) = known(&url)
        {
            next = target(&kept);
            urls.entry(url).kept = kept;
        }
        urls
    }

    /// The answers of a URL, if it is known.
    pub fn get(&self, url: &str) -> Option<&Kept> {
        self.0.get(url).map(|url| &url.kept)
    }

    /// How many URLs there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// All URLs, split before the path, in no order.
    pub fn iter(&self) -> impl Iterator<Item = ((&str, &str), &KeptUrl)> {
        self.0.iter().map(|(url, kept)| (split(url), kept))
    }
}
