//! The steps of a [batch](super::batch), in their order.

use super::isa::{BLOCK, Isa, Kernel};
use super::scratch::{Append, BATCH, BatchArrays, Item, NO_KEY, Scratch};
use super::urls::{PADDING, Readable};
use super::view::{JudgeView, Route};
use crate::automaton::{self, front};
use crate::origin;
use crate::outcome::Outcome;
use crate::policy::{self, Lookup};
use crate::rules::{KeptBytes, Verdict};

/// The most bytes of a key.
const WHOLE_KEY: u32 = 40;

/// Step 1: the key of each URL, which is its first 40 bytes up to the end of its authority.
pub(super) struct KeyStep<'a> {
    pub arrays: &'a mut BatchArrays,
    pub urls: &'a Readable<'a>,
}

impl Kernel for KeyStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let KeyStep { arrays, urls } = self;
        let count = urls.count().min(BATCH);
        let (starts, ends) = (&urls.starts[..count], &urls.ends[..count]);
        for url in 0..count {
            let (start, end) = (starts[url], ends[url] - urls.gap);
            // SAFETY: the URL is readable, so at least 40 bytes of the text come after its start.
            let key = unsafe { I::key(urls.text.as_ptr().add(start as usize), (end - start) as usize) };
            arrays.first[url] = key.first;
            let [a, b, c, d] = key.rest;
            arrays.rest[url] = [a.to_le(), b.to_le(), c.to_le(), d.to_le()];
            // A key that fills all its bytes may be longer.
            arrays.lengths[url] = if key.length <= (end - start).min(WHOLE_KEY - 1) { key.length } else { NO_KEY };
            arrays.paths[url] = start.wrapping_add(key.length);
            arrays.ends[url] = end;
        }
    }
}

/// Step 2: computes the slot of the look-up table that may hold a key.
///
/// First come the hashes, with a prefetch of their pilots; then the slots, with a prefetch of their entries. In a
/// sorted list, hosts repeat, and a repeated host is hashed and probed once. In other lists, looking for repeats costs
/// more than it saves, so three samples of each batch decide whether to look.
///
/// It handles `count` URLs, at least one.
pub(super) struct ProbeStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub lookup: Lookup<'p>,
    pub count: usize,
}

impl Kernel for ProbeStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let ProbeStep { arrays, lookup, count } = self;
        let count = count.min(BATCH);
        let places = [count / 3, count / 2, count - 1];
        if places.into_iter().any(|url| url > 0 && arrays.has_key_before::<I>(url)) {
            arrays.probe::<I, true>(lookup, count);
        } else {
            arrays.probe::<I, false>(lookup, count);
        }
    }
}

impl BatchArrays {
    /// Finds the slots of `count` keys; a key that repeats the one before it takes its slot, if `REPEATS`.
    #[inline(always)]
    fn probe<I: Isa, const REPEATS: bool>(&mut self, lookup: Lookup<'_>, count: usize) {
        let (mut hash, mut slot) = (0, 0);
        for url in 0..count {
            if !REPEATS || url == 0 || !self.has_key_before::<I>(url) {
                hash = self.hash_of(url, lookup.seed());
                lookup.prefetch_pilot(lookup.bucket(hash));
            }
            self.hashes[url] = hash;
        }
        for url in 0..count {
            let next = self.hashes[url];
            if !REPEATS || url == 0 || next != hash {
                hash = next;
                slot = lookup.slot(hash, lookup.pilot(lookup.bucket(hash)));
                lookup.prefetch_entry(slot);
            }
            self.slots[url] = slot as u32;
        }
    }

    #[inline(always)]
    fn hash_of(&self, url: usize, seed: u64) -> u64 {
        let [a, b, c, d] = self.rest[url];
        let rest = [u64::from_le(a), u64::from_le(b), u64::from_le(c), u64::from_le(d)];
        policy::hash(self.first[url], rest, u64::from(self.lengths[url]), seed)
    }

    /// Whether a URL has the same key as the previous one.
    #[inline(always)]
    fn has_key_before<I: Isa>(&self, url: usize) -> bool {
        let [before, here] = [url - 1, url];
        // One branch, not three: many hosts begin with the same byte, in no order that a branch predictor could learn.
        let differences = (self.first[before] ^ self.first[here])
            | u64::from(self.lengths[before] ^ self.lengths[here])
            | I::differences(&self.rest[before], &self.rest[here]);
        differences == 0
    }
}

