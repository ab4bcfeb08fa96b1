//! Finds the groups that many origins share.

use hashbrown::HashMap;
use serde::Serialize;

use crate::automaton::{self, Engine};
use crate::policy::{Group, Groups, Policy};

/// A group that several origins share: their rules give the same verdicts, whichever lines they are on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// For each row, the number of origins and the first one.
pub(super) struct RowCounts<'p>(Vec<(u64, &'p [u8])>);

/// A group and its origins.
struct Counted<'p> {
    origins: u64,
    first: &'p [u8],
    group: Group,
}

impl<'p> RowCounts<'p> {
    /// Begins with `rows` rows without origins.
    pub fn new(rows: usize) -> RowCounts<'p> {
        RowCounts(vec![(0, b""); rows])
    }

    /// Counts an origin; origins must come in order.
    pub fn add(&mut self, row: u32, origin: &'p [u8]) {
        let (count, first) = &mut self.0[row as usize];
        if *count == 0 {
            *first = origin;
        }
        *count += 1;
    }

    /// The groups of more than one origin, at most `most` of them, those with the most origins first.
    pub fn most_shared(&self, policy: &Policy, groups: &Groups<'p>, most: usize) -> Vec<SharedGroup> {
        let mut counted = self.by_automaton(groups);
        counted.retain(|counted| counted.origins > 1);
        counted.sort_unstable_by(|one, other| other.origins.cmp(&one.origins).then(one.first.cmp(other.first)));
        counted.truncate(most);
        let shared = |Counted { origins, first, group }: Counted<'p>| {
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
    fn by_automaton(&self, groups: &Groups<'p>) -> Vec<Counted<'p>> {
        let mut by_automaton: HashMap<u32, Counted<'p>> = HashMap::new();
        let mut of_row: Vec<Group> = Vec::new();
        for (row, &(origins, first)) in self.0.iter().enumerate().filter(|(_, (origins, _))| *origins > 0) {
            of_row.clear();
            of_row.extend(groups.row(row as u32).flatten());
            // An origin counts once, even if the group applies to several crawlers.
            of_row.sort_by_key(|group| group.automaton);
            of_row.dedup_by_key(|group| group.automaton);
            for &group in &of_row {
                let counted = by_automaton.entry(group.automaton).or_insert(Counted { origins: 0, first, group });
                counted.origins += origins;
                if first < counted.first {
                    (counted.first, counted.group) = (first, group);
                }
            }
        }
        by_automaton.into_values().collect()
    }
}
