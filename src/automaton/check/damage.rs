//! Why words are no automaton.

/// Why words are no automaton.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Damage {
    /// The word where it is seen, counted from the automaton's first.
    pub word: usize,
    /// The problem.
    pub problem: &'static str,
}

impl Damage {
    pub(crate) fn at<T>(word: usize, problem: &'static str) -> Result<T, Damage> {
        Err(Damage { word, problem })
    }
}
