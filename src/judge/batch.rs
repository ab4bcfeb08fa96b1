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
//! 6. *front*: whether the path may have another verdict than the automaton's base, first by its prefixes, then by triples;
//! 7. *walk*: the automaton itself, for those few.
//!
//! The slow way ([`Judge::judge_line`]) alone would give the same outcomes; it is the oracle that tests compare with.
//! Steps 1 to 4 are the same for all crawlers of a policy, and done once.

use super::isa::{self, Isa, Kernel};
use super::matcher::{Judge, Route};
use super::plain::BLOCK;
use super::scratch::Scratch;
use super::space::{Append, BATCH, Item, NO_KEY, Space};
use super::text_urls::{PADDING, Urls};
use crate::automaton::{self, front};
use crate::dialect::Encoding;
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
            let batch = urls.readable(from, count.min(from + BATCH));
            if batch.count() == 0 {
                for ((judge, outcomes), scratch) in judges.iter().zip(&mut *outcomes).zip(&mut *scratches) {
                    outcomes[from] = judge.judge_line(urls.get(from), scratch);
                }
                from += 1;
                continue;
            }
            space.key::<I>(&lookup, &batch);
            space.probe(&lookup, batch.count());
            space.look::<I>(&lookup, &batch);
            space.tidy::<I>(first, &batch, scratches);
            for ((judge, outcomes), scratch) in judges.iter().zip(&mut *outcomes).zip(&mut *scratches) {
                space.route(judge);
                space.front::<I>(judge, &batch);
                space.walk(judge, &batch, scratch);
                space.rest(judge, &batch, scratch);
                outcomes[from..from + batch.count()].copy_from_slice(&space.outcomes[..batch.count()]);
            }
            from += batch.count();
        }
    }
}