/// Step 3: checks whether the entry of a slot is that of the URL's origin.
///
/// URLs are appended to two lists without a branch.
pub(super) struct LookStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub lookup: Lookup<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for LookStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let LookStep { arrays, lookup, urls } = self;
        let mut known = Append::to(&mut arrays.known.items);
        let mut untidy = Append::to(&mut arrays.untidy.items);
        let second_looks = &urls.second_looks[..urls.count().min(BATCH)];
        #[expect(clippy::needless_range_loop, reason = "an iterator takes 27 instructions a line more")]
        for url in 0..second_looks.len() {
            let entry = lookup.entry(arrays.slots[url] as usize);
            let is_same = entry.has_beginning(arrays.first[url], u64::from(arrays.lengths[url]))
                & (I::differences(entry.rest(), &arrays.rest[url]) == 0);
            // A URL without a path counts as not plain.
            let is_tidy = (second_looks[url] == 0) & (arrays.paths[url] < arrays.ends[url]);
            known.push_if(is_same & is_tidy, url as u8);
            untidy.push_if(is_same & !is_tidy, url as u8);
        }
        (arrays.known.count, arrays.untidy.count) = (known.count, untidy.count);
        arrays.unknown.count = 0;
        if arrays.known.count + arrays.untidy.count < second_looks.len() {
            arrays.list_unknown(second_looks.len());
        }
    }
}

impl BatchArrays {
    /// Lists the URLs that are in neither list. They are rare, so the loop does not append them.
    #[cold]
    fn list_unknown(&mut self, count: usize) {
        let mut is_listed = [false; BATCH];
        for &url in self.known.items().iter().chain(self.untidy.items()) {
            is_listed[usize::from(url)] = true;
        }
        let mut unknown = Append::to(&mut self.unknown.items);
        for (url, is_listed) in is_listed.into_iter().enumerate().take(count) {
            unknown.push_if(!is_listed, url as u8);
        }
        self.unknown.count = unknown.count;
    }
}

/// Step 4: the paths of known URLs that are not plain.
///
/// Three quarters of these have a fragment, a CR at the end, or bytes and escapes that the dialect's normal form does
/// not change: they join the plain URLs. Paths are examined in blocks, not byte by byte.
pub(super) struct TidyStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub judge: &'a JudgeView<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for TidyStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let TidyStep { arrays, judge, urls } = self;
        let kept = judge.policy().dialect().encoding.kept_bytes();
        let mut left = 0;
        for place in 0..arrays.untidy.count {
            let url = arrays.untidy.items[place];
            let at = usize::from(url);
            let (start, end) = (arrays.paths[at] as usize, arrays.ends[at] as usize);
            // SAFETY: this is the path of a readable URL, and the URL's key comes before it.
            match unsafe { tidy_path_end::<I>(urls.text, start, end, kept) } {
                Ok(end) => {
                    arrays.ends[at] = end as u32;
                    arrays.known.items[arrays.known.count] = url;
                    arrays.known.count += 1;
                }
                Err(odd) => {
                    arrays.kept[at] = (odd - start) as u32;
                    arrays.untidy.items[left] = url;
                    left += 1;
                }
            }
        }
        arrays.untidy.count = left;
    }
}

const _: () = assert!(PADDING >= BLOCK);

