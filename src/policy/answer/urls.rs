//! URLs and what is kept for each.

use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::BuildHasher;

use super::kept::Kept;
use crate::policy::overrides::Placement;

/// A URL's answers, and the override for its origin.
#[derive(Debug, Default)]
pub(crate) struct KeptUrl {
    pub kept: Kept,
    /// The operator's override for the origin; boxed, because few have one.
    pub placement: Option<Box<Placement>>,
}

/// The answers that are kept, by URL. There may be millions, so a URL takes no memory block of its own.
#[derive(Debug, Default)]
pub(crate) struct Urls {
    /// All URLs, one after the other.
    text: String,
    /// Where each ends in the text, and what is kept for it.
    urls: Vec<(usize, KeptUrl)>,
    /// The index of each URL.
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
    ///
    /// # Panics
    ///
    /// Beyond 2^32 URLs.
    pub fn entry(&mut self, url: &str) -> &mut KeptUrl {
        let index = self.index(url).unwrap_or_else(|| {
            let index = u32::try_from(self.urls.len()).expect("fewer URLs than a policy can hold");
            self.text.push_str(url);
            self.urls.push((self.text.len(), KeptUrl::default()));
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
    pub fn get(&self, url: &str) -> Option<&Kept> {
        self.index(url).map(|index| &self.urls[index as usize].1.kept)
    }

    /// How many URLs there are.
    pub fn len(&self) -> usize {
        self.urls.len()
    }

    /// All URLs, split before the path, in the order in which they came.
    pub fn iter(&self) -> impl Iterator<Item = ((&str, &str), &KeptUrl)> {
        (0..).zip(&self.urls).map(|(index, (_, kept))| (split(url_at(&self.text, &self.urls, index)), kept))
    }
}

/// The URL with an index.
fn url_at<'t>(text: &'t str, urls: &[(usize, KeptUrl)], index: u32) -> &'t str {
    let start = index.checked_sub(1).map_or(0, |before| urls[before as usize].0);
    &text[start..urls[index as usize].0]
}
