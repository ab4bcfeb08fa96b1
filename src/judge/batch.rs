//! The hot path: outcomes of a batch of URLs, step by step.
//!
//! Each step runs over all URLs of a batch before the next one begins, with arrays in between, so that the cache misses
//! of one step overlap, and its loop has no branch that depends on the data:
//!
//! 1. *key*: the first 40 bytes up to the end of the authority, and their hash; asks for the pilot;
//! 2. *probe*: the slot of the look-up table that the pilot gives; asks for its entry;
//! 3. *match*: whether the entry is the URL's origin. Known ones go on, all others the slow way;
//! 4. *tidy*: of known URLs that are not plain, where the path ends. Those in normal form go on as well;
//! 5. *route*: what the origin's class comes to for a crawler, and the automaton that decides, if one does; asks for it;
//! 6. *front*: whether the path may have another verdict than the automaton's base;
//! 7. *walk*: the automaton itself, for those few.
//!
//! The slow way ([`Judge::judge_line`]) alone would give the same outcomes; it is the oracle that tests compare with.
//! Steps 1 to 4 are the same for all crawlers of a policy, and done once.

use super::isa::{self, Isa, Kernel};
use super::matcher::Judge;
use super::scratch::Scratch;
use super::space::{BATCH, Item, Space, UNKNOWN};
use super::text_urls::{PADDING, Urls};
use crate::automaton::{self, front};
use crate::origin;
use crate::outcome::Outcome;
use crate::policy::{self, Lookup};
use crate::rules::Verdict;

/// Bytes of a key, at most.
const WHOLE_KEY: u32 = 40;

impl Judge<'_> {
    /// Judges many URLs; `outcomes` gets one outcome for each, in their order.
    pub fn judge_all<U: AsRef<[u8]>>(&self, urls: &[U], outcomes: &mut Vec<Outcome>, scratch: &mut Scratch) {
        outcomes.clear();
        let mut urls = urls.iter().map(AsRef::as_ref).peekable();
        let mut some = [Vec::new()];
        while urls.peek().is_some() {
            scratch.take(&mut urls);
            let (text, starts) = (std::mem::take(&mut scratch.text), std::mem::take(&mut scratch.starts));
            let (ends, looks) = (std::mem::take(&mut scratch.ends), std::mem::take(&mut scratch.looks));
            let mut space = std::mem::take(&mut scratch.space);
            let together = Urls { text: &text, starts: &starts, ends: &ends, gap: 0, looks: &looks };
            judge(std::slice::from_ref(self), together, &mut some, std::slice::from_mut(scratch), &mut space);
            outcomes.extend_from_slice(&some[0]);
            *scratch = Scratch { space, text, starts, ends, looks, ..std::mem::take(scratch) };
        }
    }

    /// Judges the lines of a text; `outcomes` gets one outcome for each, in their order.
    ///
    /// # Panics
    ///
    /// If the text is 4 GiB or longer.
    pub fn judge_lines(&self, text: &[u8], outcomes: &mut Vec<Outcome>, scratch: &mut Scratch) {
        let (mut lines, mut space) = (std::mem::take(&mut scratch.lines), std::mem::take(&mut scratch.space));
        lines.find(text);
        let starts = lines.starts();
        let urls = Urls { text, starts, ends: &starts[1..], gap: 1, looks: lines.looks() };
        let outcomes = std::slice::from_mut(outcomes);
        judge(std::slice::from_ref(self), urls, outcomes, std::slice::from_mut(scratch), &mut space);
        (scratch.lines, scratch.space) = (lines, space);
    }
}

/// Judges URLs for crawlers of one policy; `outcomes` gets, for each crawler, an outcome for each URL.
pub(crate) fn judge(
    judges: &[Judge<'_>],
    urls: Urls<'_>,
    outcomes: &mut [Vec<Outcome>],
    scratches: &mut [Scratch],
    space: &mut Space,
) {
    isa::run(kernel(judges, urls, outcomes, scratches, space));
}

/// The same, to be run with instructions of choice.
pub(super) fn kernel<'a, 'p>(
    judges: &'a [Judge<'p>],
    urls: Urls<'a>,
    outcomes: &'a mut [Vec<Outcome>],
    scratches: &'a mut [Scratch],
    space: &'a mut Space,
) -> impl Kernel<Output = ()> + use<'a, 'p> {
    JudgeAll { judges, urls, outcomes, scratches, space }
}

