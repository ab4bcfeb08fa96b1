//! Steps 1 to 3: whether the policy knows the origin of each URL. They are the same for all crawlers.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{Append, BATCH, NO_KEY, Space};
use crate::judge::text_urls::Readable;
use crate::policy::{self, Lookup};

/// The most bytes of a key.
const WHOLE_KEY: u32 = 40;

/// Step 1: the key of each URL, which is its first 40 bytes up to the end of its authority.
///
/// With the copying of outcomes it takes 39 instructions a line.
pub(in crate::judge) struct KeyStep<'a> {
    pub space: &'a mut Space,
    pub urls: &'a Readable<'a>,
}

impl Kernel for KeyStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let KeyStep { space, urls } = self;
        let count = urls.count().min(BATCH);
        let (starts, ends) = (&urls.starts[..count], &urls.ends[..count]);
        for url in 0..count {
            let (start, end) = (starts[url], ends[url] - urls.gap);
            // SAFETY: the URL is readable, so at least 40 bytes of the text come after its start.
            let key = unsafe { I::key(urls.text.as_ptr().add(start as usize), (end - start) as usize) };
            space.first[url] = key.first;
            let [a, b, c, d] = key.rest;
            space.rest[url] = [a.to_le(), b.to_le(), c.to_le(), d.to_le()];
            // A key that fills all its bytes may be longer.
            space.lengths[url] = if key.length <= (end - start).min(WHOLE_KEY - 1) { key.length } else { NO_KEY };
            space.paths[url] = start.wrapping_add(key.length);
            space.ends[url] = end;
        }
    }
}

/// Step 2: computes the slot of the look-up table that may hold a key.
///
/// First the hashes, and a prefetch of their pilots; then the slots, and a prefetch of their entries: 42 instructions a line, and
/// no mispredicted branch. In a sorted list, whose hosts repeat, a host is hashed and probed once: 5 of 43 ns a line (`filter --count --threads 1`, `sorted.txt` of
/// `scripts/make-list`). Where they do not, looking for repeats would cost 13 instructions a line, so three samples of each
/// batch decide whether to look.
///
/// It is for `count` URLs; there is at least one.
pub(in crate::judge) struct ProbeStep<'a, 'p> {
    pub space: &'a mut Space,
    pub lookup: Lookup<'p>,
    pub count: usize,
}

impl Kernel for ProbeStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let ProbeStep { space, lookup, count } = self;
        let count = count.min(BATCH);
        let places = [count / 3, count / 2, count - 1];
        if places.into_iter().any(|url| url > 0 && space.has_key_before::<I>(url)) {
            space.probe::<I, true>(lookup, count);
        } else {
            space.probe::<I, false>(lookup, count);
        }
    }
}

impl Space {
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

    /// Whether a URL has the key of the one before it.
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
/// URLs are appended to two lists without a branch. This takes 39 instructions a line and no mispredicted branch.
pub(in crate::judge) struct LookStep<'a, 'p> {
    pub space: &'a mut Space,
    pub lookup: Lookup<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for LookStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let LookStep { space, lookup, urls } = self;
        let [mut known, mut untidy] = [&mut space.known, &mut space.untidy].map(|list| Append::to(&mut list.items));
        let looks = &urls.looks[..urls.count().min(BATCH)];
        #[expect(clippy::needless_range_loop, reason = "an iterator takes 27 instructions a line more")]
        for url in 0..looks.len() {
            let entry = lookup.entry(space.slots[url] as usize);
            let is_same = entry.has_beginning(space.first[url], u64::from(space.lengths[url]))
                & (I::differences(entry.rest(), &space.rest[url]) == 0);
            // A URL without a path counts as not plain.
            let is_tidy = (looks[url] == 0) & (space.paths[url] < space.ends[url]);
            known.push_if(is_same & is_tidy, url as u8);
            untidy.push_if(is_same & !is_tidy, url as u8);
        }
        (space.known.count, space.untidy.count) = (known.count, untidy.count);
        space.unknown.count = 0;
        if space.known.count + space.untidy.count < looks.len() {
            space.list_unknown(looks.len());
        }
    }
}

impl Space {
    /// Lists the URLs that are in neither list. There are rarely any, and appending them in the loop takes 5 instructions a
    /// line.
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
