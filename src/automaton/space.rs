//! Memory for compiling groups, and the result of compiling one.

use super::head::Engine;
use crate::automaton::dfa::build::Arena;
use crate::automaton::dfa::table::Layout;
use crate::rules::Patterns;

/// Statistics of a compiled automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The engine chosen.
    pub engine: Engine,
    /// States of its table; for cursors, those of the scanner.
    pub states: usize,
    /// Units of work that building it took (positions examined, states made, waiting segments copied).
    pub work: usize,
}

/// Memory for compiling, reused for each group.
#[derive(Debug, Default)]
pub(super) struct CompileSpace {
    pub(crate) arena: Arena,
    pub(crate) layout: Layout,
}

/// Memory is released after a group with more patterns and work than this, each of which takes some 60 bytes. The largest of
/// 596 real files, 850 KB of prefixes, keeps its memory: compiling all of them seven times takes 4,780 page faults, and took
/// 19,257 when it was released.
pub(super) const KEPT: usize = 1 << 18;

impl CompileSpace {
    /// Releases memory that only a hostile group needed.
    pub(crate) fn release_if_large(&mut self, patterns: &Patterns, work: usize) {
        if patterns.all().len().saturating_add(work) > KEPT {
            *self = CompileSpace::default();
        }
    }
}
