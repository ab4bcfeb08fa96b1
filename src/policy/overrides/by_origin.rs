//! Overrides by origin.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::policy::state::Ruling;

/// The operator's override for one origin; at least one field is set.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
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
