//! The DFA of the paths that can be requested. Automata of groups are walked together with it, so that only these paths
//! count.

use hashbrown::HashMap;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::util::primitives::StateID;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind};

use crate::rules::AskedPaths;

/// A state of [`Paths`].
pub(super) type PathState = u16;

/// No path continues from here.
pub(super) const DEAD: PathState = 0;

/// The state in which every path begins, before states are merged.
const START: PathState = 1;

/// The paths that can be requested, as a minimal DFA: from every state but [`DEAD`], a path can reach its end.
#[derive(Debug, Clone)]
pub struct Paths {
    /// By byte, its class: bytes of one class lead to the same states.
    classes: [u8; 256],
    /// By class, its bytes, those that are easiest to read first.
    members: Vec<Vec<u8>>,
    /// By state and class, the next state.
    next: Vec<PathState>,
    /// By state, how many bytes a path takes at least to its end.
    left: Vec<u16>,
    start: PathState,
}

/// No path ends.
const NEVER: u16 = u16::MAX;

/// A row of a table of transitions: by byte, the next state.
type Row = [PathState; 256];

impl Paths {
    /// The paths of a description.
    ///
    /// # Panics
    ///
    /// If the description has no path, is not a regular expression, or needs more than a thousand states; the
    /// descriptions of [`AskedPaths::of`] need some 30.
    pub fn new(asked: &AskedPaths) -> Paths {
        let (rows, ends) = explored(&automaton(asked));
        let merged = merged(&rows, &ends);
        let start = merged[usize::from(START)];
        assert_ne!(start, DEAD, "paths can be asked for");
        let count = merged.iter().copied().max().unwrap_or(DEAD);
        // A state of each number.
        let kept = (0..=count).filter_map(|number| merged.iter().position(|&other| other == number));
        let (rows, ends): (Vec<Row>, Vec<bool>) =
            kept.map(|state| (rows[state].map(|next| merged[usize::from(next)]), ends[state])).unzip();
        let (classes, members) = classes(&rows);
        let next = rows.iter().flat_map(|row| members.iter().map(|bytes| row[usize::from(bytes[0])])).collect();
        let left = ends.iter().map(|&end| if end { 0 } else { NEVER }).collect();
        let mut paths = Paths { classes, members, next, left, start };
        for round in 1..=count {
            for state in 0..=count {
                let is_before = |(next, _): (PathState, &[u8])| paths.left[usize::from(next)] == round - 1;
                if paths.left[usize::from(state)] == NEVER && paths.nexts(state).any(is_before) {
                    paths.left[usize::from(state)] = round;
                }
            }
        }
        paths
    }

    /// The state in which every path begins.
    pub(super) fn start(&self) -> PathState {
        self.start
    }

    /// Whether a path can end in a state.
    #[inline]
    pub(super) fn can_end(&self, state: PathState) -> bool {
        self.left[usize::from(state)] == 0
    }

    /// The state after a byte.
    #[inline]
    pub(super) fn next(&self, state: PathState, byte: u8) -> PathState {
        self.next[usize::from(state) * self.members.len() + usize::from(self.classes[usize::from(byte)])]
    }

    /// The classes of bytes with which paths continue from a state: the next state, and the bytes.
    #[inline]
    pub(super) fn nexts(&self, state: PathState) -> impl Iterator<Item = (PathState, &[u8])> {
        let from = usize::from(state) * self.members.len();
        let next = &self.next[from..from + self.members.len()];
        next.iter().copied().zip(&self.members).filter(|(next, _)| *next != DEAD).map(|(next, bytes)| (next, &**bytes))
    }

    /// Appends the shortest bytes with which a path in this state can end.
    pub(super) fn end(&self, mut state: PathState, path: &mut Vec<u8>) {
        while !self.can_end(state) {
            let nearest = self.nexts(state).min_by_key(|(next, _)| self.left[usize::from(*next)]);
            let (next, bytes) = nearest.expect("a path can reach its end");
            path.push(bytes[0]);
            state = next;
        }
    }

    /// Whether this path, in normal form, can be requested.
    pub fn contains(&self, path: &[u8]) -> bool {
        self.can_end(path.iter().fold(self.start, |state, &byte| self.next(state, byte)))
    }
}

