//! Ranked patterns: which paths one matches, and whether it matches every path that another one does.
//!
//! Globs make covering easy. Replace each `*` of the narrow pattern with a gap, something that no segment of the wide pattern
//! can match, and append a gap unless the narrow pattern ends in `$`. If the wide pattern matches the result, each gap
//! was swallowed by one of its `*`, so any bytes could be in its place: the wide pattern matches every path that the
//! narrow one matches. If it does not, fill the gaps with a byte that the wide pattern lacks, and the path is a
//! counterexample.

use serde::{Deserialize, Serialize};
use std::ops::Range;

named! {
    /// The verdict of rules for a path. Lines have a [`Partition`](crate::Partition) instead, because some have no verdict.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    pub enum Verdict {
        /// It may be fetched.
        Allowed = "allowed",
        /// It may not.
        Blocked = "blocked",
    }
}

/// One ranked pattern; its segments are ranges of [`Patterns::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    /// The verdict if this pattern matches and none of a smaller rank does.
    pub verdict: Verdict,
    /// Whether the match must reach the end of the path (`$`).
    pub anchored: bool,
    /// Index of the rule it came from, among the rules given to [`Patterns::rank`].
    pub rule: u32,
    /// Index of its first segment, the one anchored at the start of the path.
    pub(crate) first_segment: u32,
    /// Index after its last segment; there is at least one.
    pub(crate) end_segment: u32,
}

impl Pattern {
    /// The numbers of its segments, among those of all patterns.
    pub(crate) fn segment_numbers(&self) -> Range<u32> {
        self.first_segment..self.end_segment
    }
}

/// The patterns of one crawler for one robots.txt, in rank order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patterns {
    pub(crate) patterns: Vec<Pattern>,
    /// The range of each segment in the text, for all patterns in rule order.
    pub(crate) segments: Vec<(u32, u32)>,
    pub(crate) text: Vec<u8>,
}

impl Patterns {
    /// All patterns; the index is the rank, and rank 0 beats all others.
    pub fn all(&self) -> &[Pattern] {
        &self.patterns
    }

