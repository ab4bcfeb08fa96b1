//! How many origins of a policy say something about uses of their pages to each crawler.

use hashbrown::HashMap;

use crate::policy::{Crawler, Policy};
use crate::preferences::{Preference, PreferenceLine, Use};

/// How many origins say something about uses to a crawler, in lines that apply to it. One that says several things counts for each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct UseCounts {
    /// The crawler's name.
    pub agent: String,
    /// Origins by use, and by what they say of it for some page.
    origins: [[u64; Preference::ALL.len()]; Use::ALL.len()],
}

impl UseCounts {
    /// Counts the origins of a policy for some of its crawlers.
    pub fn of(policy: &Policy, crawlers: &[Crawler]) -> Vec<UseCounts> {
        // Which column answers depends on the row only if there are several.
        let needs_row = crawlers.iter().any(|crawler| crawler.columns().len() > 1);
        let mut same: HashMap<(bool, Option<u32>, Vec<u8>), u64> = HashMap::new();
        for (of, record) in policy.records() {
            let list = of.records_about_uses(&record);
            if !list.is_empty() {
                let row = needs_row.then_some(record.row);
                *same.entry((std::ptr::eq(of, policy), row, list)).or_default() += 1;
            }
        }
        let new = |crawler: &Crawler| UseCounts { agent: crawler.agents().to_string(), origins: Default::default() };
        let mut all: Vec<UseCounts> = crawlers.iter().map(new).collect();
        for ((is_own, row, list), origins) in same {
            let of = if is_own { policy } else { policy.changed().unwrap_or(policy) };
            for (crawler, counts) in crawlers.iter().zip(&mut all) {
                let column = match (row, crawler.columns()) {
                    (None, [only]) => *only,
                    _ => of.groups(crawler).answer(row.unwrap_or_default()).0,
                };
                counts.add(&list, column, origins);
            }
        }
        all
    }

    /// Adds origins with these records.
    fn add(&mut self, list: &[u8], column: usize, origins: u64) {
        let mut is_said = [[false; Preference::ALL.len()]; Use::ALL.len()];
        for line in Policy::records_of_column(list, column).iter().filter_map(PreferenceLine::of) {
            Use::ALL.into_iter().for_each(|use_| is_said[use_ as usize][line.says(use_) as usize] = true);
        }
        for (counts, said) in self.origins.iter_mut().flatten().zip(is_said.iter().flatten()) {
            *counts += if *said { origins } else { 0 };
        }
    }

    /// Origins that say this of a use, for some page.
    pub fn with(&self, use_: Use, preference: Preference) -> u64 {
        self.origins[use_ as usize][preference as usize]
    }
}
