//! Finds rules and records without which nothing would be otherwise.
//!
//! A rule has no effect if, for every crawler that it is for, all paths have the same verdict without it. Most rules decide on the
//! shortest path that they match, which shows their effect. For the others, the automata with and without the rule are compared; both
//! have only those rules that can match a path that the rule matches, which are few in nearly all files.

use hashbrown::{HashMap, HashSet};

use super::audience::Audience;
use super::effects::{Effects, Shown};
use super::finding::{Finding, Findings, Related};
use super::inherited::File;
use super::{FindingKind, Severity};
use crate::robots::Rule;
use crate::rules::{Pattern, Patterns, Verdict};

/// Reports rules and records without effect. `inherit` tells of each audience whether nothing is lifted for it.
///
/// Each claim holds alone, and all claims hold together: a rule is decided with the others, and again without those already claimed.
pub(super) fn check(file: &File<'_>, inherit: &[bool], effects: &mut Effects, findings: &mut Findings<'_>) {
    let mut audiences_of = vec![Vec::new(); file.robots.groups.len()];
    for (number, audience) in file.audiences.iter().enumerate() {
        audience.groups.iter().for_each(|&group| audiences_of[group as usize].push(number));
    }
    let unreachable = findings.so_far().filter(|finding| finding.kind == FindingKind::UnreachableRule);
    let unreachable: HashSet<u32> = unreachable.map(|finding| finding.line).collect();
    let mut gone: Vec<bool> = file.robots.rules.iter().map(|rule| unreachable.contains(&rule.line)).collect();
    for (group, audiences) in audiences_of.iter().enumerate() {
        let is_candidate =
            !file.lines[group].has_disallow && !audiences.is_empty() && !is_usual(file, group, audiences);
        if is_candidate
            && audiences.iter().all(|&one| inherit[one])
            && changes_nothing(file, group as u32, audiences, &gone, effects)
        {
            let rules = file.robots.groups[group].rules.clone();
            let says = match rules.is_empty() {
                true => "has no rule",
                false => "only allows what is allowed anyway",
            };
            gone[rules].fill(true);
            let line = file.first_line(group as u32);
            let is_said =
                |finding: &Finding| finding.kind == FindingKind::RecordWithoutDisallow && finding.line == line;
            if !findings.so_far().any(is_said) {
                let reason = format!("the record {says}: without a Disallow line it forbids nothing");
                findings.add(FindingKind::RecordWithoutDisallow, line, reason);
            }
        }
    }
    rules(file, &audiences_of, gone, effects, findings);
}

/// Whether the audiences of a group may fetch the same paths without its rules. A group without rules is one that they may fetch
/// everything by.
fn changes_nothing(file: &File<'_>, group: u32, audiences: &[usize], gone: &[bool], effects: &mut Effects) -> bool {
    let own = file.robots.groups[group as usize].rules.clone();
    audiences.iter().all(|&number| {
        let audience = &file.audiences[number];
        let others = audience.groups.iter().any(|&other| other != group);
        match (own.is_empty(), others) {
            // It forbids nothing, whatever it allows.
            (_, false) => true,
            (true, true) => audience.numbers(file.robots).next().is_none(),
            (false, true) => {
                let Some(with) = file.merged(audience, |_| true, effects) else { return false };
                // Alone, and with all that is gone.
                let is_any_gone = audience.numbers(file.robots).any(|number| gone[number]);
                [false, true].into_iter().take(1 + usize::from(is_any_gone)).all(|together| {
                    let is_left = |number: usize| !(own.contains(&number) || together && gone[number]);
                    file.merged(audience, is_left, effects).is_some_and(|without| {
                        effects.shown([&with, &without], |[with, without]| with != without) == Shown::ByNone
                    })
                })
            }
        }
    })
}

/// The rules of an audience.
struct Together {
    /// Their numbers in the file, ascending.
    numbers: Vec<usize>,
    patterns: Patterns,
}