/// Where the path of a URL ends, given the part after its origin, if the path begins with `/`, is fetched as written,
/// and is already in normal form. Otherwise, the number of its bytes that are certainly in normal form.
///
/// # Safety
///
/// Callers must ensure that [`PADDING`] bytes can be read after `end`, and one before `start`.
#[inline(always)]
unsafe fn tidy_path_end<I: Isa>(text: &[u8], start: usize, end: usize, kept: KeptBytes) -> Result<usize, usize> {
    let (mut end, mut at, mut may_have_dots) = (end, start, false);
    while at < end {
        // SAFETY: fewer than `PADDING` bytes are read after the end.
        let block = unsafe { &*text.as_ptr().add(at - 1).cast::<[u8; 1 + BLOCK]>() };
        let (line_ends, second_looks) = I::masks(block);
        let mut second_looks = (line_ends | second_looks) & u64::MAX >> (BLOCK - (end - at).min(BLOCK));
        while second_looks != 0 {
            let place = at + second_looks.trailing_zeros() as usize;
            match text[place] {
                b'#' if memchr::memchr2(b'\n', b'\t', &text[place..end]).is_none() => {
                    end = place;
                    break;
                }
                b'\r' if text[place..end].iter().all(|&byte| byte <= b' ') => {
                    end = place;
                    break;
                }
                // An escape that the normal form keeps is not that of a dot.
                b'.' => may_have_dots = true,
                b'#' | b'\r' | b'\n' | b'\t' | b'\\' => return Err(place),
                _ if !kept.have_first_of(&text[place..end]) => return Err(place),
                _ => {}
            }
            second_looks &= second_looks - 1;
        }
        at += BLOCK;
    }
    // Spaces at the end of a line are not part of its URL.
    let is_path = start < end && text[start] == b'/' && text[end - 1] > b' ';
    if is_path && !(may_have_dots && origin::has_dot_segment(&text[start..end])) { Ok(end) } else { Err(start) }
}

/// Step 5: the routes of the origins for a crawler, and the automata that decide.
///
/// If no decision depends on time, and the batch is for most crawlers of a policy or its only one, no branch depends on
/// a line. A single crawler of a policy with several must be looked up in the entry's set, and in the row if it is not
/// there.
pub(super) struct RouteStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub judge: &'a JudgeView<'p>,
}

impl Kernel for RouteStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let RouteStep { arrays, judge } = self;
        if judge.entries_suffice() {
            arrays.route_by(judge, |slot| judge.route_of_entry(slot));
        } else {
            for &url in arrays.known.items() {
                judge.prefetch_route(arrays.slots[usize::from(url)] as usize);
            }
            arrays.route_by(judge, |slot| judge.route(slot));
        }
    }
}

impl BatchArrays {
    #[inline(always)]
    fn route_by(&mut self, judge: &JudgeView<'_>, route: impl Fn(usize) -> (Route, u32)) {
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
}

/// Step 6: `/robots.txt` of origins that are closed as a whole, where the dialect always allows it.
///
/// Settled outcomes are nearly always allowed, so they are checked together for the whole batch, and only then 32 at a
/// time. Outcomes of unknown origins are not set yet, so this step may change them.
pub(super) struct ClosedStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub judge: &'a JudgeView<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for ClosedStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        const TOGETHER: usize = 32;
        let ClosedStep { arrays, judge, urls } = self;
        // The outcomes of the previous batch must not be examined again.
        for list in [&arrays.untidy, &arrays.unknown] {
            for &url in list.items() {
                arrays.outcomes[usize::from(url)] = Outcome::ROBOTS_TXT;
            }
        }
        if Outcome::are_all_allowed(&arrays.outcomes) {
            return;
        }
        for (block, outcomes) in arrays.outcomes.as_chunks_mut::<TOGETHER>().0.iter_mut().enumerate() {
            if Outcome::are_all_allowed(outcomes) {
                continue;
            }
            for (at, outcome) in outcomes.iter_mut().enumerate().filter(|(_, outcome)| outcome.spares_robots_txt()) {
                let place = block * TOGETHER + at;
                // The places of lines with unknown origins are arbitrary.
                let path = urls.text.get(arrays.paths[place] as usize..arrays.ends[place] as usize);
                *outcome = path.map_or(*outcome, |path| judge.unless_always_allowed(path, *outcome));
            }
        }
    }
}

