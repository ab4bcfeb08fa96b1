//! Where automata differ, over all paths that can be requested.
//!
//! The automata are walked together with the automaton of the [paths](Paths), as a product: each reachable combination
//! of states is visited once, nearest first. The caller decides what a combination of verdicts means, for example that
//! two automata differ, and how. A *difference* is a place where this meaning begins or changes along a path. So
//! `Disallow: /` differs from no rules in one place, `/`, however many paths begin with it.

use hashbrown::HashSet;

use super::dfa::spots::{Nexts, Spot};
use super::head::ENGINE_DFA;
use super::paths::{DEAD, PathState, Paths};
use super::reach::{KEPT, tried};
use super::{Engine, Scratch, engine, verdict};
use crate::rules::{Patterns, Verdict};

/// A path on which automata differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference<T> {
    /// The path, in normal form. It can be requested, and is one of the shortest that show the difference.
    pub path: Vec<u8>,
    /// The meaning of the verdicts on it.
    pub told: T,
}

/// How automata differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Differences<T> {
    /// Some of the differences, the nearest first.
    pub shown: Vec<Difference<T>>,
    /// How many differences have the same meaning, in the order in which they were found.
    pub counts: Vec<(T, u64)>,
    /// Whether these are all differences: if not, an automaton has no DFA, or the budget was spent.
    pub are_all: bool,
}

impl<T: Copy + PartialEq> Differences<T> {
    /// There are none.
    pub fn none() -> Differences<T> {
        Differences { shown: Vec::new(), counts: Vec::new(), are_all: true }
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    /// How many differences have this meaning.
    pub fn count_of(&self, told: T) -> u64 {
        self.counts.iter().find(|(other, _)| *other == told).map_or(0, |(_, count)| *count)
    }

    fn add(&mut self, told: T, most: usize, path: impl FnOnce() -> Vec<u8>) {
        match self.counts.iter_mut().find(|(other, _)| *other == told) {
            Some((_, count)) => *count += 1,
            None => self.counts.push((told, 1)),
        }
        if self.shown.len() < most {
            self.shown.push(Difference { path: path(), told });
        }
    }
}

/// The rules that decide on all paths.
#[derive(Clone, Copy)]
pub enum Rules<'r> {
    /// One verdict.
    All(Verdict),
    /// The automaton of a group, with a function that makes its patterns if they are needed.
    Of(&'r [u32], &'r dyn Fn() -> Patterns),
}

impl<'r> Rules<'r> {
    fn words(self) -> &'r [u32] {
        const ALLOWED: [u32; 4] = [ENGINE_DFA.to_le(), 0, 0, 0];
        const BLOCKED: [u32; 4] = [ENGINE_DFA.to_le(), 1u32.to_le(), 1u32.to_le(), 0];
        match self {
            Rules::All(Verdict::Allowed) => &ALLOWED,
            Rules::All(Verdict::Blocked) => &BLOCKED,
            Rules::Of(words, _) => words,
        }
    }
}

/// Automata to be walked side by side.
#[derive(Clone, Copy)]
pub struct Question<'q, const N: usize, T> {
    /// The automata.
    pub rules: [Rules<'q>; N],
    /// The paths that can be requested.
    pub paths: &'q Paths,
    /// The meaning of their verdicts on one path; `None` if there is no difference.
    pub tell: &'q dyn Fn([Verdict; N]) -> Option<T>,
    /// The most differences that are shown.
    pub shown: usize,
}

/// How two automata differ: the newer one's verdict, where they do.
pub fn newer([was, now]: [Verdict; 2]) -> Option<Verdict> {
    (was != now).then_some(now)
}

/// Where a difference was found: the spots of all automata, and the byte that follows.
type Place<const N: usize> = ([u64; N], u16);

/// In a [`Place`], instead of a byte: the path ends there, or any byte that is in no pattern follows.
const END: u16 = 256;
const REST: u16 = 257;

/// A place: the state of a path, and the spots of the automata. `told` is the meaning at the last place where a path
/// could end; `before` and `byte` lead here, if it is not the first.
#[derive(Debug, Clone, Copy)]
struct Visited<const N: usize, T> {
    state: PathState,
    spots: [Spot; N],
    told: Option<T>,
    before: usize,
    byte: u8,
}

/// Memory for a walk over all paths, reused for each question.
#[derive(Debug)]
pub struct DifferSpace<const N: usize, T> {
    nexts: [Nexts; N],
    /// The bytes with a transition of their own in any automaton.
    bytes: Vec<u8>,
    seen: HashSet<(PathState, [u64; N])>,
    places: Vec<Visited<N, T>>,
    found: HashSet<Place<N>>,
    scratch: Scratch,
}

