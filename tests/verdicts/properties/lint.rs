//! Lint accepts any bytes, and removing a rule it calls unreachable changes no verdict.

use proptest::collection::vec;
use proptest::prelude::*;
use robosieve::Dialect;
use robosieve::lint::{self, Finding, FindingKind};

use super::{costly, strategies};
use crate::oracle;

/// A file of several groups, some of them for the same agents.
fn file(groups: &[(Vec<&'static str>, strategies::Rules)]) -> Vec<u8> {
    let mut file = Vec::new();
    for (agents, rules) in groups {
        agents.iter().for_each(|agent| file.extend_from_slice(format!("User-agent: {agent}\n").as_bytes()));
        // Skips the `User-agent: *` line.
        file.extend_from_slice(&strategies::as_robots(rules)["User-agent: *\n".len()..]);
        file.push(b'\n');
    }
    file
}

/// The most rules of a group: so few suffice for all to overlap, and lint walks over all paths of each pair of groups.
const FEW: usize = 6;

/// Two or three groups of rules that often overlap, and paths derived from the rules of the first.
fn groups() -> impl Strategy<Value = (Vec<u8>, Vec<Vec<u8>>)> {
    let agents = || vec(prop::sample::select([strategies::AGENTS, &["*", "*"]].concat()), 1..3);
    let more = vec((agents(), strategies::patterns()), 1..3);
    (agents(), strategies::patterns_and_paths(), more).prop_map(|(agents, (rules, paths), more)| {
        let mut groups: Vec<_> = std::iter::once((agents, rules)).chain(more).collect();
        groups.iter_mut().for_each(|(_, rules)| rules.truncate(FEW));
        (file(&groups), paths)
    })
}

/// The file with the value of one line removed: a rule with an empty value is ignored.
fn without_value(file: &[u8], line: u32) -> Vec<u8> {
    let emptied = |(at, text): (usize, &[u8])| match text.iter().position(|&byte| byte == b':') {
        Some(colon) if at as u32 + 1 == line => [&text[..=colon], b"\n"].concat(),
        _ => text.to_vec(),
    };
    file.split_inclusive(|&byte| byte == b'\n').enumerate().flat_map(emptied).collect()
}

/// The file without the lines that are said to be needless. A rule of a record that is to be removed as a whole only loses its value.
fn without_needless(file: &[u8], findings: &[Finding]) -> Vec<u8> {
    let less = |(at, text): (usize, &[u8])| {
        let is_of = |kind| move |finding: &&Finding| finding.kind == kind && finding.line as usize == at + 1;
        let unreachable = findings.iter().find(is_of(FindingKind::UnreachableRule));
        match unreachable.or_else(|| findings.iter().find(is_of(FindingKind::RuleWithoutEffect))) {
            Some(finding) if finding.reason.contains("remove the whole record") => b"Disallow:\n".to_vec(),
            Some(_) => Vec::new(),
            None => text.to_vec(),
        }
    };
    file.split_inclusive(|&byte| byte == b'\n').enumerate().flat_map(less).collect()
}

/// The name of the crawlers that a finding is about, without how many more they have.
pub fn first_name(names: &str) -> &str {
    let is_count = |(_, more): &(&str, &str)| more.starts_with(|c: char| c.is_ascii_digit()) && more.contains(" other");
    names.rsplit_once(" and ").filter(is_count).map_or(names, |(first, _)| first)
}

/// Whether a path can be asked for as it is, without dot segments and bytes that fetchers escape.
fn is_plain(path: &[u8]) -> bool {
    super::access::fetched(path) == path
}

proptest! {
    #![proptest_config(costly())]

    #[test]
    #[ignore = "takes long"]
    fn an_unreachable_rule_changes_no_verdict((file, paths) in groups(), agents in strategies::agents()) {
        for dialect in Dialect::ALL {
            let report = lint::check(&file, dialect);
            prop_assert_eq!((report.left_off, report.not_searched), (0, 0));
            let mut less = file.clone();
            for finding in report.findings.iter().filter(|finding| finding.kind == FindingKind::UnreachableRule) {
                less = without_value(&less, finding.line);
            }
            for path in &paths {
                let verdict = |file: &[u8]| oracle::allowed(dialect.name, &agents, file, path);
                prop_assert_eq!(
                    verdict(&file), verdict(&less),
                    "{}, {:?}, {}\n{}\n{:?}",
                    dialect.name, agents, path.escape_ascii(), file.escape_ascii(), report.findings
                );
            }
        }
    }
}

/// Crawlers that the groups may name, and others.
const NAMES: &[&str] = &["*", "foo", "FooBot", "foobot-news", "Bar_2", "other"];

proptest! {
    #![proptest_config(costly())]

    #[test]
    fn any_bytes_are_linted(nasty in strategies::robots(), bytes in vec(any::<u8>(), 0..200), at in any::<usize>()) {
        let at = at % (nasty.len() + 1);
        let file = [&nasty[..at], &bytes, &nasty[at..]].concat();
        let lines = 1 + file.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u32;
        for dialect in Dialect::ALL {
            let report = lint::check(&file, dialect);
            prop_assert!(report.findings.is_sorted_by_key(|finding| (finding.line, finding.kind)));
            for finding in &report.findings {
                prop_assert!(finding.line <= lines && !finding.reason.is_empty(), "{:?}", finding);
                prop_assert!(!finding.text.contains(char::is_control), "{:?}", finding);
                let proposal = finding.proposal.as_deref().unwrap_or_default();
                prop_assert!(!proposal.contains(|c: char| c.is_control() && c != '\n'), "{:?}", finding);
                prop_assert!(finding.related().is_none_or(|(line, _)| line <= lines), "{:?}", finding);
            }
        }
    }

    /// In dialects that compare whole names: there every crawler is one that the file names, or one of all others.
    #[test]
    fn what_is_claimed_of_effects_is_what_the_oracle_says((file, paths) in groups(), name in prop::sample::select(NAMES)) {
        for dialect in ["rfc9309", "google", "mandelbot"].map(|name| Dialect::named(name).unwrap()) {
            let findings = lint::check(&file, dialect).findings;
            let less = without_needless(&file, &findings);
            let paths: Vec<&Vec<u8>> = paths.iter().filter(|path| dialect.name != "google" || is_plain(path)).collect();
            let asked = |file: &[u8]| paths.iter().map(|path| oracle::allowed(dialect.name, &[name], file, path)).collect::<Vec<_>>();
            let with = asked(&file);
            for (at, without) in asked(&less).into_iter().enumerate() {
                prop_assert_eq!(
                    with[at], without,
                    "{}, {}, {}\n{}\n{:?}",
                    dialect.name, name, paths[at].escape_ascii(), file.escape_ascii(), findings
                );
            }
            for finding in findings {
                match finding.kind {
                    FindingKind::RuleWithoutEffect => {
                        let less = without_value(&file, finding.line);
                        for (at, without) in asked(&less).into_iter().enumerate() {
                            prop_assert_eq!(
                                with[at], without,
                                "{}, {}, {}\n{}\n{:?}",
                                dialect.name, name, paths[at].escape_ascii(), file.escape_ascii(), finding
                            );
                        }
                    }
                    FindingKind::NotInherited | FindingKind::RulesLifted => {
                        let said = finding.reason.split_once(" is blocked for everybody else, and allowed to ");
                        let (before, whom) = said.expect("a path and a name");
                        let path = before.rsplit(": ").next().expect("a path").as_bytes();
                        let verdicts = ["*", first_name(whom)].map(|name| oracle::allowed(dialect.name, &[name], &file, path));
                        prop_assert_eq!(verdicts, [false, true], "{}\n{}\n{:?}", dialect.name, file.escape_ascii(), finding);
                    }
                    _ => {}
                }
            }
        }
    }
}
