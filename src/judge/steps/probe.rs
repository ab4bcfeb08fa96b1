//! Step 2: computes the slot of the look-up table that may hold a key.
//!
//! First the hashes, and a prefetch of their pilots; then the slots, and a prefetch of their entries: 42 instructions a line, and
//! no mispredicted branch. In a sorted list, whose
//! hosts repeat, a host is hashed and probed once: 5 of 43 ns a line (`filter --count --threads 1`, `sorted.txt` of
//! `scripts/make-list`). Where they do not, looking for repeats would cost 13 instructions a line, so three samples of each
//! batch decide whether to look.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{BATCH, Space};
use crate::policy::{self, Lookup};

/// Step 2, for `count` URLs; there is at least one.
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