/// Reports the rules that nothing depends on, in file order, so that some rule of each record stays.
fn rules(
    file: &File<'_>,
    audiences_of: &[Vec<usize>],
    mut gone: Vec<bool>,
    effects: &mut Effects,
    findings: &mut Findings<'_>,
) {
    let mut asked = candidates(file, &gone, findings);
    let all: Vec<Together> =
        file.audiences.iter().map(|audience| together(file, audience, &mut asked, effects)).collect();
    let nears: Vec<Near<'_>> = all.iter().map(|together| Near::of(&together.patterns)).collect();
    let mut found: Vec<(usize, Option<u32>)> = Vec::new();
    for (group, audiences) in file.robots.groups.iter().zip(audiences_of).filter(|(_, audiences)| !audiences.is_empty())
    {
        let mut left = group.rules.clone().filter(|&number| !gone[number]).count();
        for number in group.rules.clone().filter(|&number| asked[number]) {
            // Without its only rule, a record would be another one.
            if left < 2 {
                break;
            }
            let instead = audiences.iter().map(|&audience| {
                let Together { numbers, patterns } = &all[audience];
                let place = numbers.binary_search(&number).ok()? as u32;
                let is_gone = |place: u32| gone[numbers[place as usize]];
                let instead = without_effect(patterns, &nears[audience], place, is_gone, effects)?;
                Some(instead.map(|place| numbers[place as usize] as u32))
            });
            // Perhaps one rule has the same effect for all of them.
            let same = |one: Option<u32>, other: Option<u32>| one.filter(|_| one == other);
            if let Some(instead) = instead.collect::<Option<Vec<_>>>() {
                found.push((number, instead.into_iter().reduce(same).flatten()));
                gone[number] = true;
                left -= 1;
            }
        }
    }
    // One that was found later is not the one that stays.
    let mut stays: HashMap<u32, Option<u32>> = HashMap::new();
    for (number, instead) in found.into_iter().rev() {
        let instead = instead.and_then(|other| stays.get(&other).copied().unwrap_or(Some(other)));
        stays.insert(number as u32, instead);
        report(&file.robots.rules[number], instead.map(|other| &file.robots.rules[other as usize]), findings);
    }
}

/// The rules of an audience, if any of them is asked about. Where the work is done, none is.
fn together(file: &File<'_>, audience: &Audience, asked: &mut [bool], effects: &mut Effects) -> Together {
    let mut numbers: Vec<usize> = audience.numbers(file.robots).collect();
    if !numbers.iter().any(|&number| asked[number]) {
        numbers.clear();
    } else if !effects.spend(numbers.len()) {
        effects.unanswered += numbers.len();
        numbers.drain(..).for_each(|number| asked[number] = false);
    }
    let patterns = Patterns::rank(numbers.iter().map(|&number| &file.robots.rules[number]), file.dialect);
    Together { numbers, patterns }
}

