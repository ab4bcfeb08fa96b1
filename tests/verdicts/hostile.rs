//! Hostile robots.txt files and URLs: bounded work, and correct verdicts all the same.
//!
//! Nothing here measures time. The tests count the compiler's work, the states and the words of the automaton, and
//! bound each by the size of the patterns. The cursors' tables are linear in that size; the DFA's are bounded by its
//! budget.

use crate::oracle;
use crate::support::{Engines, verdict};
use robosieve::Agents;
use robosieve::internals::automaton::{self, Engine, Scratch};
use robosieve::internals::{Axes, RuleSetParts};
use robosieve::lint::{self, Finding, FindingKind, Report};
use robosieve::{Dialect, RuleSet, Verdict};

mod generate;

/// The file size for which the project promises its bounds.
const PROMISED: usize = 500 << 10;

/// The memory promised for a file of that size.
const PROMISED_MEMORY: usize = 64 << 20;

/// The limit of a count: a constant, plus an amount per byte of the patterns.
struct Bound {
    any: usize,
    per_byte: usize,
}

const WORK: Bound = Bound { any: 100_000, per_byte: 40 };
const STATES: Bound = Bound { any: 1_000, per_byte: 2 };
const WORDS: Bound = Bound { any: 1_000, per_byte: 20 };
const CURSORS_WORDS: Bound = Bound { any: 1_000, per_byte: 5 };

impl Bound {
    fn holds(&self, count: usize, bytes: usize) -> bool {
        count <= self.any + self.per_byte * bytes
    }
}

/// Compiles for the chosen engine, or for cursors, and checks the counts against their bounds.
fn within_bounds(name: &str, rules: &RuleSet, force_cursors: bool) -> Vec<u32> {
    let mut words = Vec::new();
    let compiled = if force_cursors {
        automaton::compile_within(rules.patterns(), 0, &mut words)
    } else {
        automaton::compile(rules.patterns(), &mut words)
    };
    let bytes = rules.patterns().text().len();
    let counts = format!("{name}: {bytes} bytes of patterns, {compiled:?}, {} words", words.len());
    println!("{counts}");
    assert!(WORK.holds(compiled.work, bytes), "work of {counts}");
    assert!(STATES.holds(compiled.states, bytes), "states of {counts}");
    let bound = if compiled.engine == Engine::Cursors { CURSORS_WORDS } else { WORDS };
    assert!(bound.holds(words.len(), bytes), "words of {counts}");
    words
}

/// Checks a file of the promised size in both engines: counts within bounds, same verdicts on URLs of 8 KiB.
fn large(name: &str, file: &[u8], dialect: &Dialect) {
    let rules = RuleSet::compile(file, &Agents::everybody(), dialect);
    let chosen = within_bounds(name, &rules, false);
    let cursors = within_bounds(name, &rules, true);
    assert!(chosen.len() * 4 <= PROMISED_MEMORY && cursors.len() * 4 <= PROMISED_MEMORY, "memory of {name}");
    let mut scratch = Scratch::default();
    for (kind, path) in generate::paths(8 << 10) {
        let path = dialect.encoding().path(&path);
        let one = automaton::verdict(&chosen, &path, &mut scratch);
        let other = automaton::verdict(&cursors, &path, &mut scratch);
        assert_eq!(one, other, "{name}, URL of {kind}");
    }
    // The plain reading tries every rule, so it only sees short URLs.
    for (kind, path) in generate::paths(128) {
        let path = dialect.encoding().path(&path);
        let plain = rules.patterns().verdict(&path);
        assert_eq!(automaton::verdict(&chosen, &path, &mut scratch), plain, "{name}, URL of {kind}");
        assert_eq!(automaton::verdict(&cursors, &path, &mut scratch), plain, "{name}, URL of {kind}");
    }
}

#[test]
fn large_files_stay_within_bounds_and_their_engines_agree() {
    all_large(0);
}

/// The other half of them.
#[test]
fn more_large_files_stay_within_bounds_and_their_engines_agree() {
    all_large(1);
}

