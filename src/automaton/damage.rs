//! Why words are not an automaton.

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
