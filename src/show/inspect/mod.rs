//! The contents of a policy, for people and for other programs.
//!
//! A [`Summary`] describes the whole policy: the statuses of its origins, their groups, and how much of their lifetime
//! is left. An [`OriginEntry`] describes one origin: its state, and for each crawler the group that was chosen, why,
//! and its rules with line numbers. Both serialise, with the keys that `robosieve inspect --json` prints.
//!
//! ```
//! use robosieve::inspect::{OriginEntry, Summary};
//! use robosieve::policy::{Captures, OriginStatus, source};
//! use robosieve::{Agents, Choices, Dialect};
//!
//! let mut captures = Captures::new("examplebot".parse::<Agents>()?, Dialect::DEFAULT);
//! source::add(&["datasets/sites"], &source::Options::default(), &mut captures)?;
//! let (policy, now) = (captures.policy()?, 1_800_000_000);
//! let crawlers = [policy.crawler(None)?];
//! assert_eq!(Summary::of(&policy, &crawlers, now, 10)?.origins(), policy.statistics().origins);
//!
//! let of = |url: &str| OriginEntry::of(&policy, url.as_bytes(), &crawlers, Choices::at(now));
//! let shop = of("https://shop.example/cart")?.expect("an entry");
//! assert_eq!(shop.origin_status(), OriginStatus::RobotsTxt);
//! assert_eq!(serde_json::to_value(&shop)?["sitemaps"].as_array().unwrap().len(), 2);
//! assert!(of("https://never.example")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) mod dot;
mod entry;
mod summary;

pub(crate) use super::access::{Blocked, GroupKind};
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) use dot::dot;
pub use entry::OriginEntry;
pub(crate) use entry::{AgentEntry, AnswerTimes, DelayEntry, KeptAnswer, SideLine};
#[cfg(feature = "cli")]
pub(crate) use entry::{AgentLine, Uses, agent_lines, uses};
pub use summary::Summary;
pub(crate) use summary::{Bucket, Distribution, GroupCounts, Lifetimes, OverrideCounts};