    /// The bytes of all segments.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The segments of a pattern, as ranges of [`Patterns::text`], in order. The first is anchored at the start of the path
    /// and may be empty; the others are not, because a `*` at the end changes nothing.
    pub fn segments(
        &self,
        pattern: &Pattern,
    ) -> impl DoubleEndedIterator<Item = Range<usize>> + ExactSizeIterator + Clone + '_ {
        let range = pattern.first_segment as usize..pattern.end_segment as usize;
        self.segments[range].iter().map(|&(start, end)| start as usize..end as usize)
    }

    /// Those with these ranks, in ascending order.
    pub(crate) fn only(&self, ranks: impl IntoIterator<Item = usize>) -> Patterns {
        let mut only = Patterns::default();
        for pattern in ranks.into_iter().map(|rank| &self.patterns[rank]) {
            let first_segment = only.segments.len() as u32;
            for segment in self.segments(pattern) {
                let start = only.text.len() as u32;
                only.text.extend_from_slice(&self.text[segment]);
                only.segments.push((start, only.text.len() as u32));
            }
            only.patterns.push(Pattern { first_segment, end_segment: only.segments.len() as u32, ..*pattern });
        }
        only
    }

    /// Forgets all patterns.
    pub(super) fn clear(&mut self) {
        self.patterns.clear();
        self.segments.clear();
        self.text.clear();
    }

    /// Whether `path`, in normal form, matches `pattern`.
    ///
    /// Takes time linear in the path and the pattern. Explanations use this plain matcher; the automaton gives the same
    /// answer for all patterns at once.
    pub fn matches(&self, pattern: &Pattern, path: &[u8]) -> bool {
        self.matches_runs(pattern, std::iter::once(path), true)
    }

    /// Whether a pattern matches these runs of bytes with a gap between neighbours, something that no segment can match, and one
    /// at the end unless `ends`. The match is greedy, segment by segment, which is exact for globs.
    pub(super) fn matches_runs<'t>(
        &self,
        pattern: &Pattern,
        mut runs: impl Iterator<Item = &'t [u8]>,
        ends: bool,
    ) -> bool {
        let mut segments = self.segments(pattern).map(|range| &self.text[range]);
        let first = segments.next().expect("a pattern has a segment");
        let Some(mut rest) = runs.next().and_then(|run| run.strip_prefix(first)) else { return false };
        if segments.len() == 0 {
            return !pattern.anchored || (ends && rest.is_empty() && runs.next().is_none());
        }
        let last = if pattern.anchored { segments.next_back() } else { None };
        for segment in segments {
            // The leftmost match of each segment, without backtracking.
            loop {
                if let Some(at) = memchr::memmem::find(rest, segment) {
                    rest = &rest[at + segment.len()..];
                    break;
                }
                let Some(run) = runs.next() else { return false };
                rest = run;
            }
        }
        match last {
            Some(last) => ends && runs.last().unwrap_or(rest).ends_with(last),
            None => true,
        }
    }

    /// The pattern that decides: the one of the smallest rank that matches `path`, in normal form. `None` if nothing matches,
    /// which allows the path.
    pub fn deciding(&self, path: &[u8]) -> Option<&Pattern> {
        self.patterns.iter().find(|pattern| self.matches(pattern, path))
    }

    /// The verdict on `path`, in normal form, by trying the patterns one by one.
    pub fn verdict(&self, path: &[u8]) -> Verdict {
        self.deciding(path).map_or(Verdict::Allowed, |pattern| pattern.verdict)
    }

    /// Whether `wide` matches every path that `narrow` matches.
    ///
    /// `true` is always right. `false` is right as long as paths can contain some byte that `wide` lacks. A pattern that
    /// begins with neither `/` nor `*` matches no path; this function never reports it as covered. Takes time linear in both
    /// patterns.
    pub fn covers(&self, wide: &Pattern, narrow: &Pattern) -> bool {
        let runs = || self.segments(narrow).map(|range| &self.text[range]);
        let first = runs().next().expect("a pattern has a segment");
        if first.starts_with(b"/") {
            return self.matches_runs(wide, runs(), narrow.anchored);
        }
        if !first.is_empty() || (narrow.anchored && runs().len() == 1) {
            return false;
        }
        // A path begins with a slash: either the leading `*` takes it, or the next segment begins with it.
        let taken = std::iter::once(b"/".as_slice()).chain(runs().skip(1));
        self.matches_runs(wide, taken, narrow.anchored)
            && (!runs().nth(1).is_some_and(|second| second.starts_with(b"/"))
                || self.matches_runs(wide, runs().skip(1), narrow.anchored))
    }
}

/// For tests: patterns in short form, the simplest matcher, and all short paths.
#[cfg(test)]
pub(crate) mod tried {
    use crate::dialect::Dialect;
    use crate::robots::Robots;
    use crate::rules::Patterns;

    /// The patterns of rules between blanks, in the default dialect: `+pattern` for `Allow`, `-pattern` for `Disallow`.
    pub(crate) fn patterns(rules: &str) -> Patterns {
        patterns_under(rules, Dialect::DEFAULT)
    }

    /// The same in another dialect.
    pub(crate) fn patterns_under(rules: &str, dialect: &Dialect) -> Patterns {
        let key = |rule: &str| if rule.starts_with('+') { "Allow" } else { "Disallow" };
        let lines = rules.split_whitespace().map(|rule| format!("{}: {}\n", key(rule), &rule[1..]));
        let file = format!("User-agent: *\n{}", lines.collect::<String>());
        Patterns::rank(Robots::parse(file.as_bytes(), dialect).rules.iter(), dialect)
    }

