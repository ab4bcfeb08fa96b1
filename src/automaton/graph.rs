//! An automaton as a graph for people: its states, their transitions, and the verdicts.
//!
//! The words of a table have transitions, but not the priority that a state has reached; that is known only during
//! compilation. So the patterns are compiled again. If the result has the same words, as it does unless another version
//! wrote them, the priorities of its states are those of the automaton.

use hashbrown::HashMap;
use std::ops::Range;

use super::compile::{CompileSpace, budget, compile_dfa};
use super::cursors::{BITMAP, SCANNER};
use super::dfa::filter::FILTER_WORDS;
use super::dfa::table::{
    COUNT_SHIFT, DEFAULT_EXPLICIT, DEFAULT_HERE, DEFAULT_MAIN_ROOT, DEFAULT_MASK, DEFAULT_SHIFT, END_BLOCKED,
    FIRST_RECORD, HAS_OUTPUT, KIND_MASK, MIDDLE_BLOCKED, NARROW, RUN, RUN_TARGET_EXPLICIT, RUN_TARGET_MASK,
    RUN_TARGET_SHIFT, Target, WIDE_WORDS, narrow_byte_words, verdict_of,
};
use super::dfa::walk::blocked_if;
use super::head::{self, MAIN_ROOT, START};
use super::{Engine, engine};
use crate::rules::{Patterns, Verdict};

/// The states of an automaton; for cursors, those of the scanner that finds their segments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    /// The engine that the automaton is for.
    pub engine: Engine,
    /// Where a walk begins.
    pub start: Next,
    /// The states that are not settled, those nearest to the start first.
    pub states: Vec<GraphState>,
}

/// Where a walk goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Next {
    /// Nowhere: the verdict is settled.
    Settled(Verdict),
    /// To the state of this number.
    GraphState(u32),
}

/// A state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GraphState {
    /// Its number: where its record begins.
    pub number: u32,
    /// The verdict, if the path ends here.
    pub at_end: Verdict,
    /// The verdict if the path ends within the bytes of the only edge.
    pub within: Verdict,
    /// The best priority if the path ends here, and the best that is reached whatever follows; only for a DFA, if known.
    pub priorities: Option<(u32, u32)>,
    /// The number of the longest segment that ends here; only for a scanner.
    pub segment: Option<u32>,
    /// The transitions on some bytes, one after the other.
    pub edges: Vec<Edge>,
    /// The state that examines all other bytes again. `None`: they are consumed, and the state stays the same.
    pub default: Option<Next>,
}

/// A transition to another state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The bytes, all of them in this order.
    pub bytes: Vec<u8>,
    /// The target.
    pub next: Next,
}

/// The graph of an automaton that [`check_item`](super::check_item) has accepted, made from these patterns.
pub fn graph(words: &[u32], patterns: &Patterns) -> Graph {
    let engine = engine(words);
    let (table, priorities) = match engine {
        Engine::Cursors => (words.get(SCANNER..head::word(words, BITMAP) as usize).unwrap_or_default(), None),
        Engine::Constant | Engine::Dfa => (words, priorities_of(words, patterns)),
    };
    let mut states = Vec::new();
    let mut at = FIRST_RECORD as usize;
    while at < table.len() {
        let (mut state, end) = read(table, at);
        state.priorities = priorities.as_ref().and_then(|priorities| priorities.get(&state.number).copied());
        states.push(state);
        at = end;
    }
    Graph { engine, start: next(head::word(words, START)), states }
}

/// The priorities of each record of a DFA, if these patterns compile to it.
fn priorities_of(words: &[u32], patterns: &Patterns) -> Option<HashMap<u32, (u32, u32)>> {
    let (mut space, mut again) = (CompileSpace::default(), Vec::new());
    // No more than the same budget is needed, if it sufficed once.
    compile_dfa(patterns, budget(patterns.text().len()), &mut space, &mut again).ok()?;
    again.iter_mut().for_each(|word| *word = word.to_le());
    (again == words).then(|| space.layout.priorities(&space.arena).collect())
}

fn next(target: Target) -> Next {
    if target < FIRST_RECORD { Next::Settled(verdict_of(target)) } else { Next::GraphState(target) }
}

/// A word of a table; 0 beyond its end.
fn word(table: &[u32], at: usize) -> u32 {
    table.get(at).map_or(0, |&word| u32::from_le(word))
}

/// The state whose record begins at a word, and where the next record begins.
fn read(table: &[u32], at: usize) -> (GraphState, usize) {
    let header = word(table, at);
    let default = header >> DEFAULT_SHIFT & DEFAULT_MASK;
    let count = (header >> COUNT_SHIFT) as usize;
    let has_output = header & HAS_OUTPUT != 0;
    let output = at + 1 + usize::from(default == DEFAULT_EXPLICIT);
    let payload = if default == DEFAULT_HERE { at + 1 + FILTER_WORDS } else { output + usize::from(has_output) };
    let (edges, end) = match header & KIND_MASK {
        RUN => run(table, payload, header >> RUN_TARGET_SHIFT & RUN_TARGET_MASK, count),
        kind => branch(table, payload, kind, count),
    };
    let state = GraphState {
        number: at as u32,
        at_end: blocked_if(header, END_BLOCKED),
        within: blocked_if(header, MIDDLE_BLOCKED),
        priorities: None,
        segment: has_output.then(|| word(table, output)),
        edges,
        default: match default {
            DEFAULT_HERE => None,
            DEFAULT_EXPLICIT => Some(next(word(table, at + 1))),
            DEFAULT_MAIN_ROOT => Some(next(word(table, MAIN_ROOT))),
            settled => Some(next(settled)),
        },
    };
    (state, end)
}

