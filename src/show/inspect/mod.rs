//! The contents of a policy, for people and for other programs.
//!
//! A [`Summary`] describes the whole policy: the statuses of its origins, their groups, and how much of their lifetime
//! is left. An [`OriginEntry`] describes one origin: its state, and for each crawler the group that was chosen, why,
//! and its rules with line numbers. Both are plain data that can be serialised.
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
//! assert_eq!(Summary::of(&policy, &crawlers, now, 10)?.origins, policy.statistics().origins);
//!
//! let of = |url: &str| OriginEntry::of(&policy, url.as_bytes(), &crawlers, Choices::at(now));
//! let shop = of("https://shop.example/cart")?.expect("an entry");
//! assert_eq!((shop.origin_status, shop.sitemaps.len()), (OriginStatus::RobotsTxt, 2));
//! assert!(of("https://never.example")?.is_none());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod dot;
mod entry;
mod summary;

pub use super::access::{Blocked, GroupKind};
pub use crate::automaton::Engine;
#[cfg_attr(feature = "internals", visibility::make(pub))]
#[cfg(any(feature = "cli", feature = "internals"))]
pub(crate) use dot::dot;
pub use entry::{
    AgentEntry, AgentLine, AnswerTimes, DelayEntry, KeptAnswer, LastGoodAnswer, OriginEntry, OverrideEntry,
    SharedGroup, SideLine,
};
#[cfg(feature = "cli")]
pub(crate) use entry::{Uses, agent_lines, uses};
pub use summary::{
    AgentCounts, Bucket, Distribution, GroupCounts, Lifetimes, OriginStatusCount, Overridden, OverrideCounts,
    SectionSize, StatusCount, Summary,
};
