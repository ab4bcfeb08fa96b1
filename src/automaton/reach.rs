//! Which verdicts an automaton gives, over all paths that can be requested.
//!
//! The automaton is walked together with that of the [paths](Paths), as a product: each reachable pair of states is
//! visited once, until both verdicts are found, no pair is left, or the budget is spent. The walk is depth-first, along
//! the bytes of patterns first, because verdicts are found at the ends of patterns. To ask for a
//! [difference](super::differ) from the verdict on `/`, which is the same question, takes three times the instructions,
//! because that walk remembers what is told and how each place was reached.

use hashbrown::HashSet;

use super::dfa::spots::{Nexts, Spot};
use super::paths::{DEAD, PathState, Paths};
use super::{Engine, Scratch, engine, verdict};
use crate::rules::{Patterns, Verdict};

/// The verdicts that an automaton has for the paths that can be requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reached {
    /// This one for all.
    Only(Verdict),
    /// Both.
    Both,
}

/// The most pairs, of a state of a path and a state of an automaton, that are visited for one question. Each byte of a
/// group's patterns makes a few pairs.
pub const PAIRS: usize = 1 << 18;

/// Memory is released after a walk of more pairs than this.
pub(super) const KEPT: usize = 1 << 14;

/// Memory for a walk over all paths, reused for each automaton.
#[derive(Debug, Default)]
pub struct ReachSpace {
    nexts: Nexts,
    seen: HashSet<(PathState, u64)>,
    /// The pairs whose successors have not been visited yet.
    open: Vec<(PathState, Spot)>,
    /// Whether a path was found that is allowed, and one that is blocked.
    found: [bool; 2],
}

impl ReachSpace {
    /// The verdicts of an automaton. `None` if it has no DFA, or a budget of this many pairs does not suffice.
    pub fn reached(&mut self, words: &[u32], paths: &Paths, budget: usize) -> Option<Reached> {
        if self.seen.len() > KEPT {
            *self = ReachSpace::default();
        }
        self.seen.clear();
        self.open.clear();
        self.found = [false; 2];
        if engine(words) == Engine::Cursors { None } else { self.walk(words, paths, budget) }
    }

    /// How many pairs the last walk found, besides the one that it began with.
    pub fn pairs(&self) -> usize {
        self.seen.len()
    }

    fn walk(&mut self, words: &[u32], paths: &Paths, budget: usize) -> Option<Reached> {
        let start = Spot::start(words)?;
        if let Some(verdict) = start.settled() {
            return Some(Reached::Only(verdict));
        }
        self.open.push((paths.start(), start));
        while let Some(pair) = self.open.pop() {
            if 1 + self.seen.len() - self.open.len() > budget {
                return None;
            }
            self.walk_on(pair, words, paths)?;
            if self.found == [true; 2] {
                return Some(Reached::Both);
            }
        }
        match self.found {
            [true, false] => Some(Reached::Only(Verdict::Allowed)),
            [false, true] => Some(Reached::Only(Verdict::Blocked)),
            [true, true] => Some(Reached::Both),
            [false, false] => None,
        }
    }

    /// Visits the successors of a pair. `None` if the words are not a table.
    fn walk_on(&mut self, (state, spot): (PathState, Spot), words: &[u32], paths: &Paths) -> Option<()> {
        if paths.can_end(state) {
            self.found[place(spot.at_end(words)?)] = true;
        }
        self.nexts.find(words, spot)?;
        for (next, bytes) in paths.nexts(state) {
            if bytes.iter().any(|&byte| !self.nexts.has(byte)) {
                self.visit(next, self.nexts.rest);
            }
        }
        for place in 0..self.nexts.bytes.len() {
            let byte = self.nexts.bytes[place];
            self.visit(paths.next(state, byte), self.nexts.on(byte));
        }
        Some(())
    }

    /// Notes a reachable pair. A path can end after every state but the dead one, so a settled verdict counts as found.
    #[inline]
    fn visit(&mut self, state: PathState, spot: Spot) {
        if state == DEAD {
            return;
        }
        match spot.settled() {
            Some(verdict) => self.found[place(verdict)] = true,
            None if self.seen.insert((state, spot.number())) => self.open.push((state, spot)),
            None => {}
        }
    }
}

