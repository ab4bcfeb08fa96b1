//! One automaton for each distinct group of rules.
//!
//! [`compile()`] turns ranked patterns into an automaton: 32-bit words, position-independent and free of pointers, that
//! give the group's verdict on a path. Two engines give the same verdicts:
//!
//! * a **DFA** (module `dfa`), whose states carry the best priority reached (`priorities`), and which stops at the
//!   first byte that settles the verdict;
//! * **cursors** (module `cursors`) for the few groups whose DFA would exceed its budget: one forward-only cursor for
//!   each distinct run of segments, always linear in the path and the patterns.
//!
//! [`compile()`] chooses the engine; its documentation says why. [`compile_item`] puts a [front] before the automaton,
//! as in policies: a prefilter that settles most paths. The patterns of a single robots.txt are compiled
//! [on demand](OnDemand). An automaton does not depend on the dialect; paths come in normal form. Its words are
//! little-endian in memory on every machine, because policy files are mapped; [`check_item`] checks the words of a
//! file, and [`graph()`] draws an automaton.
//!
//! Questions about all paths are answered from the automaton, never from the text of the rules: [`ReachSpace`] finds
//! which verdicts an automaton has for the [`Paths`] that can be requested, and [`DifferSpace`] finds where automata
//! differ.

mod compile;
mod cursors;
mod dfa;
#[cfg(feature = "batch")]
mod differ;
pub mod front;
#[cfg(feature = "batch")]
mod graph;
mod head;
mod nibbles;
mod on_demand;
#[cfg(feature = "batch")]
mod paths;
mod priorities;
#[cfg(feature = "batch")]
mod reach;
mod segment_trie;
mod verdict;

pub use compile::{compile, compile_item, compile_within};
pub use cursors::Scratch;
#[cfg(feature = "batch")]
pub use differ::{DifferSpace, Difference, Differences, Question, Rules, newer};
#[cfg(feature = "batch")]
pub use graph::{Edge, Graph, GraphState, Next, graph};
pub use head::{Compiled, Damage, Engine};
pub use on_demand::OnDemand;
#[cfg(feature = "batch")]
pub use paths::Paths;
pub use priorities::priorities;
#[cfg(feature = "batch")]
pub use reach::{PAIRS, ReachSpace, Reached, has_both};
pub use verdict::{check_item, engine, settled_by, verdict, verdict_from};
