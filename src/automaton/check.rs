//! Checks whether words are an automaton.
//!
//! Words from a file may be anything. Walks are total, with [either](super::dfa::walk) [engine](super::cursors::engine), so their
//! tables need no check. Fronts are probed by loads that no length bounds, so they are checked. Whatever
//! [`compile`](super::compile) writes passes. Words that were tampered with may pass and then give wrong verdicts, but do no harm.

use super::cursors::engine::SCANNER;
use super::head::Damage;
use super::head::{ENGINE, ENGINE_CURSORS, ENGINE_DFA, word, word_if_any};
use crate::automaton::dfa::table::FIRST_RECORD;
use crate::automaton::{Engine, front};

/// Checks the content of an item: probing its front must stay within it.
///
/// # Errors
///
/// [`Damage`]: the first defect found.
pub fn check_item(content: &[u32]) -> Result<(), Damage> {
    let (words, before) = front::check(content)?;
    check(words).map_err(|damage| Damage { word: damage.word + before, ..damage })
}

/// Checks that words have the head of an engine.
fn check(words: &[u32]) -> Result<(), Damage> {
    let head = match word_if_any(words, ENGINE) {
        Some(ENGINE_CURSORS) => SCANNER,
        Some(ENGINE_DFA) | None => FIRST_RECORD as usize,
        Some(_) => return Damage::at(ENGINE, "unknown engine"),
    };
    if words.len() < head { Damage::at(words.len(), "it has no head") } else { Ok(()) }
}

/// The engine that an automaton is for.
pub fn engine(words: &[u32]) -> Engine {
    match word(words, ENGINE) {
        ENGINE_DFA if words.len() == FIRST_RECORD as usize => Engine::Constant,
        ENGINE_DFA => Engine::Dfa,
        _ => Engine::Cursors,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Scratch, compile_within, verdict};
    use crate::rules::tried::patterns;
    use crate::rules::{Patterns, Verdict};

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
        let engines: Vec<Engine> = automata()
            .iter()
            .map(|words| {
                check(words).expect("just compiled");
                engine(words)
            })
            .collect();
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
        let scratch = &mut Scratch::default();
        let (mut refused, mut harmless) = (0, 0);
        for mut words in automata() {
            for bit in 0..32 * words.len() {
                words[bit / 32] ^= 1 << (bit % 32);
                if check(&words).is_ok() {
                    harmless += 1;
                    // Whatever the words are, the walk ends and reads nothing else.
                    for path in paths {
                        std::hint::black_box(verdict(&words, path, scratch));
                    }
                } else {
                    refused += 1;
                }
                words[bit / 32] ^= 1 << (bit % 32);
            }
        }
        assert!(refused > 100 && harmless > 1000, "{refused} {harmless}");
    }

    #[test]
    fn a_cut_automaton_is_refused_or_harmless() {
        let scratch = &mut Scratch::default();
        for words in automata() {
            for length in 0..words.len() {
                match check(&words[..length]) {
                    Ok(()) => _ = std::hint::black_box(verdict(&words[..length], b"/abab/abba~aaxaaax", scratch)),
                    Err(_) => assert!(length < SCANNER),
                }
            }
        }
    }

    #[test]
    fn a_walk_through_a_cycle_of_defaults_ends() {
        // Two records of one byte each that default to each other on all other bytes.
        let narrow = 1 | 3 << 4 | 1 << 10;
        let words = [0, 4, 4, 0, narrow, 8, 97, 0, narrow, 4, 98, 0].map(u32::to_le);
        assert_eq!(verdict(&words, b"/x", &mut Scratch::default()), Verdict::Blocked);
    }

    #[test]
    fn a_target_beyond_the_end_blocks() {
        for target in [4, 5, 1000, u32::MAX] {
            let words = [0, target, target, 0].map(u32::to_le);
            assert_eq!(verdict(&words, b"/a", &mut Scratch::default()), Verdict::Blocked, "{target}");
        }
    }
}