fn place(verdict: Verdict) -> usize {
    usize::from(verdict == Verdict::Blocked)
}

/// The most patterns that are tried.
const TRIED: usize = 256;

/// Whether paths that the patterns of an automaton suggest show that it has both verdicts. They are tried one by one, so this works
/// with either engine; `false` proves nothing.
pub fn has_both(words: &[u32], patterns: &Patterns, paths: &Paths, scratch: &mut Scratch) -> bool {
    let mut found = [false; 2];
    for path in tried(patterns) {
        if paths.contains(&path) {
            found[place(verdict(words, &path, scratch))] = true;
        }
        if found == [true; 2] {
            return true;
        }
    }
    false
}

/// Paths that patterns suggest.
pub(super) fn tried(patterns: &Patterns) -> impl Iterator<Item = Vec<u8>> {
    let of_pattern = |pattern| {
        let mut path = Vec::new();
        for (number, segment) in patterns.segments(pattern).enumerate() {
            path.extend_from_slice(if number == 0 && segment.is_empty() { b"/" } else { &patterns.text()[segment] });
        }
        path
    };
    [b"/".to_vec(), b"/a".to_vec()].into_iter().chain(patterns.all().iter().take(TRIED).map(of_pattern))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::compiled;
    use crate::dialect::Dialect;
    use crate::rules::AskedPaths;
    use crate::rules::tried::patterns;

    /// The answers found so far for a group of rules.
    fn found(rules: &str, budget: usize) -> Option<Reached> {
        let paths = Paths::new(&AskedPaths::of(Dialect::DEFAULT));
        ReachSpace::default().reached(&compiled(rules, usize::MAX), &paths, budget)
    }

    #[test]
    fn only_paths_that_can_be_asked_for_count() {
        let (allowed, blocked) = (Reached::Only(Verdict::Allowed), Reached::Only(Verdict::Blocked));
        for (rules, expected) in [
            ("-/", blocked),
            ("-/*", blocked),
            ("-*", blocked),
            ("+/", allowed),
            ("", allowed),
            // robots.txt itself is left out, but neither what begins with it, nor a query of it.
            ("-/ +/robots.txt$", blocked),
            ("-/ +/robots.txt", Reached::Both),
            ("-/ +/robots.txt?$", Reached::Both),
            ("-/robots.txt$", allowed),
            // Neither dot segments nor raw bytes that are escaped are asked for.
            ("-/../", allowed),
            ("-/./x", allowed),
            ("-/..$", allowed),
            ("-/..a", Reached::Both),
            ("-/?x/../", Reached::Both),
            ("-/%2e/", allowed),
            ("-/%7c", Reached::Both),
            ("-/a b", Reached::Both),
            ("-/$", Reached::Both),
            ("-/ +/a -/aa", Reached::Both),
            ("-/a -/b +/", Reached::Both),
            ("-/shop +/shop/*.html$", Reached::Both),
            ("-/ +/ab$", Reached::Both),
            ("-/%7", Reached::Both),
            ("-/a -/b +/bb", Reached::Both),
            ("-/*a*b +/*ab$", Reached::Both),
        ] {
            assert_eq!(found(rules, PAIRS), Some(expected), "{rules}");
        }
    }

    #[test]
    fn nothing_is_claimed_beyond_the_budget() {
        assert_eq!(found("-/a-long-one", 5), None);
        let (cursors, mut space) = (compiled("-/ +/*a*b", 0), ReachSpace::default());
        let (paths, rules) = (Paths::new(&AskedPaths::of(Dialect::DEFAULT)), patterns("-/ +/*a*b"));
        assert_eq!(space.reached(&cursors, &paths, PAIRS), None);
        assert!(has_both(&cursors, &rules, &paths, &mut Scratch::default()));
        assert!(!has_both(&cursors, &patterns("-/x"), &paths, &mut Scratch::default()));
    }
}
