//! Overrides by origin.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::policy::known::PlacedAnswer;
use crate::policy::resolve::Resolved;
use crate::policy::state::{OverrideState, Ruling};

/// The operator's override for one origin; at least one field is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Override {
    /// The operator's ruling in place of the robots.txt.
    pub ruling: Option<Ruling>,
    /// The robots.txt that replaces the origin's, for [`Ruling::RobotsTxt`].
    pub robots_txt: Option<Arc<[u8]>>,
    /// The crawl delay in seconds, as a decimal number; it takes precedence over those in a robots.txt.
    pub crawl_delay: Option<String>,
    /// The time before which nothing is fetched, in seconds of Unix time.
    pub paused_until: Option<i64>,
}

/// Overrides of many origins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    pub(super) by_origin: BTreeMap<String, Override>,
}

impl Overrides {
    /// The origins in canonical form, sorted, with their overrides.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Override)> {
        self.by_origin.iter().map(|(origin, entry)| (origin.as_str(), entry))
    }

    /// The override for an origin in canonical form.
    pub fn get(&self, origin: &str) -> Option<&Override> {
        self.by_origin.get(origin)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_origin.is_empty()
    }
}

/// An override with its rules stored, ready to be applied to a resolved origin. Row and side records are those of the captures'
/// tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::policy) struct Placement {
    pub operator_override: OverrideState,
    /// The robots.txt that replaces the origin's.
    pub robots_txt: Option<PlacedAnswer>,
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
