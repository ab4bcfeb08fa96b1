//! Layers: small policies over a large one.
//!
//! A minute's answers over a million origins should cost what the minute costs. So the policies are not merged; only the
//! origins that the smaller ones change are derived again, in memory, by the code that merges policies: those they have, and those
//! whose redirects lead to a URL they have. The large policy tells who redirects where. Its other origins stay as they are,
//! and in a private copy of its look-up table, of which the system copies only the pages that are changed, the entries of
//! changed origins match no origin. So most lines still need one probe.

use hashbrown::HashSet;
use std::cmp::Reverse;
use std::sync::Arc;

use super::Policy;
use super::answer::Urls;
use super::compiled::Layers;
use super::error::MergeError;
use super::error::WriteError;
use super::image::{Content, Section, SpillFolder, UrlRecord, Writer};
use super::lookup::take_out;
use super::merge::{Merging, agree};
use super::statistics::Statistics;
use super::union::OverridesFrom;
use crate::formats::memory;

impl Policy {
    /// A policy with all answers of several, whatever their order, without writing them: it judges as their
    /// [merge](super::merge()) does. Takes time and memory for the origins that all but the largest change.
    ///
    /// # Errors
    ///
    /// [`MergeError`] if there is no policy, dialects or crawlers differ, or memory or a temporary file cannot be had.
    pub fn layered(policies: Vec<Policy>) -> Result<Policy, MergeError> {
        agree(&policies)?;
        let mut all: Vec<Policy> = policies.into_iter().flat_map(Policy::into_all).collect();
        all.sort_by_key(|policy| Reverse((policy.statistics().origins, policy.checksum())));
        let base = all[0].clone();
        if all.len() == 1 {
            return Ok(base);
        }
        let spill = SpillFolder::at(std::env::temp_dir());
        let changed = changed(&all, &spill)?;
        let spilled = |error| WriteError::Spill { folder: spill.folder.clone(), error };
        let (image, table) = (&base.image, base.lookup());
        let mut lookup = image.private_section(Section::Lookup).map_err(spilled)?;
        for record in changed.lookup().records() {
            if let Some(at) = table.position(record.origin, image.section(Section::Lookup)) {
                take_out(&mut lookup, at);
            }
        }
        let content =
            Content { statistics: statistics(&base, &changed), columns: base.columns().clone(), ..*base.content };
        let layers = Layers { lookup: memory::read_only(lookup), changed, all };
        Ok(Policy { layers: Some(Arc::new(layers)), content: Arc::new(content), ..base })
    }
}

/// The counts of origins in a policy of which some are changed; the other counts are those of the policy alone.
fn statistics(base: &Policy, changed: &Policy) -> Statistics {
    let mut statistics = base.statistics().clone();
    let (lookup, of_changed) = (base.lookup(), changed.statistics());
    for record in changed.lookup().records().filter_map(|record| lookup.get(record.origin)) {
        statistics.origins -= 1;
        statistics.last_good -= u64::from(record.last_good.is_some());
        let has_delay = || base.side_records(&record, 0).first().is_some_and(|side| side.line == 0);
        statistics.overridden -= u64::from(record.is_overridden() || has_delay());
    }
    statistics.origins += of_changed.origins;
    statistics.last_good += of_changed.last_good;
    statistics.overridden += of_changed.overridden;
    statistics
}

/// The policy of the origins that all but the first policy change.
fn changed(all: &[Policy], spill: &SpillFolder) -> Result<Policy, WriteError> {
    let policies: Vec<&Policy> = all.iter().collect();
    let of_first = of_first(all);
    let merging = Merging::new(&policies, OverridesFrom::All).only_of_first(of_first);
    let (mut changed, mut union) = (Urls::default(), merging.union());
    while let Some(UrlRecord { origin, path, kept, .. }) = union.next()? {
        let url = [origin, path].concat();
        changed.entry(&String::from_utf8_lossy(&url)).kept = kept.into_owned();
    }
    // Other URLs are not changed, so only the first policy has them.
    let known = |url: &str| changed.get(url).cloned().or_else(|| all[0].kept(url));
    let write = |writer: Writer<'_>, statistics| writer.image(statistics, spill);
    let ((image, content), _) = merging.write(known, spill, write)?;
    Ok(Policy::of(image, content))
}

/// The URLs of the first policy that the others change: those that they have, and all that redirect to a URL that is changed.
fn of_first(all: &[Policy]) -> Vec<UrlRecord<'_>> {
    let parts = all[0].image.parts();
    let mut seen: HashSet<Box<str>> = HashSet::new();
    let mut next: Vec<Box<str>> = Vec::new();
    let mut found = Vec::new();
    for url in all[1..].iter().flat_map(|policy| policy.urls(0)) {
        let text: Box<str> = String::from_utf8_lossy(&[url.origin, url.path].concat()).into();
        if seen.insert(text.clone()) {
            found.extend(parts.url((url.origin, url.path), 0));
            next.push(text);
        }
    }
    while let Some(target) = next.pop() {
        for url in parts.redirecting_to(&target, 0) {
            let text: Box<str> = String::from_utf8_lossy(&[url.origin, url.path].concat()).into();
            if seen.insert(text.clone()) {
                found.push(url);
                next.push(text);
            }
        }
    }
    found.sort_unstable_by_key(|url| (url.origin, url.path));
    found
}
