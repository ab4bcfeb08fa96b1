//! An override with its rules in place, ready to stand above what captures come to.

use super::Override;
use crate::policy::resolve::Resolved;
use crate::policy::side_records;
use crate::policy::state::OverrideState;

/// The operator's word for an origin; row and side records are those of the captures' tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Placement {
    word: OverrideState,
    /// The robots.txt that stands in place of the origin's.
    pub robots_txt: Option<PlacedRobots>,
    /// Side records of the operator's own, encoded: the crawl delay.
    pub side_records: Option<Vec<u8>>,
}

/// Where the captures' tables have what a robots.txt comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::policy) struct PlacedRobots {
    pub row: u32,
    pub side: u32,
}

impl Placement {
    /// The word, but for its robots.txt.
    pub fn of(word: &Override) -> Placement {
        Placement {
            word: OverrideState { ruling: word.ruling, paused_until: word.paused_until },
            robots_txt: None,
            side_records: word.crawl_delay.as_deref().map(side_records::by_hand),
        }
    }

    /// Puts the word above what is known of the origin, which stays beside it.
    pub fn apply(&self, resolved: &mut Resolved) {
        resolved.state.word = self.word;
        if let Some(robots_txt) = self.robots_txt {
            (resolved.row, resolved.side) = (robots_txt.row, robots_txt.side);
        }
    }
}
