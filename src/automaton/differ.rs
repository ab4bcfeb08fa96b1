//! Where two automata differ, of all paths that can be asked for.
//!
//! Both are walked beside the automaton of the [paths](Paths), as a product: where a path and both automata can be together is
//! visited once, nearest first. A *difference* is a place where, on the way there, the verdicts begin to differ, or begin to differ
//! the other way. So `Disallow: /` is one difference to no rules, at `/`, however many paths begin with it.

use hashbrown::HashSet;

use super::dfa::spots::{Nexts, Spot};
use super::paths::{DEAD, PathState, Paths};
use super::reach::{KEPT, tried};
use super::trail::{FoundPath, Trail};
use super::{Engine, Scratch, engine, verdict};
use crate::rules::{Patterns, Verdict};

/// A path on which two automata differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The path, in normal form. It can be asked for, and is among the shortest that show the difference.
    pub path: Vec<u8>,
    /// The verdict of the newer automaton; the older one has the other.
    pub now: Verdict,
}

impl Difference {
    /// The verdicts before and now.
    pub fn verdicts(&self) -> [Verdict; 2] {
        match self.now {
            Verdict::Allowed => [Verdict::Blocked, Verdict::Allowed],
            Verdict::Blocked => [Verdict::Allowed, Verdict::Blocked],
        }
    }
}

/// How two automata differ.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Differences {
    /// Some of the differences, the nearest first.
    pub shown: Vec<Difference>,
    /// How many there are at which paths become allowed, and blocked.
    pub counts: [u64; 2],
    /// Whether these are all: if not, an automaton has no DFA, or the budget was spent.
    pub are_all: bool,
}

impl Differences {
    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    fn add(&mut self, now: Verdict, most: usize, path: impl FnOnce() -> Vec<u8>) {
        self.counts[usize::from(now == Verdict::Blocked)] += 1;
        if self.shown.len() < most {
            self.shown.push(Difference { path: path(), now });
        }
    }
}

/// Where a difference was found: the spots of both automata, and what leads on from there.
type Place = (u64, u64, u16);

/// In a [`Place`], in place of a byte that leads on: the path ends there, or any byte that no pattern has leads on.
const END: u16 = 256;
const REST: u16 = 257;

/// A place that was visited: the state of a path, and the spots of the older and the newer automaton. `now` is the verdict of the
/// newer one where a path could last end, if they differed there.
#[derive(Debug, Clone, Copy)]
struct Visited {
    state: PathState,
    spots: [Spot; 2],
    now: Option<Verdict>,
}

/// Memory for a walk over all paths, reused for each two automata.
#[derive(Debug, Default)]
pub struct DifferSpace {
    nexts: [Nexts; 2],
    seen: HashSet<(PathState, u64, u64)>,
    queue: Vec<Visited>,
    trail: Trail,
    found: HashSet<Place>,
    scratch: Scratch,
}

/// What decides on all paths.
#[derive(Clone, Copy)]
pub enum Rules<'r> {
    /// One verdict.
    All(Verdict),
    /// The automaton of a group, with what makes its patterns, where they are needed.
    Of(&'r [u32], &'r dyn Fn() -> Patterns),
}

impl<'r> Rules<'r> {
    fn words(self) -> &'r [u32] {
        match self {
            Rules::All(_) => &[],
            Rules::Of(words, _) => words,
        }
    }

    fn start(self) -> Option<Spot> {
        match self {
            Rules::All(verdict) => Some(Spot::all(verdict)),
            Rules::Of(words, _) => Spot::start(words),
        }
    }
}

