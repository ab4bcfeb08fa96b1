//! Compares what sites say about uses that is only kept: which of it came and went.

use std::collections::{BTreeMap, BTreeSet};

use super::change::{Difference, Differences};
use crate::preferences::KeptUse;
use crate::robots::{SideKey, SideRecord};

/// What records say that is only kept. Where they stand, and how often they say it, is no difference.
pub(super) type Kept = BTreeSet<KeptUse>;

pub(super) fn kept(records: &[SideRecord<'_>]) -> Kept {
    records.iter().flat_map(KeptUse::of).collect()
}

/// What went and what came. Where one record of a key went and one came, it took its place.
pub(super) fn differences(was: &Kept, now: &Kept) -> Differences {
    let mut by_key: BTreeMap<Option<SideKey>, [Vec<String>; 2]> = BTreeMap::new();
    for (side, changed) in [was.difference(now).collect::<Vec<_>>(), now.difference(was).collect()].iter().enumerate() {
        changed.iter().for_each(|one| by_key.entry(one.key()).or_default()[side].push(one.text()));
    }
    let difference = |was, now| Difference { path: Vec::new(), was, now };
    let of_key = |sides: [Vec<String>; 2]| match sides.map(<[String; 1]>::try_from) {
        [Ok([was]), Ok([now])] => vec![difference(was, now)],
        sides => {
            let [gone, new] = sides.map(|side| side.map_or_else(|side| side, Vec::from));
            let gone = gone.into_iter().map(|was| difference(was, String::new()));
            gone.chain(new.into_iter().map(|now| difference(String::new(), now))).collect()
        }
    };
    let shown: Vec<Difference> = by_key.into_values().flat_map(of_key).collect();
    Differences { count: shown.len() as u64, shown, are_all: true }
}
