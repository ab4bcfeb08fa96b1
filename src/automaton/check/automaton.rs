//! Checks a whole automaton.

use super::cursors;
use super::damage::Damage;
use super::space::CheckSpace;
use super::table::{self, FIRST_RECORD};
use crate::automaton::head::{ENGINE, ENGINE_CURSORS, ENGINE_DFA, word};
use crate::automaton::{Engine, front};

/// Checks the content of an item: probing its front and walking its automaton must stay within it and end. Returns the engine
/// it is for.
///
/// # Errors
///
/// [`Damage`]: the first defect found.
pub fn check_item(content: &[u32], space: &mut CheckSpace) -> Result<Engine, Damage> {
    let (words, before) = front::check(content)?;
    check(words, space).map_err(|damage| Damage { word: damage.word + before, ..damage })
}

/// Checks that a walk over `words` stays within them and ends, whatever the path. Returns the engine they are for.
///
/// # Errors
///
/// [`Damage`]: the first defect found.
pub fn check(words: &[u32], space: &mut CheckSpace) -> Result<Engine, Damage> {
    if words.len() < FIRST_RECORD {
        return Damage::at(words.len(), "it has no head");
    }
    match word(words, ENGINE) {
        ENGINE_DFA => table::check(words, 0, space)?,
        ENGINE_CURSORS => cursors::check(words, space)?,
        _ => return Damage::at(ENGINE, "unknown engine"),
    }
    Ok(engine(words))
}

/// The engine that an automaton is for.
pub fn engine(words: &[u32]) -> Engine {
    match word(words, ENGINE) {
        ENGINE_DFA if words.len() == FIRST_RECORD => Engine::Constant,
        ENGINE_DFA => Engine::Dfa,
        _ => Engine::Cursors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Scratch, compile_within, verdict};
    use crate::rules::Patterns;
    use crate::rules::tried::patterns;

    /// Automata of both engines, with records of all kinds.
    fn automata() -> Vec<Vec<u32>> {
        let bytes = (b'!'..=b'z').filter(|byte| !b"*$#".contains(byte));
        let many: String = bytes.map(|byte| format!("-/{} ", char::from(byte))).collect();
        let rules = [
            "-/",
            "+/",
            "-/*a +/*ab*c$ -/long-enough-for-a-run/*x +/x$",
            "-/*ab*ba +/b*ab*a$ -*/bab +/*a*b*a*b -/ab$ +*b*c",
            &many,
            "-/*aa +/*aaa*b -/*aaaa*c +/*baaa$ -/*xaaa*aaa*x$",
        ];
        let compiled = |patterns: &Patterns, budget: usize| {
            let mut words = Vec::new();
            compile_within(patterns, budget, &mut words);
            words
        };
        rules
            .map(patterns)
            .iter()
            .flat_map(|patterns| [compiled(patterns, usize::MAX), compiled(patterns, 0)])
            .collect()
    }

    #[test]
    fn what_is_compiled_passes() {
        let engines: Vec<Engine> =
            automata().iter().map(|words| check(words, &mut CheckSpace::default()).unwrap()).collect();
        for engine in [Engine::Constant, Engine::Dfa, Engine::Cursors] {
            assert!(engines.contains(&engine), "{engine:?}");
        }
    }

    #[test]
    fn every_flipped_bit_is_refused_or_harmless() {
        let paths: [&[u8]; 9] = [
            b"",
            b"/",
            b"/x",
            b"/abab/abba",
            b"/long-enough-for-a-run/aax",
            b"/aaaaabaaacaaaxaaax",
            b"x",
            b"/zz~~\xff",
            b"/bab",
        ];
        let (mut space, mut scratch) = (CheckSpace::default(), Scratch::default());
        let (mut refused, mut harmless) = (0, 0);
        for mut words in automata() {
            for bit in 0..32 * words.len() {
                words[bit / 32] ^= 1 << (bit % 32);
                if check(&words, &mut space).is_ok() {
                    harmless += 1;
                    // Whatever the words are, the walk ends and reads nothing else.
                    for path in paths {
                        std::hint::black_box(verdict(&words, path, &mut scratch));
                    }
                } else {
                    refused += 1;
                }
                words[bit / 32] ^= 1 << (bit % 32);
            }
        }
        assert!(refused > 1000 && harmless > 1000, "{refused} {harmless}");
    }

    #[test]
    fn a_cut_automaton_is_refused() {
        for words in automata() {
            for length in 0..words.len() {
                // A table that ends after a record lacks only targets of other records.
                assert!(check(&words[..length], &mut CheckSpace::default()).is_err(), "{length} of {}", words.len());
            }
        }
    }

    #[test]
    fn a_loop_of_defaults_is_refused() {
        // Two records of one byte each that default to each other on all other bytes.
        let narrow = 1 | 3 << 4 | 1 << 10;
        let words = [0, 4, 4, 0, narrow, 8, 97, 0, narrow, 4, 98, 0].map(u32::to_le);
        let damage = check(&words, &mut CheckSpace::default()).unwrap_err();
        assert_eq!(damage.problem, "its defaults form a cycle");
    }
}
