//! The head of an automaton: its engine, and where a walk begins; and statistics about compiling.

named! {
    /// The engine that an automaton is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
    pub enum Engine {
        /// The verdict is the same for every path.
        Constant = "constant",
        /// A DFA.
        Dfa = "dfa",
        /// Forward-only cursors, fed by a scanner for all segments.
        Cursors = "cursors",
    }
}

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

// The words of the head.

/// The engine.
pub(super) const ENGINE: usize = 0;

/// Where a walk begins; a DFA also has the record after a first `/`, with which nearly every path begins.
pub(super) const START: usize = 1;

pub(super) const START_AFTER_SLASH: usize = 2;

/// The root that most records of a DFA default to.
pub(super) const MAIN_ROOT: usize = 3;

pub(super) const ENGINE_DFA: u32 = 0;

pub(super) const ENGINE_CURSORS: u32 = 1;

/// A word of an automaton. Words are little-endian in memory on every machine, because mapped files are walked
/// directly; on little-endian machines this costs nothing.
#[inline(always)]
pub(super) fn word(words: &[u32], at: usize) -> u32 {
    u32::from_le(words[at])
}

/// A word of an automaton that may be damaged: `None` beyond its end.
#[inline(always)]
pub(super) fn word_if_any(words: &[u32], at: usize) -> Option<u32> {
    words.get(at).map(|&word| u32::from_le(word))
}

/// Why words are not an automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The word with the defect, counted from the automaton's first.
    pub word: usize,
    /// The problem.
    pub problem: &'static str,
}

impl Damage {
    pub(crate) fn at<T>(word: usize, problem: &'static str) -> Result<T, Damage> {
        Err(Damage { word, problem })
    }
}