    /// Whether a rule matches a path.
    pub(crate) fn matches(rule: &[u8], path: &[u8]) -> bool {
        match (rule, path) {
            ([], _) => true,
            ([b'$'], _) => path.is_empty(),
            ([b'*', rest @ ..], _) => (0..=path.len()).any(|at| matches(rest, &path[at..])),
            ([byte, rest @ ..], [first, path @ ..]) => byte == first && matches(rest, path),
            _ => false,
        }
    }

    /// All paths of up to `longest` bytes after the slash, made of `a`, `b`, `/` and `x`.
    pub(crate) fn paths(longest: usize) -> Vec<Vec<u8>> {
        let mut all = vec![b"/".to_vec()];
        let mut from = 0;
        for _ in 0..longest {
            let until = all.len();
            for at in from..until {
                let longer = b"ab/x".map(|byte| [all[at].as_slice(), &[byte]].concat());
                all.extend(longer);
            }
            from = until;
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::tried::{matches, paths, patterns_under};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    use crate::dialect::Dialect;

    /// Whether the first rule covers the second.
    fn covers(wide: &str, narrow: &str) -> bool {
        covers_under(wide, narrow, Dialect::DEFAULT)
    }

    fn covers_under(wide: &str, narrow: &str, dialect: &Dialect) -> bool {
        let patterns = patterns_under(&format!("-{wide} -{narrow}"), dialect);
        let of = |rule: u32| patterns.all().iter().find(|pattern| pattern.rule == rule).unwrap();
        patterns.covers(of(0), of(1))
    }

    #[test]
    fn what_covers_what() {
        for (wide, narrow) in [
            ("/", "/a"),
            ("/", "*"),
            ("*", "/"),
            ("/*a", "/a"),
            ("/a", "/a*b$"),
            ("/*b", "/a*b$"),
            ("/*b$", "/a*b$"),
            ("/*a", "*/a"),
            ("*/b", "/a/b"),
            ("/*a*b", "/*xa*c*b"),
            ("/a$", "/a$"),
            ("/*", "*.gif$"),
            ("*.gif$", "/*.gif$"),
            ("*/", "*/x"),
        ] {
            assert!(covers(wide, narrow), "{wide} covers {narrow}");
        }
        for (wide, narrow) in [
            ("/a", "/"),
            ("/a", "*a"),
            ("/*/a", "*/a"),
            ("/a$", "/a"),
            ("/*b$", "/a*b"),
            ("/*ab", "/a*b"),
            ("/a*a$", "/a$"),
            ("/*b*a", "/a*b"),
            ("/*aa$", "/a*a$"),
        ] {
            assert!(!covers(wide, narrow), "{wide} does not cover {narrow}");
        }
        // They match no path at all; the default dialect drops them.
        for narrow in ["a", "a*b", "a$", "$"] {
            assert!(!covers_under("/", narrow, Dialect::named("google").unwrap()), "{narrow}");
        }
    }

    /// `x` occurs in no rule.
    static PATHS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| paths(6));

    fn rule() -> impl Strategy<Value = Vec<u8>> {
        let middle = vec(prop::sample::select(b"ab/**".as_slice()), 0..4);
        (prop::sample::select(b"/*".as_slice()), middle, any::<bool>()).prop_map(|(first, middle, dollar)| {
            [[first].as_slice(), middle.as_slice(), if dollar { b"$".as_slice() } else { b"" }].concat()
        })
    }

    proptest! {
        /// The narrow rule has at most five bytes before its `$`, so a counterexample is among the paths.
        #[test]
        fn covering_is_exactly_what_trying_all_paths_says(wide in rule(), narrow in rule()) {
            let text = |rule: &[u8]| String::from_utf8(rule.to_vec()).unwrap();
            let tried = PATHS.iter().all(|path| !matches(&narrow, path) || matches(&wide, path));
            prop_assert_eq!(covers(&text(&wide), &text(&narrow)), tried, "{} {}", text(&wide), text(&narrow));
        }
    }
}
