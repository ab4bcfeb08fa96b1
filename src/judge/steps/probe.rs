//! Step 2: computes the slot of the look-up table that may hold a key.
//!
//! It waits only for pilots, and prefetches all entries of the batch.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::Space;
use crate::policy::Lookup;

/// Step 2, for `count` URLs.
pub(in crate::judge) struct Probe<'a, 'p> {
    pub space: &'a mut Space,
    pub lookup: Lookup<'p>,
    pub count: usize,
}

impl Kernel for Probe<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Probe { space, lookup, count } = self;
        for (slot, &hash) in space.slots.iter_mut().zip(&space.hashes).take(count) {
            let found = lookup.slot(hash, lookup.pilot(lookup.bucket(hash)));
            lookup.prefetch_entry(found);
            *slot = found as u32;
        }
    }
}
