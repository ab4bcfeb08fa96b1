//! Reads words as an automaton: walks a path with either engine, and checks untrusted words.
//!
//! Walks are total, with [either](super::dfa::walk) [engine](super::cursors), so their tables need no check. Fronts are
//! probed by loads without bounds checks, so they are checked. Everything that [`compile`](super::compile) writes
//! passes. Tampered words may pass and then give wrong verdicts, but do no other harm.

use super::cursors::{self, SCANNER, Scratch};
use super::dfa::table::FIRST_RECORD;
use super::dfa::walk;
use super::front;
use super::head::{Damage, ENGINE, ENGINE_CURSORS, ENGINE_DFA, Engine, START, START_AFTER_SLASH, word, word_if_any};
use crate::rules::Verdict;

/// The verdict of the automaton in `words` on a path in normal form.
///
/// Takes time linear in the path and the patterns that the automaton was made from.
#[inline]
pub fn verdict(words: &[u32], path: &[u8], scratch: &mut Scratch) -> Verdict {
    verdict_from(words, path, 0, scratch)
}

/// The verdict on the path in `text` from the byte `from` on; the text may be a whole URL, for example. That makes short paths
/// faster to judge, because the bytes before them make room for wide loads; they are not examined.
pub fn verdict_from(words: &[u32], text: &[u8], from: usize, scratch: &mut Scratch) -> Verdict {
    if word(words, ENGINE) != ENGINE_DFA {
        return cursors::verdict(words, text, from, scratch);
    }
    // Nearly all paths begin with a slash.
    let slash = text.get(from) == Some(&b'/');
    let start = word(words, if slash { START_AFTER_SLASH } else { START });
    walk::walk(words, start, text, from + usize::from(slash), &mut walk::Silent).unwrap_or_else(|at_end| at_end)
}

