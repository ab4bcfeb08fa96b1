//! Chooses the engine for a group of rules, compiles it, and puts a front before it.

use std::cell::RefCell;

use super::dfa::build::{Arena, Builder, OverBudget};
use super::dfa::globs::Segments;
use super::dfa::table::Layout;
use super::head::{Compiled, ENGINE, ENGINE_DFA, Engine};
use super::{cursors, front, priorities};
use crate::rules::Patterns;

/// The work that building a DFA may take: this much, plus an amount for each byte of its patterns. Small groups may
/// take more per byte, because a walk through cursors is slower than a walk through a DFA. The largest groups consist
/// of plain prefixes, which take 1 to 2 units a byte. A larger budget would mostly be spent on tables that are
/// abandoned in the end.
const BUDGET: usize = 16_384;

const BUDGET_PER_BYTE: usize = 4;

/// Memory for compiling, reused for each group.
#[derive(Debug, Default)]
pub(super) struct CompileSpace {
    pub(super) arena: Arena,
    pub(super) layout: Layout,
}

/// Memory is released after a group with more patterns and work than this, each of which takes some 60 bytes. Only
/// hostile groups exceed it; the memory for large real files is reused.
const KEPT: usize = 1 << 18;

fn release_if_large<T: Default>(space: &mut T, patterns: &Patterns, work: usize) {
    if patterns.all().len().saturating_add(work) > KEPT {
        *space = T::default();
    }
}

/// Compiles ranked patterns; appends the automaton to `words`.
///
/// A DFA is tried first, because it is faster if it stays small, that is, within a budget proportional to the bytes of
/// the patterns. Groups that exceed the budget have many rules with two or more `*`, whose combinations a DFA would
/// have to enumerate. Their DFA is abandoned as soon as it is clear that the budget will not suffice, and they get
/// cursors, whose size is linear in the patterns.
pub fn compile(patterns: &Patterns, words: &mut Vec<u32>) -> Compiled {
    compile_within(patterns, budget(patterns.text().len()), words)
}

/// The budget of a DFA for patterns of this many bytes.
pub(super) fn budget(bytes: usize) -> usize {
    BUDGET + BUDGET_PER_BYTE * bytes
}

/// Compiles with an explicit budget, so that tests and measurements can force either engine.
pub fn compile_within(patterns: &Patterns, budget: usize, words: &mut Vec<u32>) -> Compiled {
    thread_local!(static SPACE: RefCell<CompileSpace> = RefCell::default());
    let start = words.len();
    let compiled = SPACE.with_borrow_mut(|space| {
        let dfa = compile_dfa(patterns, budget, space, words);
        release_if_large(space, patterns, dfa.map_or(budget, |compiled| compiled.work));
        dfa.unwrap_or_else(|OverBudget| {
            let compiled = cursors::compile(patterns, &mut space.arena, &mut space.layout, words);
            release_if_large(space, patterns, compiled.work);
            compiled
        })
    });
    words[start..].iter_mut().for_each(|word| *word = word.to_le());
    compiled
}

/// For tests: the automaton of rules in [short form](crate::rules::tried), with a budget.
#[cfg(test)]
pub(crate) fn compiled(rules: &str, budget: usize) -> Vec<u32> {
    let mut words = Vec::new();
    compile_within(&crate::rules::tried::patterns(rules), budget, &mut words);
    words
}

/// Compiles ranked patterns to the content of a policy's item, an automaton with its [front]; appends it to `words`.
pub fn compile_item(patterns: &Patterns, words: &mut Vec<u32>) -> Compiled {
    thread_local!(static SPACE: RefCell<front::FrontSpace> = RefCell::default());
    SPACE.with_borrow_mut(|space| {
        front::build(patterns, space, words);
        release_if_large(space, patterns, 0);
    });
    compile(patterns, words)
}

