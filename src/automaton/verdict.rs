//! Walks a path, with either engine.

use super::head::{ENGINE, ENGINE_DFA, START, START_BEHIND_SLASH, word};
use crate::automaton::cursors::engine::{self, Scratch};
use crate::automaton::dfa::{filter, table, walk};
use crate::rules::Verdict;

/// The verdict of the automaton in `words` on a path in normal form.
///
/// Takes time linear in the path and the patterns that the automaton was made from.
#[inline]
pub fn verdict(words: &[u32], path: &[u8], scratch: &mut Scratch) -> Verdict {
    finish(words, path, begin(words, path, 0), scratch)
}

/// The verdict on all paths in normal form that begin with `beginning`, if a DFA settles it within these bytes.
pub fn settled_by(words: &[u32], beginning: &[u8]) -> Option<Verdict> {
    let start = (word(words, ENGINE) == ENGINE_DFA).then(|| word(words, START))?;
    walk::walk::<filter::Portable, _>(words, start, beginning, 0, &mut walk::Silent).ok()
}

/// A walk that has begun: [`begin`] takes the first step, [`finish`] the rest. In between, other walks can begin, so that the
/// data that each will need next reaches the cache meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Walk {
    /// The next record, in words from the automaton's first, or a verdict.
    next: u32,
    /// How many bytes of the text were read.
    at: u32,
}

/// Begins the walk of a path in normal form at the end of a text, from the byte `from` on; the text may be a whole URL, for
/// example. That makes short paths faster to judge, because the bytes before them make room for wide loads; they are not
/// examined.
///
/// # Panics
///
/// If the text is 4 GiB or longer.
#[inline]
pub fn begin(words: &[u32], text: &[u8], from: usize) -> Walk {
    assert!(u32::try_from(text.len()).is_ok(), "a URL of 4 GiB");
    let slash = word(words, ENGINE) == ENGINE_DFA && text.get(from) == Some(&b'/');
    let at = from + usize::from(slash);
    let next = word(words, if slash { START_BEHIND_SLASH } else { START });
    if !slash || next < table::FIRST_RECORD || walk::is_root(words, next) {
        return Walk { next, at: at as u32 };
    }
    match walk::step::<filter::Portable, _>(words, next, text, at, &mut walk::Silent) {
        Ok((next, at)) => Walk { next, at: at as u32 },
        Err(verdict) => Walk { next: table::settled(verdict), at: at as u32 },
    }
}

/// Finishes a walk over the same text.
///
/// # Panics
///
/// If the walk was begun on another automaton or text.
#[inline]
pub fn finish(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    if walk.next < table::FIRST_RECORD && word(words, ENGINE) == ENGINE_DFA {
        return table::verdict_of(walk.next);
    }
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: both features are there.
        return unsafe { finish_avx2(words, text, walk, scratch) };
    }
    finish_with::<filter::Portable>(words, text, walk, scratch)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn finish_avx2(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    finish_with::<filter::Avx2>(words, text, walk, scratch)
}

#[inline(always)]
fn finish_with<S: filter::Search>(words: &[u32], text: &[u8], walk: Walk, scratch: &mut Scratch) -> Verdict {
    if word(words, ENGINE) == ENGINE_DFA {
        walk::walk::<S, _>(words, walk.next, text, walk.at as usize, &mut walk::Silent).unwrap_or_else(|at_end| at_end)
    } else {
        engine::verdict::<S>(words, text, walk.at as usize, scratch)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::{compile, compile_within};
    use crate::rules::Patterns;
    use crate::rules::tried::patterns;

    /// The verdict of both engines and of the plain reading, which must agree.
    fn judged(patterns: &Patterns, path: &str) -> Verdict {
        let mut scratch = Scratch::default();
        let (mut dfa, mut cursors) = (Vec::new(), Vec::new());
        compile_within(patterns, usize::MAX, &mut dfa);
        compile_within(patterns, 0, &mut cursors);
        let plain = patterns.deciding(path.as_bytes()).map_or(Verdict::Allowed, |pattern| pattern.verdict);
        assert_eq!(verdict(&dfa, path.as_bytes(), &mut scratch), plain, "DFA, {path}, {patterns:?}");
        assert_eq!(verdict(&cursors, path.as_bytes(), &mut scratch), plain, "cursors, {path}, {patterns:?}");
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
        ];
        for (rules, path, expected) in cases {
            assert_eq!(judged(&patterns(rules), path), expected, "{rules} {path}");
        }
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
}