/// Step 7: the fronts of the automata, which let only a few paths pass to the walk.
///
/// First a Bloom filter finds the paths that may begin with a prefix, one in six. These are probed for prefixes. Then
/// the paths for which triples may decide, two fifths of all, are probed for triples. Each probe has its own loop, so
/// that none has an unpredictable branch. Of a hundred paths, three or four pass.
pub(super) struct FrontStep<'a, 'p> {
    pub arrays: &'a mut BatchArrays,
    pub judge: &'a JudgeView<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for FrontStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let FrontStep { arrays, judge, urls } = self;
        // Copies stay in registers; through references, the compiler loads them again after each store.
        let (judge, text) = (judge.clone(), urls.text);
        let mut probing = Append::to(&mut arrays.probing.items);
        let mut asking = Append::to(&mut arrays.asking.items);
        let mut walks = Append::to(&mut arrays.walks.items);
        arrays.lanes = [0; BATCH];
        for (place, item) in arrays.items.items().iter().enumerate() {
            let automaton = judge.automaton(item.automaton);
            let has_free_classes = front::has_free_classes(automaton);
            arrays.outcomes[usize::from(item.url)] = item.outcomes[usize::from(front::base_is_blocked(automaton))];
            // SAFETY: the automaton is an item of a checked image, and the path is that of a readable URL.
            let begins = unsafe { I::begins(automaton, path_of(text, item)) };
            probing.push_if(begins, place as u8);
            asking.push_if(!begins & has_free_classes, place as u8);
        }
        for &place in &probing.items[..probing.count] {
            let item = &arrays.items.items[usize::from(place)];
            // SAFETY: as above.
            let found = unsafe { I::prefixes(judge.automaton(item.automaton), path_of(text, item)) };
            arrays.lanes[usize::from(place)] = found.lanes;
            walks.push_if(found.passes != 0, place);
            asking.push_if((found.asks != 0) & (found.passes == 0), place);
        }
        for &place in &asking.items[..asking.count] {
            let item = &arrays.items.items[usize::from(place)];
            // SAFETY: as above; these lanes ask for triples.
            let passes = unsafe {
                let path = path_of(text, item);
                I::triples(judge.automaton(item.automaton), path, arrays.lanes[usize::from(place)])
            };
            walks.push_if(passes, place);
        }
        arrays.walks.count = walks.count;
    }
}

/// The path of an item, which is within the text.
///
/// # Safety
///
/// Callers must ensure that the item was made from a readable URL of this text.
#[inline(always)]
unsafe fn path_of<'t>(text: &'t [u8], item: &Item) -> &'t [u8] {
    let (start, end) = (item.start as usize, item.end as usize);
    debug_assert!(start < end && end <= text.len());
    // SAFETY: a path begins after the key of its URL, and ends where the URL does or before.
    unsafe { text.get_unchecked(start..end) }
}

impl BatchArrays {
    /// Step 8: the walks of the paths that passed, and the slow way for all remaining URLs.
    #[inline(always)]
    pub(super) fn walk(&mut self, judge: &JudgeView<'_>, urls: &Readable<'_>, scratch: &mut Scratch) {
        for &place in self.walks.items() {
            let item = &self.items.items[usize::from(place)];
            let words = front::words(judge.automaton(item.automaton));
            let (text, start) = (&urls.text[..item.end as usize], item.start as usize);
            let [allowed, blocked] = item.outcomes;
            let outcome = match automaton::verdict_from(words, text, start, &mut scratch.walk) {
                Verdict::Allowed => allowed,
                Verdict::Blocked => judge.unless_always_allowed(&text[start..], blocked),
            };
            self.outcomes[usize::from(item.url)] = outcome;
        }
    }

    /// Judges all other URLs, one by one.
    #[inline(always)]
    pub(super) fn rest(&mut self, judge: &JudgeView<'_>, urls: &Readable<'_>, scratch: &mut Scratch) {
        for &url in self.untidy.items() {
            let place = usize::from(url);
            let rest = &urls.text[self.paths[place] as usize..self.ends[place] as usize];
            let (slot, kept) = (self.slots[place] as usize, self.kept[place] as usize);
            self.outcomes[place] = judge.judge_rest(slot, rest, kept, scratch);
        }
        for &url in self.unknown.items() {
            let place = usize::from(url);
            let length = self.lengths[place];
            // The key of a plain URL whose origin is not in the policy.
            let outcome = if urls.second_looks[place] == 0 && length != NO_KEY {
                let (key, path) = urls.get(place).split_at(length as usize);
                judge.outcome_of_unknown(key, path)
            } else {
                None
            };
            self.outcomes[place] = outcome.unwrap_or_else(|| judge.judge_line(urls.get(place), scratch));
        }
    }
}
