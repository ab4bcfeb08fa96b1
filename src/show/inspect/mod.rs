//! The contents of a policy, for people and for other programs.
//!
//! A [`Summary`] describes the whole policy: the statuses of its origins, their groups, and how much of their lifetime
//! is left. An [`OriginEntry`] describes one origin: its state, and for each crawler the group that was chosen, why,
//! and its rules with line numbers. Both are plain data that can be serialised. [`dot()`] draws the automaton of a
//! group.

mod dot;
mod entry;
mod summary;

pub use dot::dot;
pub use entry::{
    AgentEntry, AgentLine, AnswerTimes, DelayEntry, GroupKind, KeptAnswer, LastGoodAnswer, OriginEntry, OverrideEntry,
    RuleLine, SharedGroup, SideLine,
};
pub use summary::{
    AgentCounts, Bucket, Distribution, GroupCounts, Lifetimes, OriginStatusCount, Overridden, OverrideCounts,
    SectionSize, StatusCount, Summary,
};
