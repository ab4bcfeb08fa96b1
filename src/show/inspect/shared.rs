//! Finds the groups that many origins share.

use hashbrown::HashMap;
use serde::Serialize;
use std::cmp::Reverse;

use crate::automaton::{self, Engine};
use crate::policy::{Group, Groups, Policy};

/// A group that several origins share: their rules give the same verdicts, whichever lines they are on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SharedGroup {
    /// The number of origins with the group, for any of the crawlers.
    pub origins: u64,
    /// The first of these origins.
    pub example: String,
    /// The number of its rules in that origin's robots.txt.
    pub rules: u64,
    /// The engine of its automaton.
    pub engine: Engine,
    /// Bytes of its automaton, including the front.
    pub bytes: u64,
}

/// A group and its origins.
struct CountedGroup<'p> {
    origins: u64,
    first: &'p [u8],
    group: Group,
}

/// The groups of more than one origin, at most `most` of them, those with the most origins first.
pub(super) fn most_shared(policy: &Policy, groups: &Groups<'_>, most: usize) -> Vec<SharedGroup> {
    let mut counted = by_automaton(policy, groups);
    counted.retain(|counted| counted.origins > 1);
    // Groups of the same origins come in the order of the file, not of the map.
    counted.sort_unstable_by_key(|counted| (Reverse(counted.origins), counted.first, counted.group.automaton));
    counted.truncate(most);
    let shared = |CountedGroup { origins, first, group }: CountedGroup<'_>| {
        let words = groups.automaton(group);
        SharedGroup {
            origins,
            example: String::from_utf8_lossy(first).into_owned(),
            rules: policy.outline(group).rules,
            engine: automaton::engine(words),
            bytes: groups.item(group).len() as u64,
        }
    };
    counted.into_iter().map(shared).collect()
}

/// The groups, one for each automaton.
fn by_automaton<'p>(policy: &'p Policy, groups: &Groups<'_>) -> Vec<CountedGroup<'p>> {
    // For each row, the number of origins and the first one; origins come in order.
    let mut rows: Vec<(u64, &[u8])> = vec![(0, b""); groups.rows()];
    for record in policy.lookup().records() {
        let (count, first) = &mut rows[record.row as usize];
        if *count == 0 {
            *first = record.origin;
        }
        *count += 1;
    }
    let mut by_automaton: HashMap<u32, CountedGroup<'p>> = HashMap::new();
    let mut of_row: Vec<Group> = Vec::new();
    for (row, &(origins, first)) in rows.iter().enumerate().filter(|(_, (origins, _))| *origins > 0) {
        of_row.clear();
        of_row.extend(groups.row(row as u32).flatten());
        // An origin counts once, even if the group applies to several crawlers.
        of_row.sort_by_key(|group| group.automaton);
        of_row.dedup_by_key(|group| group.automaton);
        for &group in &of_row {
            let counted = by_automaton.entry(group.automaton).or_insert(CountedGroup { origins: 0, first, group });
            counted.origins += origins;
            if first < counted.first {
                (counted.first, counted.group) = (first, group);
            }
        }
    }
    by_automaton.into_values().collect()
}