struct JudgeAll<'a, 'p> {
    judges: &'a [Judge<'p>],
    urls: Urls<'a>,
    outcomes: &'a mut [Vec<Outcome>],
    scratches: &'a mut [Scratch],
    space: &'a mut Space,
}

impl Kernel for JudgeAll<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let JudgeAll { judges, urls, outcomes, scratches, space } = self;
        let Some(first) = judges.first() else { return };
        let count = urls.count();
        outcomes.iter_mut().for_each(|outcomes| outcomes.resize(count, Outcome::NONE));
        let lookup = first.lookup();
        let mut from = 0;
        while from < count {
            let to = count.min(from + BATCH);
            let batch = Urls {
                starts: &urls.starts[from..to],
                ends: &urls.ends[from..to],
                looks: &urls.looks[from..to],
                ..urls
            };
            space.key::<I>(&lookup, &batch);
            space.probe(&lookup, to - from);
            space.look(&lookup, &batch);
            space.tidy(first, &batch, scratches);
            for ((judge, outcomes), scratch) in judges.iter().zip(&mut *outcomes).zip(&mut *scratches) {
                let outcomes = &mut outcomes[from..to];
                space.route(judge, &batch, outcomes);
                space.front::<I>(judge, &batch, outcomes);
                space.walk::<I>(judge, &batch, outcomes, scratch);
                space.rest(judge, &batch, outcomes, scratch);
            }
            from = to;
        }
    }
}

impl Space {
    /// Step 1.
    #[inline(always)]
    fn key<I: Isa>(&mut self, lookup: &Lookup<'_>, urls: &Urls<'_>) {
        /// Stands for a URL that is too near to the end of the text to be read; no origin begins like it.
        static NO_URL: [u8; WHOLE_KEY as usize] = [0; WHOLE_KEY as usize];
        let count = urls.count().min(BATCH);
        let (starts, ends) = (&urls.starts[..count], &urls.ends[..count]);
        let seed = lookup.seed();
        for url in 0..count {
            let (start, end) = (starts[url] as usize, (ends[url] - urls.gap) as usize);
            let readable = start <= end && end + PADDING <= urls.text.len();
            // SAFETY: where it is readable, `start` is within the text, with 40 bytes and more after it.
            let at = if readable { unsafe { urls.text.as_ptr().add(start) } } else { NO_URL.as_ptr() };
            // SAFETY: 40 bytes can be read from there, in either case.
            let key = unsafe { I::key(at, end.wrapping_sub(start)) };
            let hash = policy::hash(key.first, key.rest, u64::from(key.length), seed);
            lookup.prefetch_pilot(lookup.bucket(hash));
            // A key that fills all its bytes may go on after them.
            let is_key = readable && (key.length as usize) <= end - start && key.length < WHOLE_KEY;
            self.hashes[url] = hash;
            self.first[url] = key.first;
            self.rest[url] = key.rest;
            self.lengths[url] = if is_key { key.length } else { UNKNOWN };
        }
    }

    /// Step 2.
    #[inline(always)]
    fn probe(&mut self, lookup: &Lookup<'_>, count: usize) {
        for (slot, &hash) in self.slots.iter_mut().zip(&self.hashes).take(count) {
            let found = lookup.slot(hash, lookup.pilot(lookup.bucket(hash)));
            lookup.prefetch_entry(found);
            *slot = found as u32;
        }
    }

