//! The first engine: a DFA.

pub(super) mod build;
pub(super) mod contexts;
pub(super) mod edges;
pub(super) mod filter;
pub(super) mod globs;
pub(super) mod spots;
pub(super) mod table;
pub(super) mod walk;
