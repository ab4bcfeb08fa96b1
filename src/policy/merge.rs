//! Merges policies: a union of their answers.
//!
//! A policy is a set of answers. The merged policy has the answers of all policies, and derives its origins from them
//! again. So it is, byte for byte, the policy that would be compiled from all answers at once, whatever the order and
//! the number of policies.
//!
//! The answers of all policies are sorted, so they are read side by side. The targets of redirects are collected first,
//! because an origin may redirect to a URL that comes later.
//!
//! Small policies over a large one are layers: a few new answers over a million origins should cost only the time of
//! the new answers. So only the origins that the smaller policies change are merged, in memory: the origins in them,
//! and origins whose redirects lead to a URL in them. The large policy has an index from targets to redirects. Its
//! other origins stay as they are. Its look-up table is copied, and in the copy the entries of changed origins match no
//! origin; the system copies only the pages that change. So most lines still need one probe.

use hashbrown::HashSet;
use std::cmp::Reverse;
use std::path::Path;
use std::sync::Arc;

use super::captures::{Captures, ORIGINS_A_MILLISECOND};
use super::compiled::{Layers, Policy};
use super::error::{other_dialect, unwritten};
use super::image::{Content, ItemSource, POLICY_FILE, Section, SpillFolder, UrlRecord, Writer};
use super::lookup::take_out;
use super::overrides::Overrides;
use super::statistics::{CompileProgress, Statistics};
use super::union::{OverridesFrom, Targets, Union, UrlList, derive};
use super::url_answers::UrlAnswers;
use super::urls::Urls;
use crate::error::policy::{Error, ErrorKind};
use crate::formats::memory;
use crate::formats::replace::folder_of;
use crate::formats::write_lock::WriteLock;
use crate::threads;

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// The statistics of the merged policy, and the URLs of which only bytes could choose an answer.
    pub statistics: Statistics,
    /// The origins whose overrides contradict each other, so that the stricter one counts, in order.
    pub contradictions: Vec<String>,
}

/// Merges policies into a policy file. The result does not depend on their order. If one of them is to be
/// replaced, take the lock before you open it.
///
/// Overrides have no time: if two contradict each other, the stricter one counts. `overrides`, if given, replace the
/// overrides of all policies.
///
/// # Errors
///
/// If there is no policy, dialects or crawlers differ, or the file cannot be written.
pub fn merge(policies: &[Policy], overrides: Option<&Overrides>, out: &WriteLock) -> Result<Merged, Error> {
    let first = agree(policies)?;
    let spill = SpillFolder::at(folder_of(out.path()));
    let additions = overrides.map(|overrides| first.additions(overrides, &spill.folder)).transpose()?;
    let sources: Vec<&Policy> = policies.iter().chain(&additions).collect();
    let from = match overrides {
        Some(_) => OverridesFrom::Last,
        None => OverridesFrom::All,
    };
    let write = |writer: Writer<'_>, statistics| {
        out.replace(&POLICY_FILE, |file| writer.write(statistics, file)).map_err(unwritten)
    };
    let merging = Merging::new(&sources, from);
    let targets = merging.targets(&spill)?;
    let (statistics, contradictions) = merging.write(|url| targets.get(url), &spill, write)?;
    Ok(Merged { statistics, contradictions })
}

/// The first of several policies that can be merged.
pub(super) fn agree(policies: &[Policy]) -> Result<&Policy, Error> {
    let (first, others) = policies
        .split_first()
        .ok_or_else(|| ErrorKind::Differ.of("there are no policies to merge; give at least one"))?;
    for other in others {
        if first.dialect() != other.dialect() {
            return Err(other_dialect(first.dialect().name, other.dialect().name));
        }
        if !first.columns().is_same(other.columns()) {
            let (one, other) = (first.columns().in_short(), other.columns().in_short());
            let message = format!(
                "the policies have different crawlers, or in a different order: {one} and {other}; compile one of them again for the \
                 other's"
            );
            return Err(ErrorKind::Differ.of(message));
        }
    }
    Ok(first)
}

impl Policy {
    /// This policy with more overrides, which take precedence over those it has. Data beyond the first few MiB goes to a
    /// temporary file in `folder`.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be written, or beyond what a policy can hold.
    pub fn with_overrides(&self, overrides: &Overrides, folder: &Path) -> Result<Policy, Error> {
        let mut sources = self.clone().into_all();
        sources.push(self.additions(overrides, folder)?);
        Policy::merged(&sources, OverridesFrom::LastOfEach, folder)
    }

    /// The merged policy of this policy's layers, for callers that need all origins in one table; this policy itself if
    /// it has no layers. Data beyond the first few MiB goes to a temporary file in `folder`.
    ///
    /// # Errors
    ///
    /// If a temporary file cannot be written, or beyond what a policy can hold.
    pub fn flattened(&self, folder: &Path) -> Result<Policy, Error> {
        match &self.clone().into_all()[..] {
            [only] => Ok(only.clone()),
            several => Policy::merged(several, OverridesFrom::All, folder),
        }
    }

    fn merged(sources: &[Policy], from: OverridesFrom, folder: &Path) -> Result<Policy, Error> {
        let (sources, spill): (Vec<&Policy>, _) = (sources.iter().collect(), SpillFolder::at(folder.to_owned()));
        let merging = Merging::new(&sources, from);
        let targets = merging.targets(&spill)?;
        Ok(merging.write(|url| targets.get(url), &spill, |writer, statistics| writer.policy(statistics, &spill))?.0)
    }