impl DifferSpace {
    /// The differences between two automata, of which at most so many are shown. The walk ends after `budget` places. If there is no
    /// DFA, paths that the patterns suggest are tried, which proves nothing if it finds nothing.
    pub fn differences(&mut self, rules: [Rules<'_>; 2], paths: &Paths, budget: usize, shown: usize) -> Differences {
        if self.queue.len() > KEPT {
            *self = DifferSpace::default();
        }
        self.seen.clear();
        self.queue.clear();
        self.trail.clear();
        self.found.clear();
        if rules.iter().any(|rules| matches!(rules, Rules::Of(words, _) if engine(words) == Engine::Cursors)) {
            return self.tried(rules, paths, shown);
        }
        let mut found = Differences::default();
        found.are_all = self.walk(rules, paths, budget, shown, &mut found).is_some();
        found
    }

    /// Walks both; `None` if the budget is spent, or the words of one are no table.
    fn walk(
        &mut self,
        rules: [Rules<'_>; 2],
        paths: &Paths,
        budget: usize,
        shown: usize,
        found: &mut Differences,
    ) -> Option<()> {
        let [was, now] = rules.map(Rules::start);
        let tables = rules.map(Rules::words);
        self.queue.push(Visited { state: paths.start(), spots: [was?, now?], now: None });
        self.trail.begin();
        let mut at = 0;
        while let Some(&visited) = self.queue.get(at) {
            if at == budget {
                return None;
            }
            let mut last = visited.now;
            if paths.can_end(visited.state) {
                let [was, now] = verdicts(visited.spots, tables)?;
                let differs = (was != now).then_some(now);
                if let Some(now) = differs.filter(|_| differs != last)
                    && self.found.insert(place(visited.spots, END))
                {
                    found.add(now, shown, || FoundPath { at, then: None }.path(&self.trail, paths));
                }
                last = differs;
            }
            for ((nexts, table), spot) in self.nexts.iter_mut().zip(tables).zip(visited.spots) {
                nexts.find(table, spot)?;
            }
            let [was, now] = &self.nexts;
            let mut bytes: Vec<u8> = was.bytes.clone();
            bytes.extend(now.bytes.iter().filter(|&&byte| !was.has(byte)));
            bytes.sort_unstable();
            for &byte in &bytes {
                let spots = self.nexts.each_ref().map(|nexts| nexts.on(byte));
                let next = Visited { state: paths.next(visited.state, byte), spots, now: last };
                self.visit(at, (byte, u16::from(byte)), next, paths, shown, found);
            }
            for (state, class) in paths.nexts(visited.state) {
                let is_other = |byte: &&u8| bytes.binary_search(byte).is_err();
                if let Some(&byte) = class.iter().find(is_other) {
                    let spots = self.nexts.each_ref().map(|nexts| nexts.rest);
                    self.visit(at, (byte, REST), Visited { state, spots, now: last }, paths, shown, found);
                }
            }
            at += 1;
        }
        Some(())
    }

    /// Notes a place that a byte leads to. Every state of a path but the dead one leads to an end, so if both verdicts are settled,
    /// it is known whether they differ from there on.
    fn visit(
        &mut self,
        at: usize,
        (byte, by): (u8, u16),
        next: Visited,
        paths: &Paths,
        shown: usize,
        found: &mut Differences,
    ) {
        if next.state == DEAD {
            return;
        }
        match next.spots.map(Spot::settled) {
            [Some(was), Some(now)] => {
                if was != now && next.now != Some(now) && self.found.insert(place(self.queue[at].spots, by)) {
                    let path = FoundPath { at, then: Some((byte, next.state)) };
                    found.add(now, shown, || path.path(&self.trail, paths));
                }
            }
            _ => {
                let [was, now] = next.spots.map(Spot::number);
                if self.seen.insert((next.state, was, now)) {
                    self.queue.push(next);
                    self.trail.add(at, byte);
                }
            }
        }
    }

    /// The differences on paths that the patterns of both suggest.
    fn tried(&mut self, rules: [Rules<'_>; 2], paths: &Paths, shown: usize) -> Differences {
        let mut found = Differences::default();
        let mut suggested = Vec::new();
        for rules in rules {
            if let Rules::Of(_, patterns) = rules {
                suggested.extend(tried(&patterns()));
            }
        }
        suggested.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        suggested.dedup();
        for path in suggested.into_iter().filter(|path| paths.contains(path)) {
            let [was, now] = rules.map(|rules| match rules {
                Rules::Of(words, _) => verdict(words, &path, &mut self.scratch),
                Rules::All(verdict) => verdict,
            });
            if was != now {
                found.add(now, shown, || path);
            }
        }
        found
    }
}

/// The verdicts of both if a path ends here.
fn verdicts(spots: [Spot; 2], tables: [&[u32]; 2]) -> Option<[Verdict; 2]> {
    let [was, now] = spots;
    Some([was.at_end(tables[0])?, now.at_end(tables[1])?])
}

fn place(spots: [Spot; 2], by: u16) -> Place {
    let [was, now] = spots.map(Spot::number);
    (was, now, by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{PAIRS, compile_within};
    use crate::dialect::Dialect;
    use crate::rules::AskedPaths;
    use crate::rules::tried::patterns;

    /// The differences between two groups of rules, as text.
    fn differences(was: &str, now: &str, dfa_budget: usize) -> (String, bool) {
        let paths = Paths::new(&AskedPaths::of(Dialect::DEFAULT));
        let rules = [was, now].map(patterns);
        let words = rules.each_ref().map(|rules| {
            let mut words = Vec::new();
            compile_within(rules, dfa_budget, &mut words);
            words
        });
        let patterns = rules.each_ref().map(|rules| || rules.clone());
        let sides = [0, 1].map(|side| Rules::Of(&words[side], &patterns[side]));
        let found = DifferSpace::default().differences(sides, &paths, PAIRS, 100);
        assert_eq!(found.count(), found.shown.len() as u64);
        let shown = found.shown.iter().map(|difference| {
            let sign = if difference.now == Verdict::Allowed { '+' } else { '-' };
            format!("{sign}{}", difference.path.escape_ascii())
        });
        (shown.collect::<Vec<_>>().join(" "), found.are_all)
    }

    #[test]
    fn each_difference_has_a_shortest_path() {
        for (was, now, expected) in [
            ("", "", ""),
            ("", "+/", ""),
            ("-/", "-*", ""),
            ("-/a -/ab", "-/a", ""),
            ("-/a*", "-/a", ""),
            ("-/shop/ -/shop/cart", "-/shop/", ""),
            // The path of robots.txt is never asked about.
            ("-/ +/robots.txt$", "-/", ""),
            ("", "-/shop/", "-/shop/"),
            ("-/shop/", "", "+/shop/"),
            ("", "-/", "-/"),
            ("+/public/", "-/ +/public/", "-/"),
            ("-/a", "-/b", "+/a -/b"),
            ("", "-/a -/b -/cd", "-/a -/b -/cd"),
            // Within what is blocked now, a part was blocked before, and what is in that is allowed now.
            ("-/a/b", "-/a +/a/b/c", "-/a +/a/b/c"),
            ("-/a", "-/a$", "+/a%"),
            ("-/a$", "-/a", "-/a%"),
            ("", "-/*.pdf$", "-/.pdf"),
            ("-/?q", "-/?", "-/?"),
        ] {
            let (found, are_all) = differences(was, now, usize::MAX);
            let is_any = |found: &str| expected.ends_with('%') && found.starts_with(expected.trim_end_matches('%'));
            assert!(are_all && (found == expected || is_any(&found)), "{was:?} {now:?}: {found}");
        }
    }

    #[test]
    fn nothing_is_claimed_without_a_walk() {
        assert_eq!(differences("-/a", "-/a -/b", 0), ("-/b".to_owned(), false));
        assert_eq!(differences("-/a", "-/a", 0), (String::new(), false));
        let paths = Paths::new(&AskedPaths::of(Dialect::DEFAULT));
        let (mut words, rules) = (Vec::new(), patterns("-/a-long-one"));
        compile_within(&rules, usize::MAX, &mut words);
        let sides = [Rules::All(Verdict::Allowed), Rules::Of(&words, &|| rules.clone())];
        let found = DifferSpace::default().differences(sides, &paths, 5, 1);
        assert_eq!(found, Differences::default());
    }
}