/// Of each rule, whether anything is asked about it: not if something else is said of it.
fn candidates(file: &File<'_>, gone: &[bool], findings: &Findings<'_>) -> Vec<bool> {
    let is_said = |finding: &&Finding| finding.severity == Severity::Error || finding.kind == FindingKind::DotSegment;
    let said: HashSet<u32> = findings.so_far().filter(is_said).map(|finding| finding.line).collect();
    let is_asked = |(rule, gone): (&Rule<'_>, &bool)| !gone && !is_allow_all(rule) && !said.contains(&rule.line);
    file.robots.rules.iter().zip(gone).map(is_asked).collect()
}

/// Whether a group says that everybody may fetch everything, as documents of search engines do.
fn is_usual(file: &File<'_>, group: usize, audiences: &[usize]) -> bool {
    let rules = &file.robots.rules[file.robots.groups[group].rules.clone()];
    let is_everybody = |&number: &usize| file.audiences[number].everybody && file.audiences[number].others == 0;
    !rules.is_empty() && rules.iter().all(is_allow_all) && audiences.iter().all(is_everybody)
}

/// Whether a rule says that all is allowed, which is often said beside other rules, and meant so.
fn is_allow_all(rule: &Rule<'_>) -> bool {
    rule.allow && matches!(rule.value, b"/" | b"*" | b"/*")
}

fn report(rule: &Rule<'_>, instead: Option<&Rule<'_>>, findings: &mut Findings<'_>) {
    let what =
        if rule.allow { "it lifts nothing: all that it matches is allowed" } else { "all that it matches is blocked" };
    let related = instead.map(Related::rule);
    let reason = match &related {
        Some(Related { line, text, .. }) => format!("{what} without it, by line {line}, {text}"),
        None => format!("{what} without it"),
    };
    findings.add_with(FindingKind::RuleWithoutEffect, rule.line, reason, None, related);
}

/// Whether all paths have the same verdict without a rule, and without those that are gone as well: if so, perhaps the rule that gives
/// it to all that this one matches.
fn without_effect(
    patterns: &Patterns,
    near: &Near<'_>,
    rule: u32,
    is_gone: impl Fn(u32) -> bool,
    effects: &mut Effects,
) -> Option<Option<u32>> {
    let own = near.by_rule.get(&rule)?;
    let all = patterns.all();
    let with = near.to(own, effects)?;
    let others: Vec<usize> = with.iter().copied().filter(|&rank| all[rank].rule != rule).collect();
    let left: Vec<usize> = others.iter().copied().filter(|&rank| !is_gone(all[rank].rule)).collect();
    let mut instead = None;
    for &rank in own {
        let path = shortest(patterns, rank);
        let first = |of: &Vec<usize>| of.iter().copied().find(|&rank| patterns.matches(&all[rank], &path));
        let decide = [&with, &others, &left].map(first);
        let verdicts = decide.map(|rank| rank.map_or(Verdict::Allowed, |rank| all[rank].verdict));
        let is_asked = effects.is_asked(&path);
        if verdicts != [verdicts[0]; 3] && is_asked {
            return None;
        }
        instead = decide[2].filter(|&other| own.len() == 1 && patterns.covers(&all[other], &all[rank]));
        // What is asked for is known of fetchers only, and a claim about nothing helps nobody.
        if instead.is_none() && !is_asked {
            return None;
        }
    }
    let (rank, verdict) = (own[0], all[own[0]].verdict);
    let of_rule = |other: usize| all[other].verdict == verdict;
    // Where all that may win against the other rule say the same as this one, no path needs to be asked about.
    let is_plain = |other: usize| with.iter().filter(|&&near| rank < near && near <= other).all(|&near| of_rule(near));
    if instead.is_some_and(|other| rank < other && is_plain(other)) {
        return Some(instead.map(|other| all[other].rule));
    }
    let is_any_gone = left.len() < others.len();
    let with = effects.merged(patterns.only(with));
    let is_same = [others, left].into_iter().take(1 + usize::from(is_any_gone)).all(|ranks| {
        let without = effects.merged(patterns.only(ranks));
        effects.shown([&with, &without], |[with, without]| with != without) == Shown::ByNone
    });
    is_same.then(|| instead.filter(|&other| of_rule(other)).map(|other| all[other].rule))
}

/// The shortest path that a pattern matches.
pub(super) fn shortest(patterns: &Patterns, rank: usize) -> Vec<u8> {
    let mut path = Vec::new();
    for (number, segment) in patterns.segments(&patterns.all()[rank]).enumerate() {
        path.extend_from_slice(if number == 0 && segment.is_empty() { b"/" } else { &patterns.text()[segment] });
    }
    path
}

/// The bytes that every path begins with that a pattern matches.
pub(super) fn beginning<'p>(patterns: &'p Patterns, pattern: &Pattern) -> &'p [u8] {
    &patterns.text()[patterns.segments(pattern).next().expect("a pattern has a segment")]
}

/// Finds the patterns that can match a path that another one matches: the literal beginning of one begins that of the other.
struct Near<'p> {
    /// Beginnings and ranks, sorted.
    sorted: Vec<(&'p [u8], usize)>,
    /// The lengths of beginnings, ascending.
    lengths: Vec<usize>,
    beginnings: Vec<&'p [u8]>,
    by_rule: HashMap<u32, Vec<usize>>,
}

