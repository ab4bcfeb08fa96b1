//! A version of a live policy: the answers of each URL, over a policy.

use arc_swap::ArcSwapOption;
use hashbrown::DefaultHashBuilder;
use rpds::HashTrieMapSync;
use smallvec::SmallVec;
use std::sync::{Arc, OnceLock};

use super::derived::{AskedUrls, Derived, Place};
use super::file::LiveFile;
use crate::dialect::AnswerKind;
use crate::policy::Policy;
use crate::policy::image::{ItemSource, Section, compare_rules};
use crate::policy::url_answers::{StoredAnswer, UrlAnswers};
use crate::policy::urls::StoredUrl;

/// The answers of a URL. They do not change: a put makes others, with a version of their own.
#[derive(Debug, Default)]
pub(crate) struct LiveUrl {
    /// Its rules are in `files`, by their sources.
    pub stored: StoredUrl,
    pub(super) files: SmallVec<[LiveFile; 1]>,
    /// The number of the put that made them. No others have it.
    pub version: u64,
    /// What follows for the origin, if the URL is its robots.txt: from these answers alone, so that it is next to them.
    pub(super) own: OnceLock<Derived>,
    /// The same from the answers of several URLs, or over another base.
    pub(super) derived: ArcSwapOption<Derived>,
}

/// What an entry of the map takes besides its URL, in bytes: nodes of the map, and counters.
const ENTRY: usize = 192;

impl LiveUrl {
    /// A copy, to be changed.
    pub fn copied(&self) -> LiveUrl {
        LiveUrl { stored: self.stored.clone(), files: self.files.clone(), ..LiveUrl::default() }
    }

    /// The bytes that it takes, without its files.
    pub fn size(&self, url: &str) -> u64 {
        let StoredUrl { kept, placement } = &self.stored;
        let answers = kept.answers();
        let texts = answers.iter().filter_map(StoredAnswer::target).map(str::len);
        let notes = answers.iter().filter(|answer| answer.notes.is_some()).map(|_| NOTES);
        let placement = placement.iter().flat_map(|placement| [NOTES, size_of_val(&**placement)]);
        let fields = [size_of_val(answers), size_of_val(&*self.files), size_of_val(kept.failures().windows())];
        // What follows from several URLs is derived elsewhere.
        let derived = if kept.of_kind(AnswerKind::Redirect).is_some() { size_of::<Derived>() } else { 0 };
        let own = [ENTRY, url.len(), size_of::<LiveUrl>(), derived].into_iter().chain(fields);
        own.chain(texts).chain(notes).chain(placement).sum::<usize>() as u64
    }

    /// Adds a file; returns its number.
    pub fn add_file(&mut self, file: LiveFile) -> u32 {
        self.files.push(file);
        self.files.len() as u32 - 1
    }

    /// Keeps only the files that an answer or the override refers to, in the order in which they do.
    pub fn drop_unused_files(&mut self) {
        let mut used: SmallVec<[Option<u32>; 2]> = SmallVec::from_elem(None, self.files.len());
        let mut next = 0;
        for rules in self.stored.rules_mut() {
            let Some(place) = used.get_mut(rules.source as usize) else { continue };
            rules.source = *place.get_or_insert_with(|| {
                next += 1;
                next - 1
            });
        }
        let files = std::mem::take(&mut self.files).into_iter().zip(used);
        let mut files: SmallVec<[(u32, LiveFile); 2]> =
            files.filter_map(|(file, place)| Some((place?, file))).collect();
        files.sort_unstable_by_key(|(place, _)| *place);
        self.files = files.into_iter().map(|(_, file)| file).collect();
    }
}

/// What a note of an answer takes, in bytes.
const NOTES: usize = 256;

/// The URLs that have newer answers, in a map whose versions share most of their nodes.
pub(crate) type LiveUrls = HashTrieMapSync<Arc<str>, Arc<LiveUrl>, DefaultHashBuilder>;

#[derive(Debug, Clone)]
pub(crate) struct LiveState {
    pub base: Policy,
    /// The number of the base; each has another.
    pub generation: u64,
    pub urls: LiveUrls,
    /// The number of this version; each put makes the next.
    pub version: u64,
    /// The version that first had the base.
    pub rebased_at: u64,
}

/// Gathers the records of several URLs from the base and from newer answers.
pub(super) struct Gathering<'s> {
    state: &'s LiveState,
    /// Where the rules are.
    pub sources: Vec<ItemSource<'s>>,
    /// Where each source is.
    pub places: Vec<Place>,
    /// The URLs that were asked for.
    pub asked: AskedUrls,
    /// Whether the sources have automata, which only compiling them into a policy needs.
    to_adopt: bool,
}

impl<'s> Gathering<'s> {
    pub fn new(state: &'s LiveState) -> Gathering<'s> {
        // Most origins need one URL with one file.
        let (mut sources, mut places) = (Vec::with_capacity(2), Vec::with_capacity(2));
        sources.push(state.base.image.items());
        places.push(Place::Base);
        Gathering { state, sources, places, asked: AskedUrls::new(), to_adopt: false }
    }

    /// A gathering whose answers become those of a policy.
    pub fn to_adopt(state: &'s LiveState) -> Gathering<'s> {
        Gathering { to_adopt: true, ..Gathering::new(state) }
    }

    /// All that is stored of a URL; `None` if it was never requested and nothing overrides it.
    pub fn known(&mut self, url: &str) -> Option<StoredUrl> {
        let state = self.state;
        let of_base = if state.has_base() { state.base.url_record(url) } else { None };
        let known = of_base.map(|record| record.stored.into_owned());
        let newer = state.urls.get_key_value(url);
        let asked = self.asked.len() as u32;
        self.asked.push(newer.map_or_else(|| (url.into(), 0), |(url, newer)| (Arc::clone(url), newer.version)));
        let Some((_, newer)) = newer else { return known };
        let first = self.sources.len() as u32;
        for (number, file) in (0..).zip(&newer.files) {
            self.sources.push(if self.to_adopt { file.items() } else { file.compared() });
            self.places.push(Place::File(asked, number));
        }
        let mut stored = newer.stored.clone();
        stored.rules_mut().for_each(|rules| rules.source += first);
        let Some(mut known) = known else { return Some(stored) };
        known.merge(stored, &|one, other| compare_rules(&self.sources, one, other));
        Some(known)
    }
}

impl LiveState {
    /// Whether the base has any URL.
    pub(super) fn has_base(&self) -> bool {
        // Without any, the section has only the number of its marks.
        self.base.image.section(Section::Answers).len() > size_of::<u64>()
    }

    /// The answers of a URL, if it was requested. Their rules are nowhere.
    pub fn kept(&self, url: &str) -> Option<UrlAnswers> {
        Gathering::new(self).known(url).map(|known| known.kept)
    }
}
