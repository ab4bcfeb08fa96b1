//! The space for compiling one group after the other, and the result of one.

use super::head::Engine;
use crate::automaton::dfa::build::Arena;
use crate::automaton::dfa::table::Layout;
use crate::rules::Patterns;

/// Statistics of what was compiled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The engine chosen.
    pub engine: Engine,
    /// States of its table; of cursors, those of the scanner.
    pub states: usize,
    /// Units of work that building it took (positions looked at, states made, waiting segments copied).
    pub work: usize,
}

/// Space for compiling, used again for each group.
#[derive(Debug, Default)]
pub(super) struct Space {
    pub(crate) arena: Arena,
    pub(crate) layout: Layout,
}

/// Groups of more patterns and work together leave no space after, of which each takes some 60 bytes. The largest of 596 real
/// files, 850 KB of prefixes, leaves its space: compiling all of them seven times takes 4,780 page faults, and 19,257 where it
/// was given back.
pub(super) const KEPT: usize = 1 << 18;

impl Space {
    /// Gives back what only a hostile group needed.
    pub(crate) fn keep_little(&mut self, patterns: &Patterns, work: usize) {
        if patterns.all().len().saturating_add(work) > KEPT {
            *self = Space::default();
        }
    }
}
