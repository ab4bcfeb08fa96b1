//! An automaton that is compiled once it pays.
//!
//! Compiling the patterns of a usual file takes as long as trying them on some forty paths, and a crawler asks most files about fewer. So
//! they are tried one by one at first, and compiled once that has taken about as long as compiling.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Scratch, compile, verdict};
use crate::rules::{Patterns, Verdict};

/// Compiling takes as long as so many trials of a segment for each byte of the patterns: 18 ns, and 8 ns for a trial (benches/README.md,
/// "One URL at a time").
const TRIALS_PER_BYTE: usize = 2;
/// And so many for each file, however small: few patterns are tried in the time of a walk.
const TRIALS: usize = 200;

/// A trial counts once more for each so many bytes of the path, as wildcards look for their segments in all of it.
const BLOCK: usize = 64;

/// Ranked patterns, and their automaton once they have been tried often.
#[derive(Debug)]
pub struct OnDemand {
    patterns: Patterns,
    words: OnceLock<Vec<u32>>,
    /// How often a segment was tried.
    trials: AtomicUsize,
}

impl OnDemand {
    /// Compiles nothing yet.
    pub fn new(patterns: Patterns) -> OnDemand {
        OnDemand { patterns, words: OnceLock::new(), trials: AtomicUsize::new(0) }
    }

    /// The ranked patterns.
    pub fn patterns(&self) -> &Patterns {
        &self.patterns
    }

    /// The verdict on a path in normal form.
    #[inline]
    pub fn verdict(&self, path: &[u8], scratch: &mut Scratch) -> Verdict {
        match self.words.get() {
            Some(words) => verdict(words, path, scratch),
            None => self.verdict_by_trials(path, scratch),
        }
    }

    /// The verdict by trying the patterns one by one, if compiling them takes longer than all trials until now.
    #[inline(never)]
    fn verdict_by_trials(&self, path: &[u8], scratch: &mut Scratch) -> Verdict {
        let trials = self.patterns.segments.len().saturating_mul(1 + path.len() / BLOCK);
        let before = self.trials.fetch_add(trials, Relaxed);
        if before.saturating_add(trials) <= TRIALS + TRIALS_PER_BYTE * self.patterns.text().len() {
            return self.patterns.verdict(path);
        }
        verdict(self.words.get_or_init(|| self.compiled()), path, scratch)
    }

    fn compiled(&self) -> Vec<u32> {
        let mut words = Vec::new();
        compile(&self.patterns, &mut words);
        words
    }
}

impl Clone for OnDemand {
    fn clone(&self) -> OnDemand {
        let trials = AtomicUsize::new(self.trials.load(Relaxed));
        OnDemand { patterns: self.patterns.clone(), words: self.words.clone(), trials }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tried::patterns;

    const PATHS: [(&str, Verdict); 4] =
        [("/a", Verdict::Blocked), ("/ab", Verdict::Allowed), ("/x/c", Verdict::Blocked), ("/", Verdict::Allowed)];

    #[test]
    fn patterns_that_are_tried_often_are_compiled_and_say_the_same() {
        let rules = OnDemand::new(patterns("-/a +/*b$ -/*/c"));
        let scratch = &mut Scratch::default();
        // Each path has five trials, of the 214 that patterns of seven bytes may have.
        for number in 0..100 {
            let (path, expected) = PATHS[number % PATHS.len()];
            assert_eq!(rules.verdict(path.as_bytes(), scratch), expected, "{path}, the path {number}");
            assert_eq!(rules.words.get().is_some(), number >= 42, "the path {number}");
        }
        let copy = rules.clone();
        assert!(PATHS.iter().all(|(path, expected)| copy.verdict(path.as_bytes(), scratch) == *expected));
        assert_eq!(copy.words.get(), rules.words.get());
    }

    #[test]
    fn threads_that_ask_at_once_get_the_same_verdicts() {
        let rules = OnDemand::new(patterns("-/a +/*b$ -/*/c"));
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for (path, expected) in PATHS.into_iter().cycle().take(100) {
                        assert_eq!(rules.verdict(path.as_bytes(), &mut Scratch::default()), expected, "{path}");
                    }
                });
            }
        });
        assert!(rules.words.get().is_some());
    }

    #[test]
    fn one_long_path_is_judged_by_the_automaton() {
        let rules = OnDemand::new(patterns("-/*a*b"));
        let path = [b"/", &b"a".repeat(1 << 20)[..]].concat();
        assert_eq!(rules.verdict(&path, &mut Scratch::default()), Verdict::Allowed);
        assert!(rules.words.get().is_some());
    }

    #[test]
    fn a_file_without_rules_needs_no_automaton() {
        let rules = OnDemand::new(Patterns::default());
        assert_eq!(rules.verdict(&b"/".repeat(1 << 20), &mut Scratch::default()), Verdict::Allowed);
        assert!(rules.words.get().is_none());
    }
}
