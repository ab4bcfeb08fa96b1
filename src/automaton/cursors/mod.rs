//! The second engine, for groups whose DFA would be too large.

pub(super) mod engine;
pub(super) mod segment_trie;
