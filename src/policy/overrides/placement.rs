//! An override with its rules stored, ready to be applied to a resolved origin.

use crate::policy::known::StoredAnswer;
use crate::policy::resolve::Resolved;
use crate::policy::state::OverrideState;

/// The override for an origin; row and side records are those of the captures' tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Placement {
    pub operator_override: OverrideState,
    /// The robots.txt that replaces the origin's.
    pub robots_txt: Option<StoredAnswer>,
    /// The operator's own side records, encoded: the crawl delay.
    pub side_records: Option<Vec<u8>>,
}

impl Placement {
    /// Applies the override to an origin. The origin's own state is kept as well.
    pub fn apply(&self, resolved: &mut Resolved) {
        resolved.state.operator_override = self.operator_override;
        if let Some(robots_txt) = self.robots_txt {
            (resolved.row, resolved.side) = (robots_txt.row, robots_txt.side);
        }
    }
}
