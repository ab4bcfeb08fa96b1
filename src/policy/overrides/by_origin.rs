//! The operator's words for origins.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::policy::state::Ruling;

/// The operator's word for one origin; at least one of the fields says something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Override {
    /// The operator's rule in place of the robots.txt.
    pub ruling: Option<Ruling>,
    /// The robots.txt that stands in its place, with [`Ruling::RobotsTxt`].
    pub robots_txt: Option<Arc<[u8]>>,
    /// The crawl delay in seconds, as a decimal number; it stands above those of a robots.txt.
    pub crawl_delay: Option<String>,
    /// Nothing is fetched before this time, in seconds of Unix time.
    pub paused_until: Option<i64>,
}

/// Overrides of many origins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    pub(super) by_origin: BTreeMap<String, Override>,
}

impl Overrides {
    /// The origins in canonical form, sorted, each with the operator's word.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Override)> {
        self.by_origin.iter().map(|(origin, word)| (origin.as_str(), word))
    }

    /// The operator's word for an origin in canonical form.
    pub fn get(&self, origin: &str) -> Option<&Override> {
        self.by_origin.get(origin)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.by_origin.is_empty()
    }
}
