//! Ranked patterns and how they match a path.

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
    /// and may be empty. Of the others, only the last may be empty, and only if the pattern is anchored.
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
}
