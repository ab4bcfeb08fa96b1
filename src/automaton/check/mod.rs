//! Whether words are an automaton.
//!
//! Words from a file may be anything. [`check`] makes sure of all that a walk takes for granted, so that it never looks
//! beyond the automaton's words and always ends: what [`compile`](super::compile) writes passes, and what passes
//! may give wrong verdicts, if it was tampered with, but does no harm.

mod automaton;
mod cursors;
mod damage;
mod space;
mod table;

pub(super) use crate::automaton::dfa::table as format;
pub use automaton::{check, check_item, engine};
pub use damage::Damage;
pub use space::CheckSpace;
