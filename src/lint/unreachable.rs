//! Rules that can never decide, because another one always wins against them.
//!
//! Which rules stand against each other depends on the crawler: its groups are merged, or the first one counts. A claim
//! must hold for every crawler, so rules are compared only if they always come together: those of one group, and, where
//! groups are merged, those of all groups that name the same agents.

use hashbrown::HashMap;

use super::FindingKind;
use super::finding::{Findings, Related, excerpt};
use super::shadows::{self, Work};
use crate::dialect::{Dialect, Groups, Precedence};
use crate::pattern::Patterns;
use crate::robots::{GroupOrigin, Robots, Rule, Selection};

/// Reports the rules that can never decide; returns what the search took.
pub(super) fn check(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) -> Work {
    let octets = robots.rules.iter().map(|rule| rule.value.len() + 16).sum();
    let mut work = Work::for_octets(octets);
    for groups in together(robots, dialect) {
        // Whose the groups are does not matter to their rules.
        let selection = Selection { origin: GroupOrigin::Everybody, groups };
        let rules: Vec<&Rule<'_>> = selection.rules(robots).collect();
        let patterns = Patterns::rank(rules.iter().copied(), dialect);
        for (rule, winner) in shadowed(&patterns, rules.len(), &mut work) {
            report(rules[rule], rules[winner], dialect, findings);
        }
    }
    work
}

/// The groups whose rules come together for every crawler.
fn together(robots: &Robots<'_>, dialect: &Dialect) -> Vec<Vec<u32>> {
    let mut names: Vec<Vec<Vec<u8>>> = vec![Vec::new(); robots.groups.len()];
    for named in robots.named(dialect) {
        let name = if named.everybody { b"*".to_vec() } else { named.compared.to_ascii_lowercase() };
        names[named.group as usize].push(name);
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

/// The rules all of whose patterns are shadowed by patterns of one other rule, and that rule, by their places.
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
    findings.add_with(FindingKind::UnreachableRule, rule.line, || {
        let key = if winner.allow { "Allow" } else { "Disallow" };
        let text = format!("{key}: {}", excerpt(winner.value));
        let how = match dialect.precedence {
            Precedence::Longest => "wins against it and matches every path that it matches",
            Precedence::FirstMatch => "stands before it and matches every path that it matches",
            Precedence::AnyDisallow => "forbids every path that it forbids",
        };
        let reason = match rule.value == winner.value && rule.allow == winner.allow {
            true => format!("it says again what line {} says", winner.line),
            false => format!("it never decides: line {}, {text}, {how}", winner.line),
        };
        (reason, None, Some(Related { line: winner.line, text }))
    });
}