impl<const N: usize, T> Default for DifferSpace<N, T> {
    fn default() -> DifferSpace<N, T> {
        DifferSpace {
            nexts: std::array::from_fn(|_| Nexts::default()),
            bytes: Vec::new(),
            seen: HashSet::new(),
            places: Vec::new(),
            found: HashSet::new(),
            scratch: Scratch::default(),
        }
    }
}

impl<const N: usize, T: Copy + PartialEq> DifferSpace<N, T> {
    /// The differences between automata. The walk ends after `budget` places. If an automaton has no DFA, paths that
    /// the patterns suggest are tried; then finding no difference proves nothing.
    pub fn differences(&mut self, question: &Question<'_, N, T>, budget: usize) -> Differences<T> {
        self.found(question, budget, usize::MAX)
    }

    /// One of the nearest differences, or that there is none; `None` if the budget does not suffice to know. The walk
    /// ends at the first difference, however many the question shows.
    pub fn first(&mut self, question: &Question<'_, N, T>, budget: usize) -> Option<Option<Difference<T>>> {
        let Differences { shown, are_all, .. } = self.found(&Question { shown: 1, ..*question }, budget, 1);
        match shown.into_iter().next() {
            Some(first) => Some(Some(first)),
            None => are_all.then_some(None),
        }
    }

    /// How many places the last walk visited.
    pub fn places(&self) -> usize {
        self.places.len()
    }

    /// The differences up to the place where there are `enough`.
    fn found(&mut self, question: &Question<'_, N, T>, budget: usize, enough: usize) -> Differences<T> {
        if self.places.len() > KEPT {
            *self = DifferSpace::default();
        }
        self.seen.clear();
        self.places.clear();
        self.found.clear();
        let mut found = Differences::none();
        if question.rules.iter().all(|rules| engine(rules.words()) != Engine::Cursors) {
            found.are_all = self.walk(question, [budget, enough], &mut found).is_some();
        } else {
            found.are_all = false;
            self.try_suggested(question, &mut found);
        }
        found
    }

    /// Walks until everything is visited or there are enough differences; `None` if the budget is spent, or the words
    /// of an automaton are not a table.
    fn walk(
        &mut self,
        question: &Question<'_, N, T>,
        [budget, enough]: [usize; 2],
        found: &mut Differences<T>,
    ) -> Option<()> {
        let Question { rules, paths, tell, .. } = *question;
        let tables = rules.map(Rules::words);
        let spots = all(tables.map(Spot::start))?;
        self.places.push(Visited { state: paths.start(), spots, told: None, before: usize::MAX, byte: 0 });
        let mut at = 0;
        while let Some(&Visited { state, spots, told: mut last, .. }) = self.places.get(at) {
            if found.shown.len() >= enough {
                return Some(());
            }
            if at == budget {
                return None;
            }
            if paths.can_end(state) {
                let told = tell(all(std::array::from_fn(|one| spots[one].at_end(tables[one])))?);
                if let Some(told) = told.filter(|_| told != last)
                    && self.found.insert(place(spots, END))
                {
                    found.add(told, question.shown, || self.path(at));
                }
                last = told;
            }
            self.find_nexts(tables, spots)?;
            let to =
                |state: PathState, spots: [Spot; N], byte: u8| Visited { state, spots, told: last, before: at, byte };
            for number in 0..self.bytes.len() {
                let byte = self.bytes[number];
                let spots = self.nexts.each_ref().map(|nexts| nexts.on(byte));
                self.visit(to(paths.next(state, byte), spots, byte), u16::from(byte), question, found);
            }
            for (state, class) in paths.nexts(state) {
                let is_other = |byte: &&u8| self.bytes.binary_search(byte).is_err();
                if let Some(&byte) = class.iter().find(is_other) {
                    let spots = self.nexts.each_ref().map(|nexts| nexts.rest);
                    self.visit(to(state, spots, byte), REST, question, found);
                }
            }
            at += 1;
        }
        Some(())
    }

    /// Finds the successors of spots. `None` if the words of an automaton are not a table.
    fn find_nexts(&mut self, tables: [&[u32]; N], spots: [Spot; N]) -> Option<()> {
        self.bytes.clear();
        for ((nexts, table), spot) in self.nexts.iter_mut().zip(tables).zip(spots) {
            nexts.find(table, spot)?;
            self.bytes.extend_from_slice(&nexts.bytes);
        }
        self.bytes.sort_unstable();
        self.bytes.dedup();
        Some(())
    }

    /// The bytes that lead to a place.
    fn path(&self, at: usize) -> Vec<u8> {
        let before = std::iter::successors(self.places.get(at), |place| self.places.get(place.before));
        let mut path: Vec<u8> = before.map(|place| place.byte).collect();
        // No byte leads to the first place.
        path.pop();
        path.reverse();
        path
    }

