//! Derives origins from the answers of all URLs, and writes both.

use std::sync::atomic::Ordering::Relaxed;

use super::answer::{Hops, Kept, Resolver};
use super::error::WriteError;
use super::image::{UrlRecord, Writer};
use super::statistics::CompileProgress;
use super::statistics::Statistics;
use crate::dialect::Dialect;

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
