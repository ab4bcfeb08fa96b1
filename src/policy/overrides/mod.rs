//! The operator's own word for an origin, which stands above its robots.txt.
//!
//! A TOML file with a table for each origin:
//!
//! ```toml
//! ["https://shop.example"]
//! crawl-delay = 10                        # seconds
//!
//! ["http://archive.example:8080"]
//! verdict = "allow-all"                   # or "forbid-all"
//!
//! ["https://broken.example"]
//! robots-txt = """
//! User-agent: *
//! Disallow: /private
//! """
//!
//! ["https://busy.example"]
//! robots-txt-file = "busy.robots.txt"     # beside this file
//! paused-until = 2026-12-01T08:00:00Z
//! ```
//!
//! A word that is not understood could mean the opposite of what is done, so nothing is passed over: unknown keys, keys
//! that contradict each other, and two tables for one origin are errors.

mod error;
mod parse;
mod placement;

pub use error::{OverrideProblem, OverridesError};
pub(super) use placement::Placement;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::standing::Ruling;
use parse::{line_of, parse};

/// The operator's word for one origin; at least one of the fields says something.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Override {
    /// What stands in place of the robots.txt.
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
    by_origin: BTreeMap<String, Override>,
}

impl Overrides {
    /// Reads a file, and the replacements that it names: their paths count from the folder that it is in.
    ///
    /// # Errors
    ///
    /// [`OverridesError`], where a file cannot be read, or anything in this one is not understood.
    pub fn read(path: &Path) -> Result<Overrides, OverridesError> {
        let octets =
            std::fs::read(path).map_err(|error| OverridesError::Unreadable { path: path.to_owned(), error })?;
        parse(&octets, path.parent().unwrap_or(Path::new(""))).map_err(|(at, problem)| {
            let line = line_of(&octets, at);
            OverridesError::Wrong { path: path.to_owned(), line, offset: at, problem }
        })
    }

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