impl<'p> Near<'p> {
    fn of(patterns: &'p Patterns) -> Near<'p> {
        let beginnings: Vec<&[u8]> = patterns.all().iter().map(|pattern| beginning(patterns, pattern)).collect();
        let mut sorted: Vec<(&[u8], usize)> = beginnings.iter().copied().zip(0..).collect();
        sorted.sort_unstable();
        let mut lengths: Vec<usize> = beginnings.iter().map(|beginning| beginning.len()).collect();
        lengths.sort_unstable();
        lengths.dedup();
        let mut by_rule: HashMap<u32, Vec<usize>> = HashMap::new();
        for (rank, pattern) in patterns.all().iter().enumerate() {
            by_rule.entry(pattern.rule).or_default().push(rank);
        }
        Near { sorted, lengths, beginnings, by_rule }
    }

    /// The ranks of patterns near any of these, ascending, with themselves. `None` if the work is done.
    fn to(&self, own: &[usize], effects: &mut Effects) -> Option<Vec<usize>> {
        let mut ranks = Vec::new();
        for &rank in own {
            let beginning = self.beginnings[rank];
            for &length in self.lengths.iter().take_while(|&&length| length < beginning.len()) {
                self.add(&mut ranks, |other| other.cmp(&beginning[..length]));
            }
            let starts = |other: &[u8]| other[..other.len().min(beginning.len())].cmp(beginning);
            self.add(&mut ranks, starts);
            effects.spend(self.lengths.len() / 2 + beginning.len() / 8);
        }
        ranks.sort_unstable();
        ranks.dedup();
        if !effects.spend(1 + ranks.len() / 8) {
            effects.unanswered += 1;
            return None;
        }
        Some(ranks)
    }

    /// Adds the ranks of the beginnings that compare as equal.
    fn add(&self, ranks: &mut Vec<usize>, compare: impl Fn(&[u8]) -> std::cmp::Ordering) {
        let from = self.sorted.partition_point(|(other, _)| compare(other).is_lt());
        let equal = self.sorted[from..].iter().take_while(|(other, _)| compare(other).is_eq());
        ranks.extend(equal.map(|(_, rank)| *rank));
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::Dialect;
    use crate::lint::{FindingKind, check};

    /// The rules of a record that have no effect, each with the rule that gives the same verdict to all that it matches.
    fn without_effect(rules: &str) -> Vec<(String, Option<String>)> {
        let file = format!("User-agent: *\n{rules}");
        let line = |number: u32| file.lines().nth(number as usize - 1).unwrap().to_owned();
        let findings = check(file.as_bytes(), Dialect::DEFAULT).findings;
        let found = findings.iter().filter(|finding| finding.kind == FindingKind::RuleWithoutEffect);
        found.map(|finding| (line(finding.line), finding.related().map(|(number, _)| line(number)))).collect()
    }

    #[test]
    fn a_rule_without_which_a_path_has_another_verdict_has_an_effect() {
        for (rules, expected) in [
            ("Disallow: /a/bcdef\nDisallow: /a\n", &[("Disallow: /a/bcdef", Some("Disallow: /a"))][..]),
            // Without the first rule, the second allows `/a/bcdef.html`.
            ("Disallow: /a/bcdef\nAllow: /*.html\nDisallow: /a\n", &[]),
            // Of two that allow the same of what is blocked, one has to stay.
            ("Disallow: /*y$\nAllow: /x/z\nAllow: /x/z*y$\n", &[("Allow: /x/z", None)]),
            ("Disallow: /*y$\nAllow: /x/z*y$\nAllow: /x/z\n", &[("Allow: /x/z*y$", Some("Allow: /x/z"))]),
        ] {
            let found = without_effect(rules);
            assert!(found.iter().map(|(rule, by)| (&**rule, by.as_deref())).eq(expected.iter().copied()), "{found:?}");
        }
    }
}
