//! Decides whether one pattern matches every path that another matches.
//!
//! Globs make this easy. Replace each `*` of the narrow pattern with a gap, something that no segment of the wide pattern
//! can match, and append a gap unless the narrow pattern ends in `$`. If the wide pattern matches the result, each gap
//! was swallowed by one of its `*`, so any bytes could be in its place: the wide pattern matches every path that the
//! narrow one matches. If it does not, fill the gaps with a byte that the wide pattern lacks, and the path is a
//! counterexample.

use super::{Pattern, Patterns};

impl Patterns {
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

#[cfg(test)]
mod tests {
    use crate::rules::tried::{matches, paths, patterns};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// Whether the first rule covers the second.
    fn covers(wide: &str, narrow: &str) -> bool {
        let patterns = patterns(&format!("-{wide} -{narrow}"));
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
