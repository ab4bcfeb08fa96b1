//! Finds rules that can never decide, because another one always wins against them.
//!
//! Which rules compete depends on the crawler: its groups are merged, or the first one counts. A finding must be true
//! for every crawler, so rules are compared only if they always apply together: those of one group and, if groups are
//! merged, those of all groups that name the same agents.

use hashbrown::HashMap;

use super::FindingKind;
use super::finding::{Findings, Related, excerpt};
use super::shadows::{self, Work};
use crate::dialect::{Dialect, Groups, Precedence};
use crate::robots::{Robots, Rule};
use crate::rules::Patterns;

/// Reports the rules that can never decide, and returns the work of the search.
pub(super) fn check(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) -> Work {
    let mut work = Work::for_bytes(text.len());
    for groups in applied_together(robots, dialect) {
        let of_group = |&group: &u32| &robots.rules[robots.groups[group as usize].rules.clone()];
        let rules: Vec<&Rule<'_>> = groups.iter().flat_map(of_group).collect();
        let patterns = Patterns::rank(rules.iter().copied(), dialect);
        for (rule, winner) in shadowed(&patterns, rules.len(), &mut work) {
            report(rules[rule], rules[winner], dialect, findings);
        }
    }
    work
}

/// Sets of groups whose rules apply together for every crawler.
fn applied_together(robots: &Robots<'_>, dialect: &Dialect) -> Vec<Vec<u32>> {
    let mut names: Vec<Vec<Vec<u8>>> = vec![Vec::new(); robots.groups.len()];
    for named in robots.named(dialect) {
        names[named.group as usize].push(named.key());
    }
    let mut all: Vec<Vec<u32>> = Vec::new();
    let mut places = HashMap::new();
    for (group, mut names) in names.into_iter().enumerate() {
        names.sort_unstable();
        names.dedup();
        let place = match dialect.groups {
            Groups::Merged => *places.entry(names).or_insert(all.len()),
            Groups::First => all.len(),
        };
        match all.get_mut(place) {
            Some(groups) => groups.push(group as u32),
            None => all.push(vec![group as u32]),
        }
    }
    all
}

/// The rules whose patterns are all shadowed by patterns of one other rule, and that rule, as indexes.
fn shadowed(patterns: &Patterns, rules: usize, work: &mut Work) -> Vec<(usize, usize)> {
    const UNKNOWN: u32 = u32::MAX;
    const NOT: u32 = u32::MAX - 1;
    let mut winners = vec![UNKNOWN; rules];
    for (pattern, shadow) in patterns.all().iter().zip(shadows::find(patterns, work)) {
        let winner = shadow.map(|rank| patterns.all()[rank as usize].rule).filter(|&winner| winner != pattern.rule);
        let known = &mut winners[pattern.rule as usize];
        *known = match (winner, *known) {
            (Some(winner), UNKNOWN) => winner,
            (Some(winner), known) if winner == known => winner,
            _ => NOT,
        };
    }
    let found = winners.into_iter().enumerate().filter(|(_, winner)| *winner < NOT);
    found.map(|(rule, winner)| (rule, winner as usize)).collect()
}