fn run(table: &[u32], payload: usize, code: u32, count: usize) -> (Vec<Edge>, usize) {
    let explicit = code == RUN_TARGET_EXPLICIT;
    let start = payload + usize::from(explicit);
    let end = start + count.div_ceil(4);
    let bytes = bytes_of(table, start..end, count);
    let target = if explicit { word(table, payload) } else { code };
    (vec![Edge { bytes, next: next(target) }], end)
}

/// The first `count` bytes of some words; none if the table ends before.
fn bytes_of(table: &[u32], words: Range<usize>, count: usize) -> Vec<u8> {
    let words = table.get(words).unwrap_or_default();
    bytemuck::cast_slice(words).iter().copied().take(count).collect()
}

fn branch(table: &[u32], payload: usize, kind: u32, count: usize) -> (Vec<Edge>, usize) {
    let byte_words = if kind == NARROW { narrow_byte_words(count) } else { WIDE_WORDS };
    let bytes: Vec<u8> = if kind == NARROW {
        bytes_of(table, payload..payload + byte_words, count)
    } else {
        let is_set = |byte: &u8| word(table, payload + usize::from(byte >> 5)) >> (byte & 31) & 1 == 1;
        (0..=u8::MAX).filter(is_set).collect()
    };
    let targets = payload + byte_words;
    let edge = |(place, byte): (usize, u8)| Edge { bytes: vec![byte], next: next(word(table, targets + place)) };
    (bytes.into_iter().enumerate().map(edge).collect(), targets + count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::compiled;
    use crate::automaton::{self, Scratch, priorities};
    use crate::rules::tried::patterns;

    /// Many different bytes, so that there are records of all kinds.
    fn many() -> String {
        ('a'..='z').map(|letter| format!("-/{letter}x +/*{letter}y$ ")).collect()
    }

    /// Walks through the graph alone; returns the verdict, and the priority if the path ends in a state.
    fn walk(graph: &Graph, path: &[u8]) -> (Verdict, Option<u32>) {
        let (mut at, mut rest) = (graph.start, path);
        loop {
            let number = match at {
                Next::Settled(verdict) => return (verdict, None),
                Next::GraphState(number) => number,
            };
            let state = graph.states.iter().find(|state| state.number == number).expect("a state");
            if rest.is_empty() {
                return (state.at_end, state.priorities.map(|(end, _)| end));
            }
            if let Some(edge) = state.edges.iter().find(|edge| rest.starts_with(&edge.bytes)) {
                (at, rest) = (edge.next, &rest[edge.bytes.len()..]);
                continue;
            }
            if let [Edge { bytes, .. }] = state.edges.as_slice() {
                if bytes.starts_with(rest) {
                    return (state.within, None);
                }
                rest = &rest[bytes.iter().zip(rest).take_while(|(a, b)| a == b).count()..];
            }
            match state.default {
                Some(default) => at = default,
                None => rest = &rest[1..],
            }
        }
    }

    #[test]
    fn the_graph_says_what_the_automaton_says() {
        for rules in ["-/", "-/shop +/shop/*.html$ -/long-enough-for-a-run/*x", &many()] {
            let (patterns, words) = (patterns(rules), compiled(rules, usize::MAX));
            let graph = graph(&words, &patterns);
            let all = priorities::priorities(&patterns);
            let paths = ["", "/", "/x", "/shop", "/shop/", "/shop/a.html", "/shop/a.htm", "/long", "/ax", "/abxby"];
            let mut known = 0;
            for path in paths.map(str::as_bytes) {
                let (verdict, priority) = walk(&graph, path);
                assert_eq!(verdict, automaton::verdict(&words, path, &mut Scratch::default()), "{path:?} {rules}");
                let rank = patterns.all().iter().position(|pattern| patterns.matches(pattern, path));
                if let Some(priority) = priority {
                    known += 1;
                    assert_eq!(priority, rank.map_or(priorities::NO_MATCH, |rank| all[rank]), "{path:?} {rules}");
                }
            }
            assert_eq!(known > 0, engine(&words) == Engine::Dfa, "{rules}");
        }
    }

    #[test]
    fn cursors_show_their_scanner() {
        let rules = "-/*ab*ba +/*b*aaaa$";
        let graph = graph(&compiled(rules, 0), &patterns(rules));
        assert_eq!(graph.engine, Engine::Cursors);
        let segments: std::collections::BTreeSet<u32> = graph.states.iter().filter_map(|state| state.segment).collect();
        assert_eq!(segments.len(), 4, "b, ab, ba, aaaa: {graph:?}");
        assert!(graph.states.iter().any(|state| Next::GraphState(state.number) == graph.start));
    }
}
