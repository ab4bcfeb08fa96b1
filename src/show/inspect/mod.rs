//! The contents of a policy, for people and for other programs.
//!
//! A [`Summary`] describes the whole policy: the statuses of its origins, their groups, and how much of their lifetime
//! is left. An [`OriginEntry`] describes one origin: its state, and for each crawler the group that was chosen, why,
//! and its rules with line numbers. Both are plain data that can be serialised. [`dot()`] draws the automaton of a
//! group.

mod dot;
mod entry;
mod lifetimes;
mod shared;
mod summary;

pub use dot::dot;
pub use entry::{
    AgentEntry, AgentLine, AnswerTimes, DelayEntry, GroupKind, KeptAnswer, LastGoodAnswer, OriginEntry, OverrideEntry,
    RuleLine, SideLine,
};
pub use lifetimes::{Bucket, Distribution, Lifetimes};
pub use shared::SharedGroup;
pub use summary::{
    AgentCounts, GroupCounts, OriginStatusCount, Overridden, OverrideCounts, SectionSize, StatusCount, Summary,
};
