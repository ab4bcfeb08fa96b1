//! Checks whether words are an automaton.
//!
//! Words from a file may be anything. [`check`] verifies everything that a walk relies on, so that it never reads beyond the
//! automaton's words and always ends. Whatever [`compile`](super::compile) writes passes. Words that were tampered with may
//! pass and then give wrong verdicts, but do no harm.

mod automaton;
mod cursors;
mod damage;
mod space;
mod table;

pub use automaton::{check, check_item, engine};
pub use damage::Damage;
pub use space::CheckSpace;
