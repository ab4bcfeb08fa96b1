//! The operator's overrides for origins, which take precedence over their robots.txt.
//!
//! A TOML file has a table for each origin:
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
//! Ignoring an entry that is not understood could mean doing the opposite of what it says, so nothing is skipped: unknown
//! keys, contradictory keys, and two tables for one origin are errors.

mod file;
mod placement;

pub use file::{Override, OverrideProblem, Overrides, OverridesError};
pub(super) use placement::Placement;
