//! Runs: answers that do not fit in memory, sorted, in a temporary file.

use std::borrow::Cow;

use super::answer::{KeptUrl, Urls};
use super::image::{Home, Spool, UrlRecord, UrlRecords, WriteError, push_url};
use crate::threads;

/// The answers of some URLs, in the order of the URLs.
#[derive(Debug)]
pub(super) struct Run {
    urls: Spool,
    count: usize,
}

impl Run {
    /// Writes all URLs to a temporary file.
    pub fn write(urls: &Urls, home: &Home) -> Result<Run, WriteError> {
        let mut run = Spool::new(home, Vec::new());
        let mut bytes = Vec::new();
        for url in &sorted(urls) {
            bytes.clear();
            push_url(&record(url), None, &mut bytes);
            run.write(&bytes)?;
        }
        run.finish()?;
        Ok(Run { urls: run, count: urls.len() })
    }

    /// How many URLs there are.
    pub fn len(&self) -> u64 {
        self.count as u64
    }

    /// The URLs, in order.
    pub fn urls(&self) -> impl Iterator<Item = UrlRecord<'_>> {
        let mut records = UrlRecords::new(self.urls.bytes(), std::iter::empty(), 0);
        // It was written by this process.
        std::iter::from_fn(move || records.read().ok().flatten())
    }
}

/// All URLs in order, split before their path.
pub(super) fn sorted(urls: &Urls) -> Vec<((&str, &str), &KeptUrl)> {
    let mut sorted: Vec<((&str, &str), &KeptUrl)> = urls.iter().collect();
    threads::sort_by_key(&mut sorted, |&(url, _)| url);
    sorted
}

/// The record of a URL.
pub(super) fn record<'u>(&((origin, path), url): &((&'u str, &'u str), &'u KeptUrl)) -> UrlRecord<'u> {
    UrlRecord {
        origin: origin.as_bytes(),
        path: path.as_bytes(),
        placement: url.placement.as_deref().cloned(),
        kept: Cow::Borrowed(&url.kept),
    }
}
