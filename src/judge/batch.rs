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
use super::matcher::{Judge, Scratch};
use crate::automaton::{self, front};
use crate::origin;
use crate::outcome::Outcome;
use crate::policy::{self, Lookup};
use crate::rules::Verdict;

/// URLs that go through a step together: enough to overlap cache misses, few enough for their arrays to stay in the first
/// level of the cache.
const BATCH: usize = 256;

/// So many bytes after a URL are read, though they do not matter. What ends nearer to the end of the text goes the slow way.
pub(super) const PADDING: usize = 128;
const _: () = assert!(PADDING >= front::PADDING + 32);

/// Bytes of a key, at most.
const WHOLE_KEY: u32 = 40;

/// No slot: the origin is not in the table as it stands, or nobody knows.
const UNKNOWN: u32 = u32::MAX;

/// URLs within a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Urls<'u> {
    /// What holds them.
    pub text: &'u [u8],
    /// Where each begins.
    pub starts: &'u [u32],
    /// Where each ends, plus [`Urls::gap`]; as many.
    pub ends: &'u [u32],
    /// How much is to be taken from an end: 1 for lines, which end where the next one begins, but for the LF.
    pub gap: u32,
    /// Whether each needs a second look: 0 where it is [plain](super::lines). When in doubt, 1: it only takes longer.
    pub looks: &'u [u8],
}

impl<'u> Urls<'u> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.looks.len()
    }

    /// A URL.
    pub fn get(&self, url: usize) -> &'u [u8] {
        &self.text[self.starts[url] as usize..(self.ends[url] - self.gap) as usize]
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

/// A path that an automaton decides.
#[derive(Debug, Clone, Copy, Default)]
struct Item {
    automaton: u32,
    /// Where it begins and ends in the text.
    start: u32,
    end: u32,
    /// Which URL of the batch.
    url: u16,
    /// The outcomes where the automaton allows and where it blocks.
    allowed: Outcome,
    blocked: Outcome,
}

/// What stands between the steps; one for each thread, used again and again.
#[derive(Debug)]
pub(crate) struct Space {
    hashes: [u64; BATCH],
    first: [u64; BATCH],
    rest: [[u64; 4]; BATCH],
    /// Bytes of the key; [`UNKNOWN`] where it is none.
    lengths: [u32; BATCH],
    slots: [u32; BATCH],
    /// Where the path ends, of known URLs.
    ends: [u32; BATCH],
    /// URLs of known origins that are plain; of known origins that are not; all others.
    known: List<u16>,
    untidy: List<u16>,
    others: List<u16>,
    /// Paths for the front; for the walk.
    items: List<Item>,
    walks: List<Item>,
}

/// A list of a batch, to which a step appends without a branch.
#[derive(Debug)]
struct List<T> {
    items: [T; BATCH],
    count: usize,
}

impl<T: Copy + Default> Default for List<T> {
    fn default() -> List<T> {
        List { items: [T::default(); BATCH], count: 0 }
    }
}

impl<T: Copy> List<T> {
    /// Appends an item, if it is `wanted`; there is room for one a URL.
    #[inline(always)]
    fn push_if(&mut self, wanted: bool, item: T) {
        // A mask costs less than a bounds check, and no index is beyond it: nothing is appended to a full list.
        self.items[self.count % BATCH] = item;
        self.count += usize::from(wanted);
    }

    fn items(&self) -> &[T] {
        &self.items[..self.count]
    }
}

impl Default for Space {
    fn default() -> Space {
        Space {
            hashes: [0; BATCH],
            first: [0; BATCH],
            rest: [[0; 4]; BATCH],
            lengths: [0; BATCH],
            slots: [0; BATCH],
            ends: [0; BATCH],
            known: List::default(),
            untidy: List::default(),
            others: List::default(),
            items: List::default(),
            walks: List::default(),
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
