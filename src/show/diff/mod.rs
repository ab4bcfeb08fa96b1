//! What changed between two policies: the origins that came and went, and for each crawler what it may fetch now that it could not
//! before, and the other way round.
//!
//! Groups are compared by what they match, not by how they are written: their automata are walked side by side, for all paths that
//! a fetcher can ask for, and every difference has a path that shows it. Each two groups are compared once, whatever the number of
//! origins and crawlers.
//!
//! ```
//! use robosieve::diff::{Change, Diff};
//! use robosieve::policy::{Capture, Captures};
//! use robosieve::{Agents, Dialect};
//!
//! let policy = |rules: &str| {
//!     let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
//!     captures.add(vec![Capture::found("https://a.example", rules)])?;
//!     Ok::<_, Box<dyn std::error::Error>>(captures.policy()?)
//! };
//! let (was, now) = (policy("User-agent: *\nDisallow: /a\n")?, policy("User-agent: *\nDisallow: /a*\nDisallow: /b\n")?);
//!
//! let mut found = Vec::new();
//! Diff::new(&was, &now, &[])?.each(|change| {
//!     found.push((change.change(), change.differences().map(|(path, ..)| path.to_vec()).collect()));
//!     Ok::<(), std::io::Error>(())
//! })?;
//! let json = |changes: &Diff<'_>| {
//!     let mut json = Vec::new();
//!     changes.each(|change| serde_json::to_value(change).map(|change| json.push(change)))?;
//!     Ok::<_, serde_json::Error>(json)
//! };
//! assert_eq!(json(&Diff::new(&was, &now, &[])?)?[0]["differences"][0]["now"], "blocked");
//! assert_eq!(found, [(Change::NowBlocked, vec![b"/b".to_vec()])]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod change;
mod compare;
mod history;
mod policies;

#[cfg(feature = "cli")]
pub(crate) use change::Difference;
pub use change::{Change, OriginChange};
pub use history::History;
pub use policies::{Diff, Seen, Table};
