//! The contents of a policy, for people and for other programs.
//!
//! A [`Summary`] tells of the whole policy: how its origins stand, what their groups look like, how much of their
//! lifetime is left. An [`OriginEntry`] tells of one origin: its state, and for each crawler the group that was chosen, why,
//! and its rules with their lines; [`dot()`] draws the automaton of a group. All of them are plain data that serialise.

mod distribution;
mod dot;
mod entry;
mod lifetimes;
mod shared;
mod summary;

pub use distribution::{Bucket, Distribution};
pub use dot::dot;
pub use entry::{
    AgentEntry, AgentLine, Answer, DelayEntry, GroupKind, LastGoodAnswer, OriginEntry, RuleLine, SideLine, WordEntry,
};
pub use lifetimes::Lifetimes;
pub use shared::SharedGroup;
pub use summary::{
    AgentCounts, GroupCounts, Overridden, OverrideCounts, SectionSize, StandingCount, StatusCount, Summary,
};
