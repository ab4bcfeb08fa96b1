//! One automaton for each distinct group of rules.
//!
//! [`compile()`] turns ranked patterns into 32-bit words, position-independent and free of pointers, that answer one question:
//! what is this group's verdict on a path? Two engines give the same answer:
//!
//! * a **DFA** (module `dfa`), whose states carry the best rank reached, folded to what a verdict needs (`priorities`), and stop
//!   at the first byte that settles the verdict;
//! * **cursors** (module `cursors`) for the few groups whose DFA would outgrow its budget: one forward-only cursor for each
//!   distinct run of segments, linear in path and patterns whatever they are.
//!
//! [`compile()`] makes the choice and says why. [`compile_item`] puts a [front] before the automaton, as in policies: a
//! prefilter that settles most paths. An automaton knows no dialect; paths come in normal form. Its words are little-endian in
//! memory on every machine, for policy files; [`check_item`] checks whether the words of a file are one, [`graph()`]
//! shows what it looks like.
//!
//! Questions about all paths are asked of the automaton, never of the text of the rules: [`ReachSpace`] finds which verdicts it
//! has for the [`Paths`] that can be asked for, [`DifferSpace`] where automata differ.

mod compile;
mod cursors;
mod dfa;
mod differ;
pub mod front;
mod graph;
mod head;
mod paths;
mod priorities;
mod reach;
mod segment_trie;
mod verdict;

pub use compile::{compile, compile_item, compile_within};
pub use cursors::Scratch;
pub use differ::{DifferSpace, Difference, Differences, Question, Rules, newer};
pub use graph::{Edge, Graph, GraphState, Next, graph};
pub use head::{Compiled, Damage, Engine};
pub use paths::Paths;
pub use priorities::priorities;
pub use reach::{PAIRS, ReachSpace, Reached, has_both};
pub use verdict::{check_item, engine, settled_by, verdict, verdict_from};
