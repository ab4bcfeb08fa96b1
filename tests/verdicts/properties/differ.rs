//! Where two groups of rules differ, of all paths at once: against the oracle, path by path.

use proptest::prelude::*;
use robosieve::Agents;
use robosieve::internals::RuleSetParts;
use robosieve::internals::automaton::{self, DifferSpace, PAIRS, Question, Rules, Scratch, newer};
use robosieve::{Dialect, RuleSet, Verdict};

use super::access::{asked_for, fetched, normal, paths_of, short_paths};
use super::{costly, strategies};
use crate::oracle;
use crate::support::verdict;

/// Differences that are shown; two groups of many stars may have more.
const SHOWN: usize = 1000;

proptest! {
    #![proptest_config(costly())]

    #[test]
    fn differences_are_the_oracles(
        was in strategies::patterns(),
        now in strategies::patterns(),
        name in prop::sample::select(Dialect::names()),
    ) {
        check(name, [&strategies::as_robots(&was), &strategies::as_robots(&now)])?;
    }

    #[test]
    fn differences_of_a_rule_more_are_the_oracles(
        rules in strategies::patterns(),
        at in any::<prop::sample::Index>(),
        name in prop::sample::select(Dialect::names()),
    ) {
        let mut fewer = rules.clone();
        if !fewer.is_empty() {
            fewer.remove(at.index(rules.len()));
        }
        check(name, [&strategies::as_robots(&fewer), &strategies::as_robots(&rules)])?;
    }

    #[test]
    fn differences_of_odd_files_are_the_oracles(
        (was, _) in strategies::case(),
        (now, _) in strategies::case(),
        name in prop::sample::select(Dialect::names()),
    ) {
        check(name, [&was, &now])?;
    }
}

/// Checks what is said of all paths against the verdicts on each: a path that tells two groups apart shows that there is a
/// difference, and each path that is said to tell does.
fn check(name: &str, files: [&[u8]; 2]) -> Result<(), TestCaseError> {
    let dialect = Dialect::named(name).expect("a dialect");
    let paths = paths_of(dialect);
    let sets = files.map(|file| RuleSet::compile(file, &Agents::everybody(), dialect));
    let patterns = sets.each_ref().map(|set| move || set.patterns().clone());
    let compared = |budget: usize| {
        let words = sets.each_ref().map(|set| {
            let mut words = Vec::new();
            automaton::compile_within(set.patterns(), budget, &mut words);
            words
        });
        let rules = [0, 1].map(|side| Rules::Of(&words[side], &patterns[side]));
        DifferSpace::default().differences(&Question { rules, paths, tell: &newer, shown: SHOWN }, PAIRS)
    };
    let oracles = |path: &[u8]| files.map(|file| verdict(oracle::allowed(name, &["*"], file, path)));
    let (by_dfa, tried) = (compared(1 << 20), compared(0));
    for difference in by_dfa.shown.iter().chain(&tried.shown) {
        let form = &difference.path;
        prop_assert!(paths.contains(form), "{}", form.escape_ascii());
        let asked = asked_for(dialect, form).into_iter().find(|asked| normal(dialect, &fetched(asked)) == *form);
        let asked = asked.unwrap_or_else(|| form.clone());
        prop_assert_eq!(
            (oracles(&asked)[0] != difference.told, oracles(&asked)[1]),
            (true, difference.told),
            "{} {}",
            name,
            asked.escape_ascii()
        );
    }
    if !by_dfa.are_all {
        return Ok(());
    }
    let lengths = by_dfa.shown.iter().map(|difference| difference.path.len());
    // What is settled is known a byte before, and within an escape it takes up to two bytes more to end.
    let is_near = |(length, before): (usize, usize)| before <= length + 3;
    prop_assert!(lengths.clone().skip(1).zip(lengths.clone()).all(is_near), "the nearest first");
    prop_assert_eq!(by_dfa.count().min(SHOWN as u64), by_dfa.shown.len() as u64);
    let mut kinds = [false; 2];
    let mut scratch = Scratch::default();
    for path in short_paths() {
        // The oracle takes its time, so it is asked about the shortest ones only.
        let [was, now] = match path.len() {
            0..4 => oracles(path),
            _ => sets.each_ref().map(|set| set.verdict_with(path, &mut scratch)),
        };
        if was != now && paths.contains(&normal(dialect, path)) {
            kinds[usize::from(now == Verdict::Blocked)] = true;
            let shortest = lengths.clone().min().unwrap_or(usize::MAX);
            // What is settled within an escape takes up to two bytes more to end.
            prop_assert!(shortest <= normal(dialect, path).len() + 2, "{} {}", name, path.escape_ascii());
        }
    }
    for (kind, is_found) in kinds.into_iter().enumerate() {
        prop_assert!(!is_found || by_dfa.count_of([Verdict::Allowed, Verdict::Blocked][kind]) > 0, "{name}: {kind}");
    }
    Ok(())
}