/// The verdict on all paths in normal form that begin with `beginning`, if a DFA settles it within these bytes.
pub fn settled_by(words: &[u32], beginning: &[u8]) -> Option<Verdict> {
    let start = (word(words, ENGINE) == ENGINE_DFA).then(|| word(words, START))?;
    walk::walk(words, start, beginning, 0, &mut walk::Silent).ok()
}

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
    use crate::automaton::compile;
    use crate::automaton::compile::{compile_within, compiled};
    use crate::rules::tried::patterns;

    /// The verdict of both engines and of the plain reading, which must agree.
    fn judged(rules: &str, path: &str) -> Verdict {
        let mut scratch = Scratch::default();
        let (dfa, cursors) = (compiled(rules, usize::MAX), compiled(rules, 0));
        let patterns = patterns(rules);
        let plain = patterns.verdict(path.as_bytes());
        assert_eq!(verdict(&dfa, path.as_bytes(), &mut scratch), plain, "DFA, {path}, {rules}");
        assert_eq!(verdict(&cursors, path.as_bytes(), &mut scratch), plain, "cursors, {path}, {rules}");
        let url = format!("https://host.example{path}");
        for words in [&dfa, &cursors] {
            let from = url.len() - path.len();
            assert_eq!(verdict_from(words, url.as_bytes(), from, &mut scratch), plain, "{url}, {rules}");
        }
        plain
    }

    #[test]
    fn engines_agree_with_the_plain_reading() {
        use Verdict::{Allowed, Blocked};
        let cases = [
            ("-/a", "/a", Blocked),
            ("-/a", "/", Allowed),
            ("-/ +/a", "/ab", Allowed),
            ("-/a +/a", "/a", Allowed),
            ("-/*.php$", "/a.php.php", Blocked),
            ("-/*.php$", "/a.php?", Allowed),
            ("-/*ab*b", "/ab", Allowed),
            ("-/*ab*b", "/abb", Blocked),
            ("-/*ab*b +/*abc", "/abcb", Blocked),
            ("-/x$ +/*x$", "/x", Allowed),
            ("-/ +/$", "/", Allowed),
            ("-/ +/$", "/a", Blocked),
            ("-*", "/", Blocked),
            ("-/*/a", "/a", Allowed),
            ("-/*/a", "//a", Blocked),
            ("-*/a +/*/ab", "/ab", Blocked),
            ("-/a*bc*c$", "/abc", Allowed),
            ("-/a*bc*c$", "/abcc", Blocked),
            ("-*a*a", "/a", Allowed),
            ("-*a*a", "/aa", Blocked),
            ("-/x$", "/x", Blocked),
            ("-/x$", "/xy", Allowed),
            ("-/*/a", "/a/a", Blocked),
            ("-/*a$ -/*b$ -/*c$ -/*d$ -/*e$ -/*f$ -/*g$", "/xg", Blocked),
            ("-*q +/abcdefghijkl", "/iqxxxxxxxxxx", Blocked),
            ("-*q +/abcdefghijkl", "/abcdefghijk", Allowed),
            ("-*q +/abcdefghijkl", "/abcdefghijq", Blocked),
            ("-/*a", "a", Allowed),
            ("-/*a", "/a", Blocked),
            ("-*a", "a", Blocked),
            ("-*", "a", Blocked),
        ];
        for (rules, path, expected) in cases {
            assert_eq!(judged(rules, path), expected, "{rules} {path}");
        }
    }

    #[test]
    fn only_a_dfa_settles_what_all_paths_get_that_begin_alike() {
        let settled = |budget: usize| {
            let words = compiled("-/a +/bc", budget);
            [&b"/"[..], b"/a", b"/ax", b"/b", b"/c"].map(|beginning| settled_by(&words, beginning))
        };
        let (allowed, blocked) = (Some(Verdict::Allowed), Some(Verdict::Blocked));
        assert_eq!(settled(usize::MAX), [None, blocked, blocked, allowed, allowed]);
        assert_eq!(settled(0), [None; 5]);
    }

    #[test]
    fn damage_is_told_with_its_place_in_the_whole_item() {
        let mut content = Vec::new();
        crate::automaton::compile_item(&patterns("-/a"), &mut content);
        let engine = content.len() - front::check(&content).expect("just compiled").0.len();
        assert!(engine > 0);
        content[engine] = u32::MAX;
        assert_eq!(check_item(&content).map_err(|damage| damage.word), Err(engine));
    }

    #[test]
    fn a_common_beginning_is_stored_once() {
        let mut words = Vec::new();
        // Before the slash, after it, after `/en/`, and one run for each rule.
        assert_eq!(compile(&patterns("-/en/one -/en/two"), &mut words).states, 5);
    }

    #[test]
    fn automata_are_the_same_whatever_was_compiled_before() {
        let groups = ["-/a +/*b", "-/*ab*b +/*abc -/x$", "-/a", "-/*x*y*z -/*y*z$ +/q*", "+/"];
        let compiled = |rules: &str| {
            let mut words = Vec::new();
            compile(&patterns(rules), &mut words);
            words
        };
        let alone = groups.map(|rules| std::thread::scope(|s| s.spawn(|| compiled(rules)).join().expect("no panic")));
        for budget in [0, 10, usize::MAX] {
            compile_within(&patterns("-/*ab*cd -/*b*d$ +/ab*c"), budget, &mut Vec::new());
            assert_eq!(groups.map(compiled), alone, "{budget}");
        }
    }

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
        rules.iter().flat_map(|rules| [compiled(rules, usize::MAX), compiled(rules, 0)]).collect()
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

    /// Each of a file's 4 MiB may be a `%`, which has three bytes in normal form.
    #[test]
    fn a_run_of_more_bytes_than_a_record_can_have_is_split() {
        let long = "a".repeat((1 << 22) + 5);
        let rules = format!("-/{long}b");
        assert_eq!(judged(&rules, &format!("/{long}b/")), Verdict::Blocked);
        for path in [format!("/{long}"), format!("/{long}c"), format!("/{}b", &long[1..])] {
            assert_eq!(judged(&rules, &path), Verdict::Allowed);
        }
    }

    #[test]
    fn a_target_beyond_the_end_blocks() {
        for target in [4, 5, 1000, u32::MAX] {
            let words = [0, target, target, 0].map(u32::to_le);
            assert_eq!(verdict(&words, b"/a", &mut Scratch::default()), Verdict::Blocked, "{target}");
        }
    }
}
