//! Step 2: the slot of the look-up table that may hold a key.
//!
//! It waits for pilots only, and asks for all entries of the batch.

use crate::judge::space::Space;
use crate::policy::Lookup;

impl Space {
    /// Step 2.
    #[inline(always)]
    pub(in crate::judge) fn probe(&mut self, lookup: &Lookup<'_>, count: usize) {
        for (slot, &hash) in self.slots.iter_mut().zip(&self.hashes).take(count) {
            let found = lookup.slot(hash, lookup.pilot(lookup.bucket(hash)));
            lookup.prefetch_entry(found);
            *slot = found as u32;
        }
    }
}