/// The automaton of all expressions. Pattern 0 is the form of paths; paths that match any other are never requested.
fn automaton(asked: &AskedPaths) -> dense::DFA<Vec<u32>> {
    let expressions: Vec<&str> = [asked.form].into_iter().chain(asked.never.iter().copied()).collect();
    dense::Builder::new()
        .configure(dense::Config::new().match_kind(MatchKind::All).start_kind(StartKind::Anchored))
        .syntax(syntax::Config::new().unicode(false).utf8(false))
        .thompson(regex_automata::nfa::thompson::Config::new().utf8(false))
        .build_many(&expressions)
        .expect("regular expressions of a few states")
}

/// [`DEAD`], then all states that paths can reach, from [`START`] on: where bytes lead, and whether a path can end there.
fn explored(dfa: &dense::DFA<Vec<u32>>) -> (Vec<Row>, Vec<bool>) {
    let start = dfa.start_state_forward(&Input::new(b"").anchored(Anchored::Yes)).expect("no byte quits");
    let mut numbers: HashMap<StateID, PathState> = HashMap::from([(start, START)]);
    let (mut states, mut rows, mut ends) = (vec![start], vec![[DEAD; 256]], vec![false]);
    while let Some(&state) = states.get(rows.len() - 1) {
        let row = std::array::from_fn(|byte| {
            let next = dfa.next_state(state, byte as u8);
            *numbers.entry(next).or_insert_with(|| {
                states.push(next);
                PathState::try_from(states.len()).expect("few states")
            })
        });
        rows.push(row);
        let end = dfa.next_eoi_state(state);
        let matches = |pattern: usize| dfa.match_pattern(end, pattern).as_usize();
        ends.push(dfa.is_match_state(end) && (0..dfa.match_len(end)).all(|at| matches(at) == 0));
    }
    (rows, ends)
}

/// A number for each state, equal for equivalent states: Moore's algorithm. States from which no path can reach its end are
/// equivalent to [`DEAD`], and have its number, because it comes first.
fn merged(rows: &[Row], ends: &[bool]) -> Vec<PathState> {
    let mut numbers: Vec<PathState> = ends.iter().map(|&end| end.into()).collect();
    let mut count = 0;
    loop {
        let mut seen: HashMap<(PathState, Row), PathState> = HashMap::new();
        let again = numbers.iter().zip(rows).map(|(&number, row)| {
            let fresh = seen.len() as PathState;
            *seen.entry((number, row.map(|next| numbers[usize::from(next)]))).or_insert(fresh)
        });
        let again = again.collect();
        let is_done = seen.len() == count;
        (count, numbers) = (seen.len(), again);
        if is_done {
            return numbers;
        }
    }
}

/// The class of each byte, and the bytes of each class: those that lead to the same state from every state.
fn classes(rows: &[Row]) -> ([u8; 256], Vec<Vec<u8>>) {
    let mut classes = [0; 256];
    let mut members: Vec<Vec<u8>> = Vec::new();
    let is_odd = |byte: &u8| (!byte.is_ascii_lowercase(), !byte.is_ascii_alphanumeric(), !byte.is_ascii_graphic());
    let mut bytes: Vec<u8> = (0..=u8::MAX).collect();
    bytes.sort_by_key(is_odd);
    for byte in bytes {
        let leads = |other: u8| rows.iter().all(|row| row[usize::from(byte)] == row[usize::from(other)]);
        let class = members.iter().position(|bytes| leads(bytes[0])).unwrap_or_else(|| {
            members.push(Vec::new());
            members.len() - 1
        });
        members[class].push(byte);
        classes[usize::from(byte)] = class as u8;
    }
    (classes, members)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_form_that_are_not_excluded() {
        let asked = AskedPaths { form: "/[abx]*", never: vec!["/ab", "/a*", "(?s-u).*x.*"] };
        let paths = Paths::new(&asked);
        for (path, expected) in
            [("/b", true), ("/", false), ("/aa", false), ("/ab", false), ("/aba", true), ("/aab", true)]
        {
            assert_eq!(paths.contains(path.as_bytes()), expected, "{path}");
        }
        assert!(!paths.contains(b"") && !paths.contains(b"/bx") && !paths.contains(b"b"));
        // Whatever goes on after `x` is never asked for, so that is dead.
        let before = paths.next(paths.start(), b'/');
        assert_eq!(paths.next(before, b'x'), DEAD);
        assert_eq!(paths.nexts(before).map(|(_, bytes)| bytes).collect::<Vec<_>>(), [b"a", b"b"]);
    }

    #[test]
    fn there_are_few_states() {
        for dialect in crate::dialect::Dialect::ALL {
            let paths = Paths::new(&AskedPaths::of(dialect));
            assert!((4..64).contains(&paths.left.len()), "{} {}", dialect.name, paths.left.len());
        }
    }
}
