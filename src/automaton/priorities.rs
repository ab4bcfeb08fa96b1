//! Ranks, reduced to priorities: as much as a verdict needs.
//!
//! Among adjacent ranks with the same verdict, it does not matter which wins. So consecutive ranks with one verdict are one
//! *priority*. Priorities are numbered from the worst, and their verdicts alternate: 0 is "allowed because nothing matches"
//! (together with the `Allow` rules that are worse than every `Disallow`, which change nothing), 1 blocks, 2 allows, and so on.
//! A higher priority wins, and its parity is its verdict.

use crate::rules::{Pattern, Patterns, Verdict};

/// The priority of a pattern, or the best one reached. Odd priorities block.
pub type Priority = u32;

/// Nothing has matched.
pub(super) const NO_MATCH: Priority = 0;

/// The verdict of a priority.
#[inline]
pub(super) fn verdict(priority: Priority) -> Verdict {
    if priority % 2 == 1 { Verdict::Blocked } else { Verdict::Allowed }
}

/// Whether two priorities have opposite verdicts.
#[inline]
pub(super) fn opposite(a: Priority, b: Priority) -> bool {
    (a ^ b) & 1 == 1
}

/// All patterns with their priorities, the worst first.
pub(super) fn from_the_worst(patterns: &Patterns) -> impl Iterator<Item = (&Pattern, Priority)> {
    let mut priority = NO_MATCH;
    patterns.all().iter().rev().map(move |pattern| {
        priority += u32::from(verdict(priority) != pattern.verdict);
        (pattern, priority)
    })
}

/// The priority of each pattern, by rank: adjacent ranks with the same verdict have one priority. 0 changes nothing; of the
/// others, the higher wins, and odd ones block.
pub fn priorities(patterns: &Patterns) -> Vec<Priority> {
    let mut priorities: Vec<Priority> = from_the_worst(patterns).map(|(_, priority)| priority).collect();
    priorities.reverse();
    priorities
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tried::patterns;

    #[test]
    fn priorities_alternate_from_the_worst() {
        assert_eq!(priorities(&patterns("+/ -/a -/bb +/ccc +/dddd -/eeeee")), [3, 2, 2, 1, 1, 0]);
    }
}
