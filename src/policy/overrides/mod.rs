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

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
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

/// This part of the memory a file may have octets: while it is read, TOML takes up to 240 times as much.
const OF_TEXT: u64 = 256;

/// The same for the replacements that it names, all together.
const OF_REPLACEMENTS: u64 = 16;

/// The folder that a file is in, and how many octets of replacements may still be read there.
struct Folder<'p> {
    path: &'p Path,
    left: Cell<u64>,
}

impl Folder<'_> {
    /// A replacement that is named relative to it.
    fn replacement(&self, path: &Path) -> io::Result<Arc<[u8]>> {
        let body = read_up_to(path, self.left.get())?;
        self.left.set(self.left.get() - body.len() as u64);
        Ok(body.into())
    }
}

/// All octets of a file, which may be so many.
fn read_up_to(path: &Path, longest: u64) -> io::Result<Vec<u8>> {
    let mut octets = Vec::new();
    File::open(path)?.take(longest.saturating_add(1)).read_to_end(&mut octets)?;
    if octets.len() as u64 > longest {
        let problem = format!(
            "it is longer than the {longest} octets that there is memory for here; give more with --memory, or make a policy \
             of the sources and overrides first, with `robosieve compile`, and give it with --policy"
        );
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(octets)
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
        Overrides::read_within(path, u64::MAX)
    }

    /// The same for somebody who has so much memory: files for which that is too little are not read.
    ///
    /// # Errors
    ///
    /// As [`read`](Overrides::read).
    pub fn read_within(path: &Path, memory: u64) -> Result<Overrides, OverridesError> {
        let octets = read_up_to(path, memory / OF_TEXT)
            .map_err(|error| OverridesError::Unreadable { path: path.to_owned(), error })?;
        let folder = Folder { path: path.parent().unwrap_or(Path::new("")), left: (memory / OF_REPLACEMENTS).into() };
        parse(&octets, &folder).map_err(|(at, problem)| {
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