fn report(rule: &Rule<'_>, winner: &Rule<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let key = if winner.allow { "Allow" } else { "Disallow" };
    let text = format!("{key}: {}", excerpt(winner.value));
    let how = match dialect.precedence {
        Precedence::Longest => "wins against it and matches every path that it matches",
        Precedence::FirstMatch => "comes before it and matches every path that it matches",
        Precedence::AnyDisallow => "forbids every path that it forbids",
    };
    let reason = match rule.value == winner.value && rule.allow == winner.allow {
        true => format!("it repeats line {}", winner.line),
        false => format!("it never decides: line {}, {text}, {how}", winner.line),
    };
    findings.add_with(FindingKind::UnreachableRule, rule.line, reason, None, Some(Related { line: winner.line, text }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::tried::{matches, paths};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use std::sync::LazyLock;

    /// The lines of unreachable rules, each with the line of the rule that always wins.
    fn lines(file: &str, dialect: &str) -> Vec<(u32, u32)> {
        let dialect = Dialect::named(dialect).unwrap();
        let robots = Robots::parse(file.as_bytes(), dialect);
        let mut findings = Findings::new(dialect);
        check(file.as_bytes(), &robots, dialect, &mut findings);
        let (found, _) = findings.in_order(file.as_bytes());
        found.into_iter().map(|finding| (finding.line, finding.related.unwrap().line)).collect()
    }

    #[test]
    fn the_rule_that_wins_is_named() {
        let file = "User-agent: a\nDisallow: /x\nAllow: /x\nAllow: /\nDisallow: /x/y\nDisallow: /%78/y\n";
        assert_eq!(lines(file, "rfc9309"), [(2, 3), (6, 5)]);
        assert_eq!(lines(file, "draft-1996"), [(3, 2), (5, 2), (6, 2)]);
        assert_eq!(lines(file, "original-1994"), [(5, 2)]);
        let file = "User-agent: a\nDisallow: /x\nAllow: /*x\nDisallow: *.gif$\nDisallow: /*.gif$\nDisallow: /*\n";
        assert_eq!(lines(file, "rfc9309"), [(2, 3), (4, 5)]);
        assert_eq!(lines("User-agent: a\nDisallow: x\nDisallow: xy\nDisallow: x\n", "google"), [(4, 2)]);
    }

    #[test]
    fn rules_that_do_not_always_come_together_are_not_compared() {
        let apart = "User-agent: a\nDisallow: /x\nUser-agent: b\nAllow: /x\n";
        let together = "User-agent: a\nUser-agent: B/2\nDisallow: /x\nUser-agent: b\nUser-agent: A\nAllow: /x\n";
        for dialect in Dialect::ALL {
            assert_eq!(lines(apart, dialect.name), [], "{}", dialect.name);
        }
        assert_eq!(lines(together, "rfc9309"), [(3, 6)]);
        assert_eq!(lines(together, "draft-1996"), [], "the second record is never obeyed, whatever is in it");
    }

    #[test]
    fn both_patterns_of_a_rule_must_be_shadowed() {
        let rules = "User-agent: *\nAllow: /a/index.html*\nAllow: /a/index.html\n";
        assert_eq!(lines(rules, "google"), [(3, 2)]);
        // The first rule still allows the directory itself, whatever wins against its own path.
        let file = "User-agent: *\nAllow: /a/index.html\nDisallow: /a/index.html*\n";
        assert_eq!(lines(file, "google"), []);
        assert_eq!(lines(file, "rfc9309"), [(2, 3)]);
    }

    /// A rule for the brute-force check: whether it is an `Allow`, and its pattern.
    type Plain = (bool, Vec<u8>);

    /// All paths to try. No rule contains `x`.
    static PATHS: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| paths(5));

    /// Whether the rule at `one` wins against the one at `other`, by RFC 9309 2.2.2.
    fn wins(rules: &[Plain], one: usize, other: usize) -> bool {
        let key = |at: usize| (std::cmp::Reverse(rules[at].1.len()), !rules[at].0, at);
        key(one) < key(other)
    }

    fn rule() -> impl Strategy<Value = Plain> {
        let start = prop::sample::select(b"///*".as_slice());
        let middle = vec(prop::sample::select(b"ab/**".as_slice()), 0..4);
        (any::<bool>(), start, middle, prop::bool::weighted(0.3)).prop_map(|(allow, start, middle, dollar)| {
            (allow, [[start].as_slice(), &middle, if dollar { b"$" } else { b"" }].concat())
        })
    }

    proptest! {
        /// Every finding is true for all paths, and every rule shadowed by one other rule is found. (The longest
        /// witness has six bytes: four literals and the gaps of the stars between them and at the end.)
        #[test]
        fn what_is_unreachable_is_exactly_what_trying_all_paths_says(rules in vec(rule(), 1..7)) {
            let mut file = "User-agent: *\n".to_owned();
            for (allow, pattern) in &rules {
                let key = if *allow { "Allow" } else { "Disallow" };
                file += &format!("{key}: {}\n", std::str::from_utf8(pattern).unwrap());
            }
            let found = lines(&file, "rfc9309");
            let shadows = |one: usize, other: usize| {
                wins(&rules, one, other)
                    && PATHS.iter().all(|path| !matches(&rules[other].1, path) || matches(&rules[one].1, path))
            };
            for &(line, winner) in &found {
                prop_assert!(shadows(winner as usize - 2, line as usize - 2), "line {} by {}\n{}", line, winner, file);
            }
            for other in 0..rules.len() {
                let is_shadowed = (0..rules.len()).any(|one| shadows(one, other));
                let is_found = found.iter().any(|(line, _)| *line as usize == other + 2);
                prop_assert_eq!(is_found, is_shadowed, "line {}\n{}", other + 2, file);
            }
        }
    }
}
