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

mod by_origin;
mod error;
mod keys;
mod parse;
mod placement;
mod read;

pub use by_origin::{Override, Overrides};
pub use error::{OverrideProblem, OverridesError};
pub(super) use placement::{PlacedRobots, Placement};
