//! One automaton for each distinct group of rules.
//!
//! [`compile`] turns ranked patterns into 32-bit words, position independent and free of pointers, that answer one
//! question: what does this group say of this path? Two engines answer it, with one meaning:
//!
//! * a **DFA** ([`build`], [`table`], [`walk`]), whose states carry the best rank reached, folded to what a verdict
//!   needs ([`bands`]), and stop at the first octet that settles the verdict;
//! * **pointers** ([`pointers`]) for the few groups whose DFA would outgrow its budget: one forward-only pointer for
//!   each distinct run of segments, linear in path and patterns whatever they are.
//!
//! [`compile`] makes the choice and says why. An automaton knows no dialect; paths come in normal form.

mod bands;
mod build;
mod pointers;
mod segment_trie;
mod suffixes;
mod table;
mod walk;

pub use pointers::Scratch;

use crate::pattern::{Patterns, Verdict};
use build::{Builder, Item, OverBudget};

/// Which engine an automaton is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Engine {
    /// The verdict is the same for every path.
    Constant,
    /// A DFA.
    Dfa,
    /// Forward-only pointers, fed by a scanner for all segments.
    Pointers,
}

/// What was compiled, for statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compiled {
    /// The engine chosen.
    pub engine: Engine,
    /// States of its table; of pointers, those of the scanner.
    pub states: usize,
    /// Units of work that building it took (positions looked at, states made, waiting segments copied).
    pub work: usize,
}

/// Word 0 of an automaton: its engine.
const ENGINE_DFA: u32 = 0;
const ENGINE_POINTERS: u32 = 1;

/// How much work a DFA may take to build: this much, and so much for each octet of its patterns.
const BUDGET: usize = 4096;
const BUDGET_PER_OCTET: usize = 8;

/// Compiles ranked patterns; appends the automaton to `words`.
///
/// The DFA is tried first, because it is faster wherever it stays small: where a budget proportional to the octets of
/// the patterns suffices. Groups beyond it have many rules with two or more `*`, whose combinations a DFA would have to
/// count out; they are given up as soon as the budget is spent, and get pointers, whose size is linear in the patterns.
pub fn compile(patterns: &Patterns, words: &mut Vec<u32>) -> Compiled {
    let budget = BUDGET + BUDGET_PER_OCTET * patterns.text().len();
    compile_within(patterns, budget, words)
}

/// Compiles with an explicit budget, so that tests and measurements can force either engine.
pub fn compile_within(patterns: &Patterns, budget: usize, words: &mut Vec<u32>) -> Compiled {
    match compile_dfa(patterns, budget, words) {
        Ok(compiled) => compiled,
        Err(OverBudget) => pointers::compile(patterns, words),
    }
}

fn compile_dfa(patterns: &Patterns, budget: usize, words: &mut Vec<u32>) -> Result<Compiled, OverBudget> {
    let items = items(patterns);
    let mut builder = Builder::new(patterns.text(), &items, budget);
    let start = builder.start()?;
    let order = table::reachable(&mut builder, start)?;
    let (mut automaton, start) = table::write(&builder, &order, start, &|_| None);
    automaton[0] = ENGINE_DFA;
    automaton[1] = start;
    words.append(&mut automaton);
    let engine = if order.is_empty() { Engine::Constant } else { Engine::Dfa };
    Ok(Compiled { engine, states: order.len(), work: builder.work() })
}

/// The segments of all patterns that can change a verdict.
fn items(patterns: &Patterns) -> Vec<Item> {
    let mut items = Vec::new();
    for (pattern, band) in patterns.all().iter().zip(bands::bands(patterns)) {
        if band == bands::NO_MATCH {
            continue;
        }
        let segments = patterns.segments(pattern);
        let last = segments.len() - 1;
        items.extend(segments.enumerate().map(|(place, range)| Item {
            start: range.start as u32,
            len: range.len() as u32,
            band,
            first: place == 0,
            last: place == last,
            anchored: pattern.anchored,
        }));
    }
    items
}

/// The verdict of the automaton in `words` on a path in normal form.
///
/// Takes time linear in the path and the patterns that the automaton was made from.
#[inline]
pub fn verdict(words: &[u32], path: &[u8], scratch: &mut Scratch) -> Verdict {
    if words[0] == ENGINE_DFA {
        walk::walk(words, words[1], path, &mut walk::Silent)
    } else {
        pointers::verdict(words, path, scratch)
    }
}