    /// A policy that has nothing but these overrides.
    fn additions(&self, overrides: &Overrides, folder: &Path) -> Result<Policy, Error> {
        let mut additions = Captures::spilling(folder, self.columns().clone(), self.dialect());
        additions.add_overrides(overrides)?;
        additions.policy()
    }
}

pub(super) struct Merging<'p> {
    policies: &'p [&'p Policy],
    sources: Vec<ItemSource<'p>>,
    from: OverridesFrom,
    /// For each policy, the URLs that are merged, in order; `None` for all of them.
    some: Vec<Option<Vec<UrlRecord<'p>>>>,
}

impl<'p> Merging<'p> {
    pub fn new(policies: &'p [&'p Policy], from: OverridesFrom) -> Merging<'p> {
        let sources = policies.iter().map(|policy| policy.image.items()).collect();
        Merging { policies, sources, from, some: vec![None; policies.len()] }
    }

    /// Merges only these URLs of the first policy, in order, with all those of the others.
    pub fn only_of_first(self, urls: Vec<UrlRecord<'p>>) -> Merging<'p> {
        let mut some = self.some;
        some[0] = Some(urls);
        Merging { some, ..self }
    }

    /// Feeds all URLs to a writer and lets `write` finish it. `known` returns the answers of redirect targets.
    pub fn write<T: Send>(
        &self,
        known: impl Fn(&str) -> Option<UrlAnswers>,
        spill: &SpillFolder,
        write: impl FnOnce(Writer<'_>, Statistics) -> Result<T, Error> + Send,
    ) -> Result<(T, Vec<String>), Error> {
        let first = self.policies[0];
        let (mut union, mut statistics) = (self.union(), Statistics::default());
        let mut writer = Writer::new(first.columns().clone(), first.dialect(), &self.sources, spill)?;
        derive(&mut union, &mut writer, known, &mut statistics, &CompileProgress::default())?;
        let milliseconds = statistics.answers.values().sum::<u64>() as usize / ORIGINS_A_MILLISECOND;
        let written = threads::on(threads::worth_starting(milliseconds, usize::MAX), || write(writer, statistics));
        Ok((written?, union.contradictions))
    }

    pub fn union(&self) -> Union<'p> {
        let urls = |(source, policy): (usize, &&'p Policy)| {
            let urls: UrlList<'p> = match &self.some[source] {
                Some(urls) => Box::new(urls.clone().into_iter()),
                None => Box::new(policy.urls(source as u32)),
            };
            urls
        };
        let lists = self.policies.iter().enumerate().map(urls).collect();
        Union::new(lists, self.sources.clone(), self.from)
    }

    pub fn targets(&self, spill: &SpillFolder) -> Result<Targets, Error> {
        let pointers = self.policies.iter().flat_map(|policy| policy.image.pointers());
        Targets::collect(pointers.map(|pointer| pointer.hash()), || self.union(), spill)
    }
}

impl Policy {
    /// A policy with all answers of several, whatever their order, without writing them: it judges as their
    /// [merge](super::merge()) does. Takes time and memory for the origins that all but the largest change.
    ///
    /// # Errors
    ///
    /// If there is no policy, dialects or crawlers differ, or memory or a temporary file cannot be had.
    pub fn layered(policies: Vec<Policy>) -> Result<Policy, Error> {
        agree(&policies)?;
        let mut all: Vec<Policy> = policies.into_iter().flat_map(Policy::into_all).collect();
        all.sort_by_key(|policy| Reverse((policy.statistics().origins, policy.checksum())));
        let base = all[0].clone();
        if all.len() == 1 {
            return Ok(base);
        }
        let spill = SpillFolder::at(std::env::temp_dir());
        let changed = changed(&all, &spill)?;
        let (image, table) = (&base.image, base.lookup());
        let mut lookup = image.private_section(Section::Lookup).map_err(|error| spill.failed(error))?;
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

/// The counts of origins in a policy with changed origins; all other counts are those of the policy alone.
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
fn changed(all: &[Policy], spill: &SpillFolder) -> Result<Policy, Error> {
    let policies: Vec<&Policy> = all.iter().collect();
    let of_first = of_first(all);
    let merging = Merging::new(&policies, OverridesFrom::All).only_of_first(of_first);
    let mut changed = Urls::default();
    for UrlRecord { origin, path, stored } in merging.union() {
        *changed.entry(&String::from_utf8_lossy(&[origin, path].concat())) = stored.into_owned();
    }
    // Other URLs are not changed, so only the first policy has them.
    let known = |url: &str| changed.get(url).cloned().or_else(|| all[0].kept(url));
    Ok(merging.write(known, spill, |writer, statistics| writer.policy(statistics, spill))?.0)
}

/// The URLs of the first policy that the others change: URLs that are in the others, and URLs that redirect to a
/// changed URL.
fn of_first(all: &[Policy]) -> Vec<UrlRecord<'_>> {
    let image = &all[0].image;
    let mut seen: HashSet<Box<str>> = HashSet::new();
    let mut next: Vec<Box<str>> = Vec::new();
    let mut found = Vec::new();
    for url in all[1..].iter().flat_map(|policy| policy.urls(0)) {
        let text: Box<str> = String::from_utf8_lossy(&[url.origin, url.path].concat()).into();
        if seen.insert(text.clone()) {
            found.extend(image.url((url.origin, url.path), 0));
            next.push(text);
        }
    }
    while let Some(target) = next.pop() {
        for url in image.redirecting_to(&target, 0) {
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
