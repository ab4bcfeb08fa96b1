//! General automata as witnesses: regex-automata's dense DFA and aho-corasick, built from the same patterns.

use aho_corasick::{AhoCorasick, MatchKind};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use regex_automata::dfa::{Automaton, StartKind, dense};
use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind as RegexMatchKind};
use robosieve::Dialect;
use robosieve::internals::Axes;
use robosieve::internals::robots::{Agents, Robots};
use robosieve::internals::rules::Patterns;

use super::{config, strategies};
use crate::support::{Engines, verdict};

/// The patterns as regexes in order of rank, so that `leftmost first` picks the smallest rank that matches.
fn regexes(patterns: &Patterns) -> Vec<String> {
    let bytes = |text: &[u8]| text.iter().map(|byte| format!("\\x{byte:02x}")).collect::<String>();
    let regex = |pattern| {
        let segments: Vec<String> = patterns.segments(pattern).map(|range| bytes(&patterns.text()[range])).collect();
        segments.join(".*") + if pattern.anchored { "\\z" } else { "" }
    };
    patterns.all().iter().map(regex).collect()
}

/// One dense DFA of all patterns, if it stays within a bound.
fn dense_dfa(patterns: &Patterns) -> Option<dense::DFA<Vec<u32>>> {
    let bound = Some(1 << 20);
    let dfa = dense::Config::new()
        .match_kind(RegexMatchKind::LeftmostFirst)
        .start_kind(StartKind::Anchored)
        .dfa_size_limit(bound)
        .determinize_size_limit(bound);
    let bytes = syntax::Config::new().unicode(false).utf8(false).dot_matches_new_line(true);
    dense::Builder::new()
        .configure(dfa)
        .syntax(bytes)
        .thompson(thompson::Config::new().utf8(false))
        .build_many(&regexes(patterns))
        .ok()
}

/// The patterns of the file with these rules.
fn ranked(file: &[u8], dialect: &Dialect) -> Patterns {
    Patterns::rank(Robots::parse(file, dialect).rules.iter(), dialect)
}

/// Rules `*literal`, which match wherever the literal occurs.
fn literals() -> impl Strategy<Value = strategies::Rules> {
    let literal = vec(select(b"ab/".as_slice()), 1..6).prop_map(|literal| [b"*", literal.as_slice()].concat());
    vec((any::<bool>(), literal), 1..12)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    #[ignore = "takes long"]
    fn a_general_dfa_finds_the_same_rule((mut rules, paths) in strategies::patterns_and_paths()) {
        rules.truncate(4);
        let file = strategies::as_robots(&rules);
        let patterns = ranked(&file, Dialect::DEFAULT);
        let mut engines = Engines::all(&file, &Agents::everybody(), Dialect::DEFAULT);
        if let Some(dfa) = dense_dfa(&patterns) {
            for path in paths {
                let fetched = Dialect::DEFAULT.url_path().of(&path);
                let normal = Dialect::DEFAULT.encoding().path(&fetched);
                let input = Input::new(&*normal).anchored(Anchored::Yes);
                let found = dfa.try_search_fwd(&input).expect("no byte makes it give up");
                let deciding = found.map(|found| &patterns.all()[found.pattern().as_usize()]);
                prop_assert_eq!(deciding, patterns.deciding(&normal));
                let allowed = deciding.is_none_or(|pattern| pattern.verdict == verdict(true));
                if *normal != *b"/robots.txt" {
                    prop_assert_eq!(engines.verdict(&path), Ok(verdict(allowed)));
                }
            }
        }
    }

    #[test]
    fn a_literal_is_found_where_aho_and_corasick_find_it(
        rules in literals(),
        path in vec(select(b"ab/".as_slice()), 0..40),
    ) {
        let path = [b"/", path.as_slice()].concat();
        let file = strategies::as_robots(&rules);
        let patterns = ranked(&file, Dialect::DEFAULT);
        let literal = |pattern| patterns.segments(pattern).last().map(|range| &patterns.text()[range]);
        let literals: Vec<&[u8]> = patterns.all().iter().filter_map(literal).collect();
        let finder = AhoCorasick::builder().match_kind(MatchKind::Standard).build(&literals).expect("a small automaton");
        let first = finder.find_overlapping_iter(&path).map(|found| found.pattern().as_usize()).min();
        let deciding = first.map(|rank| &patterns.all()[rank]);
        prop_assert_eq!(deciding, patterns.deciding(&path));
        let mut engines = Engines::all(&file, &Agents::everybody(), Dialect::DEFAULT);
        let allowed = deciding.is_none_or(|pattern| pattern.verdict == verdict(true));
        prop_assert_eq!(engines.verdict(&path), Ok(verdict(allowed)));
    }
}