impl Space {
    /// Step 1. All of the URLs are [readable](Urls::readable).
    #[inline(always)]
    fn key<I: Isa>(&mut self, lookup: &Lookup<'_>, urls: &Urls<'_>) {
        let count = urls.count().min(BATCH);
        let (starts, ends) = (&urls.starts[..count], &urls.ends[..count]);
        let seed = lookup.seed();
        for url in 0..count {
            let (start, end) = (starts[url], ends[url] - urls.gap);
            // SAFETY: `start` is within the text, with 40 bytes and more after it.
            let key = unsafe { I::key(urls.text.as_ptr().add(start as usize), (end - start) as usize) };
            let hash = policy::hash(key.first, key.rest, u64::from(key.length), seed);
            lookup.prefetch_pilot(lookup.bucket(hash));
            self.hashes[url] = hash;
            self.first[url] = key.first;
            let [a, b, c, d] = key.rest;
            self.rest[url] = [a.to_le(), b.to_le(), c.to_le(), d.to_le()];
            // A key that fills all its bytes may go on after them.
            self.lengths[url] = if key.length <= (end - start).min(WHOLE_KEY - 1) { key.length } else { NO_KEY };
            self.paths[url] = start.wrapping_add(key.length);
            self.ends[url] = end;
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
    fn look<I: Isa>(&mut self, lookup: &Lookup<'_>, urls: &Urls<'_>) {
        let [mut known, mut untidy, mut unknown] =
            [&mut self.known, &mut self.untidy, &mut self.unknown].map(|list| Append::to(&mut list.items));
        let looks = &urls.looks[..urls.count().min(BATCH)];
        for url in 0..looks.len() {
            let entry = lookup.entry(self.slots[url] as usize);
            let is_same = entry.has_beginning(self.first[url], u64::from(self.lengths[url]))
                & I::is_same_rest(entry.rest(), &self.rest[url]);
            // A path that is not written is one that is not plain.
            let is_tidy = (looks[url] == 0) & (self.paths[url] < self.ends[url]);
            known.push_if(is_same & is_tidy, url as u8);
            untidy.push_if(is_same & !is_tidy, url as u8);
            unknown.push_if(!is_same, url as u8);
        }
        (self.known.count, self.untidy.count, self.unknown.count) = (known.count, untidy.count, unknown.count);
    }

    /// Step 4. Three quarters of the URLs that are not plain have a fragment, a CR, or bytes and escapes that this
    /// dialect's normal form keeps.
    #[inline(always)]
    fn tidy<I: Isa>(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, scratches: &mut [Scratch]) {
        let encoding = judge.policy().dialect().encoding;
        let mut left = 0;
        for place in 0..self.untidy.count {
            let url = self.untidy.items[place];
            let at = usize::from(url);
            let (start, end) = (self.paths[at] as usize, self.ends[at] as usize);
            // SAFETY: the path of a readable URL; before it stands the URL's key.
            if let Some(path) = unsafe { tidy_path::<I>(urls.text, start, end, encoding) } {
                self.ends[at] = path.end as u32;
                if path.may_have_dots {
                    let has_dots = u64::from(origin::has_dot_segment(&urls.text[start..path.end]));
                    scratches.iter_mut().for_each(|scratch| scratch.dot_segments += has_dots);
                }
                self.known.items[self.known.count] = url;
                self.known.count += 1;
            } else {
                self.untidy.items[left] = url;
                left += 1;
            }
        }
        self.untidy.count = left;
    }

    /// Step 5.
    #[inline(always)]
    fn route(&mut self, judge: &Judge<'_>) {
        if judge.entries_suffice() {
            self.route_by(judge, |slot| judge.route_of_entry(slot));
        } else {
            for &url in self.known.items() {
                judge.prefetch_route(self.slots[usize::from(url)] as usize);
            }
            self.route_by(judge, |slot| judge.route(slot));
        }
    }

    #[inline(always)]
    fn route_by(&mut self, judge: &Judge<'_>, route: impl Fn(usize) -> (Route, u32)) {
        let mut items = Append::to(&mut self.items.items);
        for &url in self.known.items() {
            let place = usize::from(url);
            let (route, automaton) = route(self.slots[place] as usize);
            judge.prefetch_automaton(automaton);
            self.outcomes[place] = route.settled;
            let (start, end) = (self.paths[place], self.ends[place]);
            let item = Item { automaton, start, end, url, outcomes: route.outcomes };
            items.push_if((automaton != 0) & route.walks, item);
        }
        self.items.count = items.count;
    }

    /// Step 6. Prefixes are asked for of all paths, and then triples of those where they may decide: asking for both at
    /// once takes half a mispredicted branch a line.
    #[inline(always)]
    fn front<I: Isa>(&mut self, judge: &Judge<'_>, urls: &Urls<'_>) {
        let [mut asking, mut walks] = [&mut self.asking, &mut self.walks].map(|list| Append::to(&mut list.items));
        for (place, item) in self.items.items().iter().enumerate() {
            let automaton = judge.automaton(item.automaton);
            self.outcomes[usize::from(item.url)] = item.outcomes[usize::from(front::base_is_blocked(automaton))];
            // SAFETY: the automaton is an item of a checked image, and the path one of a URL that is readable.
            let found = unsafe { I::prefixes(automaton, path_of(urls.text, item)) };
            self.lanes[place] = found.lanes;
            walks.push_if(found.passes != 0, place as u8);
            asking.push_if((found.asks != 0) & (found.passes == 0), place as u8);
        }
        for &place in &asking.items[..asking.count] {
            let item = &self.items.items[usize::from(place)];
            // SAFETY: as above; these lanes ask for triples.
            let passes = unsafe {
                let path = path_of(urls.text, item);
                I::triples(judge.automaton(item.automaton), path, self.lanes[usize::from(place)])
            };
            walks.push_if(passes, place);
        }
        self.walks.count = walks.count;
    }

    /// Step 7.
    #[inline(always)]
    fn walk(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, scratch: &mut Scratch) {
        for &place in self.walks.items() {
            let item = &self.items.items[usize::from(place)];
            let words = front::words(judge.automaton(item.automaton));
            let (text, start) = (&urls.text[..item.end as usize], item.start as usize);
            let walk = automaton::begin(words, text, start);
            let [allowed, blocked] = item.outcomes;
            let outcome = match automaton::finish(words, text, walk, &mut scratch.walk) {
                Verdict::Allowed => allowed,
                Verdict::Blocked => judge.blocked(&text[start..], blocked),
            };
            self.outcomes[usize::from(item.url)] = outcome;
        }
    }

    /// All others, one by one.
    #[inline(always)]
    fn rest(&mut self, judge: &Judge<'_>, urls: &Urls<'_>, scratch: &mut Scratch) {
        for &url in self.untidy.items() {
            let place = usize::from(url);
            let rest = &urls.text[self.paths[place] as usize..self.ends[place] as usize];
            self.outcomes[place] = judge.judge_rest(self.slots[place] as usize, rest, scratch);
        }
        for &url in self.unknown.items() {
            let place = usize::from(url);
            self.outcomes[place] = judge.judge_line(urls.get(place), scratch);
        }
    }
}

/// A path in normal form.
struct TidyPath {
    /// Where it ends in the text.
    end: usize,
    /// Whether `/.` is in it.
    may_have_dots: bool,
}

const _: () = assert!(PADDING >= BLOCK);

/// The path of what stands in a URL after its origin, if it begins with `/` and is in normal form as it stands.
///
/// # Safety
///
/// Callers must ensure that [`PADDING`] bytes can be read after `end`, and one before `start`.
#[inline(always)]
unsafe fn tidy_path<I: Isa>(text: &[u8], start: usize, end: usize, encoding: Encoding) -> Option<TidyPath> {
    let (mut end, mut at, mut may_have_dots) = (end, start, false);
    while at < end {
        // SAFETY: fewer than `PADDING` bytes are read after the end.
        let block = unsafe { &*text.as_ptr().add(at - 1).cast::<[u8; 1 + BLOCK]>() };
        let (line_ends, looks) = I::masks(block);
        let mut looks = (line_ends | looks) & u64::MAX >> (BLOCK - (end - at).min(BLOCK));
        while looks != 0 {
            let place = at + looks.trailing_zeros() as usize;
            match text[place] {
                b'#' | b'\r' => {
                    end = place;
                    break;
                }
                b'.' => may_have_dots = true,
                _ if !encoding.keeps_first(&text[place..end]) => return None,
                _ => {}
            }
            looks &= looks - 1;
        }
        at += BLOCK;
    }
    // Blanks at the end of a line are no part of its URL.
    let is_path = start < end && text[start] == b'/' && text[end - 1] > b' ';
    is_path.then_some(TidyPath { end, may_have_dots })
}

/// The path of an item, which lies within the text.
///
/// # Safety
///
/// Callers must ensure that the item was made of a readable URL of this text.
#[inline(always)]
unsafe fn path_of<'t>(text: &'t [u8], item: &Item) -> &'t [u8] {
    let (start, end) = (item.start as usize, item.end as usize);
    debug_assert!(start < end && end <= text.len());
    // SAFETY: a path begins after the key of its URL, and ends where the URL does or before.
    unsafe { text.get_unchecked(start..end) }
}