/// Compiles a DFA within the budget; its states and their places stay in `space`.
pub(super) fn compile_dfa(
    patterns: &Patterns,
    budget: usize,
    CompileSpace { arena, layout }: &mut CompileSpace,
    words: &mut Vec<u32>,
) -> Result<Compiled, OverBudget> {
    arena.globs.clear();
    for (pattern, priority) in
        priorities::from_the_worst(patterns).filter(|&(_, priority)| priority != priorities::NO_MATCH)
    {
        arena.globs.add(priority, pattern.anchored, pattern.segment_numbers());
    }
    let segments = Segments { text: patterns.text(), ranges: &patterns.segments };
    let mut builder = Builder::new(segments, arena, budget);
    layout.reach(&mut builder)?;
    let at = words.len();
    layout.write(&builder, |_| None, words);
    words[at + ENGINE] = ENGINE_DFA;
    let engine = if layout.states() == 0 { Engine::Constant } else { Engine::Dfa };
    Ok(Compiled { engine, states: layout.states(), work: builder.work() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;
    use crate::rules::tried::patterns;

    /// Thirty groups of up to so many rules, each a slash and up to so many of these characters.
    fn groups(bytes: &[u8], most: usize, longest: usize) -> impl Iterator<Item = Patterns> {
        let mut dice = Rng(7);
        (0..30).map(move |_| {
            let rules: Vec<String> = (0..1 + dice.below(most))
                .map(|_| format!("{}/{}{}", dice.of(&["+", "-"]), dice.text(bytes, longest), dice.of(&["", "", "$"])))
                .collect();
            patterns(&rules.join(" "))
        })
    }

    /// The states and words of a group's DFA, the work that it takes, and the least budget that suffices.
    fn measures(patterns: &Patterns, space: &mut CompileSpace) -> [usize; 4] {
        let mut words = Vec::new();
        let mut within = |budget: usize| {
            words.clear();
            compile_dfa(patterns, budget, space, &mut words).map(|compiled| (compiled, words.len()))
        };
        let (Compiled { engine, states, work }, length) = within(usize::MAX).expect("no budget");
        assert_eq!(engine == Engine::Constant, states == 0);
        assert!(work == 0 || within(work - 1).is_err(), "it took {work}");
        let (mut least, mut most) = (work, 2 * work);
        while least < most {
            let middle = least.midpoint(most);
            (least, most) = if within(middle).is_ok() { (least, middle) } else { (middle + 1, most) };
        }
        [states, length, work, least]
    }

    /// Another number is no mistake, but another size of policies, time to compile them, or choice of engines.
    #[test]
    fn automata_are_as_small_as_they_were() {
        let dead = ["-/a -/abc +/abcdefg", "-/a -/ab*x +/ab*zzz", "+/*aa -/*aab +/*aabaab -/*b*aa"].map(patterns);
        let space = &mut CompileSpace::default();
        let measured = [
            ("rules that others make needless", dead.into_iter().collect::<Vec<_>>()),
            ("prefixes", groups(b"abc/", 40, 9).collect()),
            ("wildcards", groups(b"aab**", 6, 10).collect()),
            ("a wildcard or two", groups(b"abcdef/*", 12, 6).collect()),
            ("many bytes", groups(b"abcdefghijklmnopqrstuvwxyz*", 60, 4).collect()),
            ("long segments", groups(b"aaaaaaaaaaaaaaab*", 4, 40).collect()),
        ]
        .map(|(name, groups)| {
            let add = |sums: [usize; 4], measures: [usize; 4]| std::array::from_fn(|at| sums[at] + measures[at]);
            (name, groups.iter().map(|group| measures(group, space)).fold([0; 4], add))
        });
        assert_eq!(
            measured,
            [
                ("rules that others make needless", [21, 148, 162, 162]),
                ("prefixes", [481, 1781, 3118, 3118]),
                ("wildcards", [421, 3617, 4131, 4198]),
                ("a wildcard or two", [254, 1556, 1811, 1811]),
                ("many bytes", [900, 4819, 6741, 6865]),
                ("long segments", [1622, 7556, 9088, 9181]),
            ]
        );
    }

    #[test]
    fn memory_is_released_after_more_patterns_and_work_than_are_usual() {
        let two = patterns("-/a -/b");
        let released = |work: usize| {
            let mut space = vec![0];
            release_if_large(&mut space, &two, work);
            space.is_empty()
        };
        assert_eq!([0, KEPT - 2, KEPT - 1, usize::MAX].map(released), [false, false, true, true]);
    }

    #[test]
    fn the_work_per_byte_chooses_the_engine() {
        let engine = |rules: String| compile(&patterns(&rules), &mut Vec::new()).engine;
        let combined = |count: usize| (0..count).map(|n| format!("-/*a{n}*b{n}*c ")).collect();
        let most = (1..100).take_while(|&count| engine(combined(count)) == Engine::Dfa).last();
        assert_eq!(most, Some(5), "the most rules whose combinations a DFA has");
        let long = |count: usize| (0..count).map(|n| format!("-/{n:04}/ ")).collect();
        assert_eq!(engine(long(6000)), Engine::Dfa, "many bytes may take more");
    }
}
