//! Compares what sites say about uses that is only kept: which of it came and went.

use std::collections::BTreeSet;

use super::change::{Difference, Differences};
use crate::preferences::KeptUse;
use crate::robots::SideRecord;

/// What records say that is only kept. Where they stand, and how often they say it, is no difference.
pub(super) type Kept = BTreeSet<KeptUse>;

pub(super) fn kept(records: &[SideRecord<'_>]) -> Kept {
    records.iter().flat_map(KeptUse::of).collect()
}

/// What went and what came. Where as much of one key came as went, it took its place.
pub(super) fn differences(was: &Kept, now: &Kept) -> Differences {
    let (mut gone, mut new) = (was.difference(now).peekable(), now.difference(was).peekable());
    let mut shown = Vec::new();
    // Both are in the order of their keys.
    loop {
        let key = match (gone.peek(), new.peek()) {
            (Some(one), Some(other)) => one.key().min(other.key()),
            (Some(one), None) | (None, Some(one)) => one.key(),
            (None, None) => break,
        };
        let [was, now] = [&mut gone, &mut new].map(|side| side.next_if(|one| one.key() == key));
        let [was, now] = [was, now].map(|one| one.map(KeptUse::text).unwrap_or_default());
        shown.push(Difference { path: Vec::new(), was, now });
    }
    Differences { count: shown.len() as u64, shown, are_all: true }
}