/// Checks every second file, from the first or the second one on.
fn all_large(half: usize) {
    let google = Dialect::named("google").expect("a dialect");
    for (name, generator) in generate::FILES.into_iter().skip(half).step_by(2) {
        let file = generator(PROMISED);
        large(name, &file, Dialect::DEFAULT);
        // The google dialect's encoding makes different patterns of the same file.
        if matches!(name, "bytes of any kind" | "escapes") {
            large(name, &file, google);
        }
    }
}

#[test]
fn a_line_of_two_mebibytes_is_a_line() {
    for name in ["one long line", "one long line without a record", "one pattern of stars", "runs of stars"] {
        let (_, generator) = generate::FILES.into_iter().find(|(known, _)| *known == name).expect("a known file");
        let file = generator(2 << 20);
        for dialect in ["rfc9309", "google", "original-1994"] {
            let dialect = Dialect::named(dialect).expect("a dialect");
            let rules = RuleSet::compile(&file, &Agents::everybody(), dialect);
            within_bounds(name, &rules, false);
            assert_eq!(rules.verdict(b"/"), Verdict::Allowed, "{name} under {}", dialect.name);
        }
    }
}

/// Fifty thousand groups or rules: more than the generated files have.
#[test]
fn fifty_thousand_groups_and_rules() {
    let group = |n: usize| format!("User-agent: bot{n}\nAllow: /{n}/a\nDisallow: /{n}/*b\n\n");
    let distinct: String = (0..50_000).map(group).collect();
    let same = (0..50_000).map(|n| format!("User-agent: bot\nDisallow: /{n}$\n")).collect::<String>();
    let rules = (0..50_000).fold("User-agent: bot\n".to_owned(), |file, n| file + &format!("Disallow: /{n}$\n"));
    let compile = |file: &str, agent: &str, dialect: &Dialect| {
        let agents: Agents = agent.parse().expect("a token");
        RuleSet::compile(file.as_bytes(), &agents, dialect)
    };
    for dialect in Dialect::ALL {
        let named = compile(&distinct, "bot49999", dialect);
        // Google's agent names have no digits.
        let expected = if dialect.name == "google" { 0 } else { named.rules().len() };
        assert_eq!(named.rules().len(), expected, "{}", dialect.name);
        let merged = compile(&same, "bot", dialect);
        let one = compile(&rules, "bot", dialect);
        assert_eq!(one.rules().len(), 50_000, "{}", dialect.name);
        let axes = dialect.axes();
        let is = |name, value| axes.iter().any(|axis| axis.name == name && axis.value == value);
        let first_only = is("groups", "first");
        assert_eq!(merged.rules().len(), if first_only { 1 } else { 50_000 }, "{}", dialect.name);
        within_bounds("50,000 rules", &one, false);
        let literal = is("wildcards", "literal");
        assert_eq!(one.verdict(b"/49999"), verdict(literal), "{}", dialect.name);
        assert_eq!(one.verdict(b"/49999$"), verdict(!literal), "{}", dialect.name);
        assert_eq!(one.verdict(b"/50000"), Verdict::Allowed, "{}", dialect.name);
    }
}

#[test]
fn small_files_are_judged_as_by_the_oracle() {
    for dialect in Dialect::ALL {
        for (name, generator) in generate::FILES {
            let file = generator(400);
            let mut engines = Engines::bounded(&file, &Agents::everybody(), dialect);
            for (kind, path) in generate::paths(60) {
                let expected = oracle::allowed(dialect.name, &["*"], &file, &path);
                assert_eq!(engines.agreed(&path), verdict(expected), "{name} under {}, URL of {kind}", dialect.name);
            }
        }
    }
}