    /// Step 3.
    #[inline(always)]
    fn look(&mut self, lookup: &Lookup<'_>, urls: &Urls<'_>) {
        (self.known.count, self.untidy.count, self.others.count) = (0, 0, 0);
        let count = urls.count().min(BATCH);
        let (looks, starts, ends) = (&urls.looks[..count], &urls.starts[..count], &urls.ends[..count]);
        for url in 0..count {
            let entry = lookup.entry(self.slots[url] as usize);
            let is_same = entry.has_key(self.first[url], self.rest[url], u64::from(self.lengths[url]));
            let end = ends[url] - urls.gap;
            // A path that is not written is one that is not plain.
            let is_tidy = looks[url] == 0 && starts[url].wrapping_add(self.lengths[url]) < end;
            self.ends[url] = end;
            self.known.push_if(is_same && is_tidy, url as u16);
            self.untidy.push_if(is_same && !is_tidy, url as u16);
            self.others.push_if(!is_same, url as u16);
            self.slots[url] = if is_same { self.slots[url] } else { UNKNOWN };
        }
    }

    /// Step 4. Three quarters of the URLs that are not plain have a fragment, a CR, or bytes that this dialect's normal
    /// form keeps.
    #[inline(always)]
    fn tidy(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, scratches: &mut [Scratch]) {
        for place in 0..self.untidy.count {
            let url = self.untidy.items[place];
            let at = usize::from(url);
            let start = urls.starts[at] as usize + self.lengths[at] as usize;
            let path = judge.tidy_path(&urls.text[start..self.ends[at] as usize]);
            let is_tidy = path.is_some();
            if let Some(path) = path {
                self.ends[at] = (start + path.len()) as u32;
                let has_dots = u64::from(origin::has_dot_segment(path));
                scratches.iter_mut().for_each(|scratch| scratch.dot_segments += has_dots);
            }
            self.known.push_if(is_tidy, url);
            self.others.push_if(!is_tidy, url);
        }
    }

    /// Step 5.
    #[inline(always)]
    fn route(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, outcomes: &mut [Outcome]) {
        self.items.count = 0;
        for &url in self.known.items() {
            judge.prefetch_route(self.slots[usize::from(url)] as usize);
        }
        for &url in self.known.items() {
            let place = usize::from(url);
            let slot = self.slots[place] as usize;
            let (route, automaton) = judge.route(slot);
            outcomes[place] = route.settled;
            judge.prefetch_automaton(automaton);
            let item = Item {
                automaton,
                start: urls.starts[place] + self.lengths[place],
                end: self.ends[place],
                url,
                allowed: route.allowed,
                blocked: route.blocked,
            };
            self.items.push_if(automaton != 0 && route.walks, item);
        }
    }

    /// Step 6.
    #[inline(always)]
    fn front<I: Isa>(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, outcomes: &mut [Outcome]) {
        self.walks.count = 0;
        for &item in self.items.items() {
            let automaton = judge.automaton(item.automaton);
            let base = if front::base_is_blocked(automaton) { item.blocked } else { item.allowed };
            outcomes[usize::from(item.url)] = base;
            let path = &urls.text[item.start as usize..item.end as usize];
            // SAFETY: the automaton is an item of a checked image; step 1 found `PADDING` bytes after the path.
            let passes = unsafe { I::passes(automaton, path) };
            self.walks.push_if(passes, item);
        }
    }

    /// Step 7.
    #[inline(always)]
    fn walk<I: Isa>(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, outcomes: &mut [Outcome], scratch: &mut Scratch) {
        for item in self.walks.items() {
            let words = front::words(judge.automaton(item.automaton));
            let (text, start) = (&urls.text[..item.end as usize], item.start as usize);
            let walk = automaton::begin(words, text, start);
            let blocked = automaton::finish(words, text, walk, &mut scratch.walk) == Verdict::Blocked;
            let outcome = if blocked { judge.blocked(&text[start..], item.blocked) } else { item.allowed };
            outcomes[usize::from(item.url)] = outcome;
        }
    }

    /// All others, one by one.
    #[inline(always)]
    fn rest(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, outcomes: &mut [Outcome], scratch: &mut Scratch) {
        for &url in self.others.items() {
            let place = usize::from(url);
            outcomes[place] = match self.slots[place] {
                UNKNOWN => judge.judge_line(urls.get(place), scratch),
                slot => judge.judge_rest(slot as usize, &urls.get(place)[self.lengths[place] as usize..], scratch),
            };
        }
    }
}