    /// Notes a place that was reached. A path can end after every state but the dead one, so if all verdicts are
    /// settled, their meaning is known from there on.
    fn visit(&mut self, next: Visited<N, T>, by: u16, question: &Question<'_, N, T>, found: &mut Differences<T>) {
        if next.state == DEAD {
            return;
        }
        if let Some(settled) = all(next.spots.map(Spot::settled)) {
            let told = (question.tell)(settled);
            if let Some(told) = told.filter(|_| told != next.told)
                && self.found.insert(place(self.places[next.before].spots, by))
            {
                found.add(told, question.shown, || {
                    let mut path = self.path(next.before);
                    path.push(next.byte);
                    question.paths.end(next.state, &mut path);
                    path
                });
            }
        } else if self.seen.insert((next.state, next.spots.map(Spot::number))) {
            self.places.push(next);
        }
    }

    /// Adds the differences on paths that the patterns of all suggest.
    fn try_suggested(&mut self, question: &Question<'_, N, T>, found: &mut Differences<T>) {
        let mut suggested = Vec::new();
        for rules in question.rules {
            if let Rules::Of(_, patterns) = rules {
                suggested.extend(tried(&patterns()));
            }
        }
        suggested.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
        suggested.dedup();
        for path in suggested.into_iter().filter(|path| question.paths.contains(path)) {
            let verdicts = question.rules.map(|rules| verdict(rules.words(), &path, &mut self.scratch));
            if let Some(told) = (question.tell)(verdicts) {
                found.add(told, question.shown, || path);
            }
        }
    }
}

/// All of these, if all are there.
fn all<const N: usize, V: Copy>(values: [Option<V>; N]) -> Option<[V; N]> {
    let mut found = [*values.first()?.as_ref()?; N];
    for (found, value) in found.iter_mut().zip(values) {
        *found = value?;
    }
    Some(found)
}

fn place<const N: usize>(spots: [Spot; N], by: u16) -> Place<N> {
    (spots.map(Spot::number), by)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::PAIRS;
    use crate::automaton::compile::compiled;
    use crate::dialect::Dialect;
    use crate::rules::AskedPaths;
    use crate::rules::tried::patterns;

    /// Asks of two groups of rules, with a budget for their automata.
    fn asked<R>(was: &str, now: &str, dfa_budget: usize, ask: impl FnOnce(&Question<'_, 2, Verdict>) -> R) -> R {
        let words = [was, now].map(|rules| compiled(rules, dfa_budget));
        let patterns = [was, now].map(|rules| || patterns(rules));
        let rules = [0, 1].map(|side| Rules::Of(&words[side], &patterns[side]));
        let paths = Paths::new(&AskedPaths::of(Dialect::DEFAULT));
        ask(&Question { rules, paths: &paths, tell: &newer, shown: 100 })
    }

    /// The differences between two groups of rules, as text.
    fn differences(was: &str, now: &str, dfa_budget: usize) -> (String, bool) {
        let ask = |question: &Question<'_, 2, Verdict>| DifferSpace::default().differences(question, PAIRS);
        let found = asked(was, now, dfa_budget, ask);
        assert_eq!(found.count(), found.shown.len() as u64);
        let shown = found.shown.iter().map(|difference| {
            let sign = if difference.told == Verdict::Allowed { '+' } else { '-' };
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
    fn a_walk_to_the_first_difference_ends_there() {
        let first = |was: &str, now: &str, budget: usize| {
            let mut space = DifferSpace::default();
            let found = asked(was, now, usize::MAX, |question| space.first(question, budget));
            (found.map(|found| found.map(|first| String::from_utf8(first.path).unwrap())), space.places())
        };
        let (found, places) = first("-/a/long/one", "-/a -/a/long/one +/b", PAIRS);
        assert_eq!(found, Some(Some("/a".to_owned())));
        assert!(places < 10, "{places}");
        assert_eq!(first("-/a/long/one", "-/a/long/one -/a/long/one/x", PAIRS).0, Some(None));
        assert_eq!(first("-/a/long/one", "-/a/long/one -/a/long/one/x", 5).0, None);
    }

    #[test]
    fn nothing_is_claimed_without_a_walk() {
        assert_eq!(differences("-/a", "-/a -/b", 0), ("-/b".to_owned(), false));
        assert_eq!(differences("-/a", "-/a", 0), (String::new(), false));
        let paths = Paths::new(&AskedPaths::of(Dialect::DEFAULT));
        let words = compiled("-/a-long-one", usize::MAX);
        let sides = [Rules::All(Verdict::Allowed), Rules::Of(&words, &|| patterns("-/a-long-one"))];
        let question = Question { rules: sides, paths: &paths, tell: &newer, shown: 1 };
        let found = DifferSpace::default().differences(&question, 5);
        assert_eq!(found, Differences { are_all: false, ..Differences::none() });
    }
}
