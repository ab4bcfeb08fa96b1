//! Walks a path, with either engine.

use super::head::{ENGINE, ENGINE_DFA, START, START_AFTER_SLASH, word};
use crate::automaton::cursors::engine::{self, Scratch};
use crate::automaton::dfa::{filter, walk};
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
#[inline]
pub fn verdict_from(words: &[u32], text: &[u8], from: usize, scratch: &mut Scratch) -> Verdict {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("popcnt") {
        // SAFETY: both features are there.
        return unsafe { walk_avx2(words, text, from, scratch) };
    }
    walk_with::<filter::Portable>(words, text, from, scratch)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,popcnt")]
fn walk_avx2(words: &[u32], text: &[u8], from: usize, scratch: &mut Scratch) -> Verdict {
    walk_with::<filter::Avx2>(words, text, from, scratch)
}

#[inline(always)]
fn walk_with<S: filter::Search>(words: &[u32], text: &[u8], from: usize, scratch: &mut Scratch) -> Verdict {
    if word(words, ENGINE) != ENGINE_DFA {
        return engine::verdict::<S>(words, text, from, scratch);
    }
    // Nearly all paths begin with a slash.
    let slash = text.get(from) == Some(&b'/');
    let start = word(words, if slash { START_AFTER_SLASH } else { START });
    walk::walk::<S, _>(words, start, text, from + usize::from(slash), &mut walk::Silent).unwrap_or_else(|at_end| at_end)
}

/// The verdict on all paths in normal form that begin with `beginning`, if a DFA settles it within these bytes.
pub fn settled_by(words: &[u32], beginning: &[u8]) -> Option<Verdict> {
    let start = (word(words, ENGINE) == ENGINE_DFA).then(|| word(words, START))?;
    walk::walk::<filter::Portable, _>(words, start, beginning, 0, &mut walk::Silent).ok()
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