/// Twenty stars in 68 bytes, which take a backtracking matcher minutes.
#[test]
fn few_bytes_can_be_hostile_too() {
    let file = format!("User-agent: *\nDisallow: /{}b$\n", "*a".repeat(20));
    let mut engines = Engines::all(file.as_bytes(), &Agents::everybody(), Dialect::DEFAULT);
    let path = format!("/{}", "a".repeat(8 << 10));
    assert_eq!(engines.agreed(path.as_bytes()), Verdict::Allowed);
    assert_eq!(engines.agreed((path + "b").as_bytes()), Verdict::Blocked);
    assert!(automaton::compile(engines.rules.patterns(), &mut Vec::new()).states < 100);
}

/// The search for shadowing rules is the only part of lint that could be quadratic.
const LINT_WORK: Bound = Bound { any: 5 << 20, per_byte: 130 };

/// Lints a hostile file and checks that no part of the report outgrows it.
fn linted(name: &str, file: &[u8], dialect: &Dialect) -> Report {
    let report = lint::check(file, dialect);
    let Report { findings, left_off, not_searched, work, .. } = &report;
    println!("{name}, {}: {} findings, {left_off}, {not_searched}, work {work}", dialect.name, findings.len());
    assert!(LINT_WORK.holds(*work, file.len()), "{name} under {}: work {work}", dialect.name);
    assert!(findings.len() <= 100_000, "{name} under {}", dialect.name);
    let texts = findings.iter().flat_map(|finding| [&*finding.text, &finding.reason]);
    let related = findings.iter().filter_map(Finding::related).map(|(_, text)| text);
    assert!(texts.chain(related).all(|text| text.len() < 2_000), "{name}: a finding as long as its line");
    report
}

#[test]
#[ignore = "takes long"]
fn large_files_are_linted_within_bounds() {
    // Each takes seconds, so each is read by one of the dialects.
    for ((name, generator), dialect) in generate::FILES.into_iter().zip(Dialect::ALL.iter().cycle()) {
        linted(name, &generator(PROMISED), dialect);
    }
}

/// Beyond its budget, the search still finds equal rules and plain prefixes, and counts the rules it did not try.
#[test]
fn what_a_lint_does_not_search_is_counted() {
    let wild = |n: usize| format!("Disallow: /*a{n}*b*\n");
    let mut file = (0..50_000).fold("User-agent: *\n".to_owned(), |file, n| file + &wild(n));
    file += "Disallow: /*a7*b*\nDisallow: /long/prefix/*z\nAllow: /long/prefix*************\n";
    let report = linted("50,000 wildcards", file.as_bytes(), Dialect::DEFAULT);
    assert!(report.not_searched > 1_000, "{} not searched", report.not_searched);
    let unreachable = report.findings.iter().filter(|finding| finding.kind == FindingKind::UnreachableRule);
    let lines: Vec<(u32, u32)> = unreachable.map(|found| (found.line, found.related().unwrap().0)).collect();
    assert_eq!(lines, [(50_002, 9), (50_003, 50_004)]);
    let plain = (0..50_000).fold("User-agent: *\n".to_owned(), |file, n| file + &format!("Disallow: /{n}\n"));
    for dialect in Dialect::ALL {
        assert_eq!(linted("50,000 prefixes", plain.as_bytes(), dialect).not_searched, 0);
    }
}

/// Lines that could be slow on their own: hosts that need encoding, keys, agents.
#[test]
fn long_lines_are_linted() {
    let long = |start: &str, unit: &str| format!("User-agent: *\nDisallow: /\n{start}{}\n", unit.repeat(PROMISED));
    for (start, unit, expected) in [
        ("Sitemap: http://", "é", FindingKind::RelativeSitemap),
        ("Disallow: http://", "é", FindingKind::RuleWithoutSlash),
        ("", "é", FindingKind::MissingColon),
        ("", "x:", FindingKind::UnknownRecord),
        ("Disallow: /a ", "/ ", FindingKind::SeveralPaths),
        ("User-agent: ", "*a", FindingKind::AgentCut),
    ] {
        let file = long(start, unit);
        let report = linted(start, file.as_bytes(), Dialect::DEFAULT);
        assert!(report.findings.iter().any(|finding| finding.kind == expected), "{start}{unit}");
    }
}
