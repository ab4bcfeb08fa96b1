//! How much is blocked, of all paths at once: against the oracle, path by path.

use proptest::prelude::*;
use robosieve::Agents;
use robosieve::internals::automaton::{self, DifferSpace, PAIRS, Paths, Question, ReachSpace, Reached, Rules, Scratch};
use robosieve::internals::rules::AskedPaths;
use robosieve::internals::{Axes, RuleSetParts};
use robosieve::{Dialect, RuleSet, Verdict};
use std::collections::BTreeSet;
use url::Url;

use super::{config, strategies};
use crate::oracle;
use crate::support::verdict;

/// The paths of each dialect, made once.
pub fn paths_of(dialect: &Dialect) -> &'static Paths {
    static ALL: std::sync::OnceLock<Vec<(&'static str, Paths)>> = std::sync::OnceLock::new();
    let of = |dialect: &Dialect| (dialect.name, Paths::new(&AskedPaths::of(dialect)));
    let all = ALL.get_or_init(|| Dialect::ALL.iter().map(of).collect());
    &all.iter().find(|(name, _)| *name == dialect.name).expect("a dialect").1
}

/// The path that a fetcher asks for.
pub(super) fn fetched(path: &[u8]) -> Vec<u8> {
    let escape = |byte: u8| if byte.is_ascii() { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    let ascii: String = path.iter().map(|&byte| escape(byte)).collect();
    let url = Url::parse(&format!("http://a{ascii}#")).expect("any path will do");
    url.query().map_or(url.path().to_owned(), |query| format!("{}?{query}", url.path())).into_bytes()
}

/// The normal form of a path, as the automaton is asked about it.
pub fn normal(dialect: &Dialect, path: &[u8]) -> Vec<u8> {
    dialect.encoding().path(&dialect.url_path().judged(path)).into_owned()
}

/// A path that is asked for in this form, if the form is right.
pub(super) fn asked_for(dialect: &Dialect, form: &[u8]) -> Vec<Vec<u8>> {
    if dialect.name != "draft-1996" {
        return vec![form.to_vec()];
    }
    // Decoded, so all bytes are escaped; but slashes are not, nor dots, and a query begins at some `?`.
    let marks = (0..form.len()).filter(|&at| form[at] == b'?').chain([form.len()]);
    let escaped = |query: usize| {
        let escape = |(at, &byte): (usize, &u8)| match byte {
            b'/' | b'.' => vec![byte],
            b'?' if at == query => vec![byte],
            byte => format!("%{byte:02X}").into_bytes(),
        };
        form.iter().enumerate().flat_map(escape).collect()
    };
    marks.map(escaped).collect()
}

/// Found by a property: asked for with a query or without one, each of the first ones has a dot segment.
#[test]
fn dots_before_a_question_mark_may_begin_no_query() {
    let dialect = Dialect::named("draft-1996").expect("a dialect");
    let paths = paths_of(dialect);
    for (form, expected) in [
        ("/.?/.", false),
        ("/..?x/../y", false),
        ("/a/.?/./?", false),
        ("/.?/.?/..", false),
        ("/.?", true),
        ("/.?x?/.", true),
        ("/.?/.x", true),
        ("/a?/.", true),
    ] {
        let form = form.as_bytes();
        let is_asked = asked_for(dialect, form).iter().any(|asked| normal(dialect, &fetched(asked)) == form);
        assert_eq!((paths.contains(form), is_asked), (expected, expected), "{}", form.escape_ascii());
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn what_is_fetched_is_among_the_paths(path in strategies::path()) {
        for dialect in Dialect::ALL {
            let asked = fetched(&path);
            let form = normal(dialect, &asked);
            let is_left_out = form == b"/robots.txt" && oracle::allowed(dialect.name, &["*"], b"User-agent: *\nDisallow: /", &asked);
            prop_assert_eq!(paths_of(dialect).contains(&form), !is_left_out, "{} {}", dialect.name, form.escape_ascii());
        }
    }

    #[test]
    fn the_paths_are_what_is_fetched(path in strategies::path()) {
        for dialect in Dialect::ALL {
            for form in [path.clone(), normal(dialect, &path)] {
                let asked = asked_for(dialect, &form);
                let is_asked = asked.iter().any(|asked| normal(dialect, &fetched(asked)) == form);
                // Of two ways to ask, some fetchers take the other one.
                let is_either = dialect.name == "google" && (form.contains(&b'^') || form.contains(&b'\''));
                let is_left_out = form == b"/robots.txt";
                let got = paths_of(dialect).contains(&form);
                prop_assert!(got == is_asked || is_either || is_left_out, "{} {}", dialect.name, form.escape_ascii());
            }
        }
    }

    #[test]
    fn what_is_blocked_is_the_oracles(rules in strategies::patterns(), name in prop::sample::select(Dialect::names())) {
        check(name, &strategies::as_robots(&rules))?;
    }

    #[test]
    fn what_is_blocked_of_odd_files_is_the_oracles(
        (file, _) in strategies::case(),
        name in prop::sample::select(Dialect::names()),
    ) {
        check(name, &file)?;
    }
}

/// All short paths over a few bytes, as they are fetched.
pub(super) fn short_paths() -> &'static BTreeSet<Vec<u8>> {
    static ALL: std::sync::OnceLock<BTreeSet<Vec<u8>>> = std::sync::OnceLock::new();
    ALL.get_or_init(|| {
        let pieces: [&[u8]; 8] = [b"a", b"b", b"/", b"*", b"$", b"%2F", b"?", b"."];
        let (mut all, mut last) = (vec![b"/".to_vec()], vec![b"/".to_vec()]);
        for _ in 0..3 {
            last = last.iter().flat_map(|path| pieces.map(|piece| [path, piece].concat())).collect();
            all.extend(last.iter().cloned());
        }
        all.iter().map(|path| fetched(path)).collect()
    })
}

/// Checks what is said of all paths against the verdicts on each: what some path has is said, and what is said some path has.
fn check(name: &str, file: &[u8]) -> Result<(), TestCaseError> {
    let dialect = Dialect::named(name).expect("a dialect");
    let (paths, scratch) = (paths_of(dialect), &mut Scratch::default());
    let rules = RuleSet::compile(file, &Agents::everybody(), dialect);
    let compiled = |budget| {
        let mut words = Vec::new();
        automaton::compile_within(rules.patterns(), budget, &mut words);
        words
    };
    let (dfa, cursors) = (compiled(1 << 20), compiled(0));
    let mut space = ReachSpace::default();
    let reached = space.reached(&dfa, paths, PAIRS);
    let is_dfa = automaton::engine(&dfa) != automaton::Engine::Cursors;
    prop_assert_eq!(reached.is_some(), is_dfa, "budget");
    let has_both = automaton::has_both(&cursors, rules.patterns(), paths, scratch);
    prop_assert!(!has_both || !is_dfa || reached == Some(Reached::Both));
    let Some(reached) = reached else { return Ok(()) };
    for expected in [Verdict::Allowed, Verdict::Blocked] {
        let is_said = reached == Reached::Both || reached == Reached::Only(expected);
        let (patterns, tell) = (|| rules.patterns().clone(), |[found]: [Verdict; 1]| (found == expected).then_some(()));
        let question = Question { rules: [Rules::Of(&dfa, &patterns)], paths, tell: &tell, shown: 1 };
        let found = DifferSpace::default().first(&question, PAIRS).expect("within the budget");
        prop_assert_eq!(found.is_some(), is_said);
        let Some(example) = found.map(|found| found.path) else { continue };
        prop_assert!(paths.contains(&example), "{}", example.escape_ascii());
        let asked = asked_for(dialect, &example).into_iter().find(|asked| normal(dialect, &fetched(asked)) == example);
        let asked = asked.unwrap_or(example);
        let oracles = verdict(oracle::allowed(name, &["*"], file, &asked));
        prop_assert_eq!(oracles, expected, "{} {}", name, asked.escape_ascii());
    }
    for path in short_paths() {
        let got = rules.verdict_with(path, scratch);
        prop_assert!(reached == Reached::Both || reached == Reached::Only(got), "{} {}", name, path.escape_ascii());
    }
    Ok(())
}
