//! Finds rules and records without which nothing would be otherwise.
//!
//! A rule has no effect if, for every crawler that it is for, all paths have the same verdict without it. Most rules decide on the
//! shortest path that they match, which shows their effect. For the others, the automata with and without the rule are compared; both
//! have only those rules that can match a path that the rule matches, which are few in nearly all files.

use hashbrown::{HashMap, HashSet};

use super::effects::{Effects, Shown};
use super::finding::{Finding, Findings, Related, excerpt};
use super::inherited::File;
use super::{FindingKind, Severity};
use crate::robots::Rule;
use crate::rules::{Patterns, Verdict};

/// Reports rules and records without effect. `inherit` tells of each audience whether nothing is lifted for it.
pub(super) fn check(file: &File<'_>, inherit: &[bool], effects: &mut Effects, findings: &mut Findings<'_>) {
    let mut audiences_of = vec![Vec::new(); file.robots.groups.len()];
    for (number, audience) in file.audiences.iter().enumerate() {
        audience.groups.iter().for_each(|&group| audiences_of[group as usize].push(number));
    }
    let mut told = vec![false; file.robots.groups.len()];
    for (group, audiences) in audiences_of.iter().enumerate() {
        let is_candidate = !file.lines[group].has_disallow && !audiences.is_empty();
        if is_candidate
            && audiences.iter().all(|&one| inherit[one])
            && changes_nothing(file, group as u32, audiences, effects)
        {
            told[group] = true;
            let says = match file.robots.groups[group].rules.is_empty() {
                true => "has no rule",
                false => "only allows what is allowed anyway",
            };
            let reason = format!("the record {says}: without a Disallow line it forbids nothing");
            findings.add(FindingKind::RecordWithoutDisallow, file.first_line(group as u32), reason);
        }
    }
    rules(file, &told, effects, findings);
}

/// Whether the audiences of a group may fetch the same paths without its rules. A group without rules is one that they may fetch
/// everything by.
fn changes_nothing(file: &File<'_>, group: u32, audiences: &[usize], effects: &mut Effects) -> bool {
    audiences.iter().all(|&number| {
        let audience = &file.audiences[number];
        let is_empty = file.robots.groups[group as usize].rules.is_empty();
        let others = audience.groups.iter().any(|&other| other != group);
        match (is_empty, others) {
            // It forbids nothing, whatever it allows.
            (_, false) => true,
            (true, true) => audience.rules(file.robots).next().is_none(),
            (false, true) => {
                let both = [None, Some(group)].map(|without| file.merged(audience, without, effects));
                let [Some(with), Some(without)] = both else { return false };
                effects.shown([&with, &without], |[with, without]| with != without) == Shown::ByNone
            }
        }
    })
}

/// What is known of a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Known {
    Nothing,
    /// It has no effect for the audiences so far; perhaps the rule that has the same effect for all of them.
    NoEffect(Option<u32>),
    /// It has an effect, or that was not decided, or something else is said of it.
    Effect,
}

impl Known {
    /// What is known with one more audience, for which another rule has the same effect, or perhaps none has.
    fn and(self, instead: Option<Option<u32>>) -> Known {
        match (self, instead) {
            (Known::Effect, _) | (_, None) => Known::Effect,
            (Known::Nothing, Some(instead)) => Known::NoEffect(instead),
            (Known::NoEffect(before), Some(instead)) => Known::NoEffect(before.filter(|_| before == instead)),
        }
    }
}

fn rules(file: &File<'_>, told: &[bool], effects: &mut Effects, findings: &mut Findings<'_>) {
    let all = &file.robots.rules;
    let mut known = candidates(file, told, findings);
    for audience in file.audiences {
        let of_group = |&group: &u32| file.robots.groups[group as usize].rules.clone();
        let numbers: Vec<usize> = audience.groups.iter().flat_map(of_group).collect();
        if numbers.iter().all(|&number| known[number] == Known::Effect) {
            continue;
        }
        if !effects.spend(numbers.len()) {
            effects.unanswered += numbers.len();
            numbers.iter().for_each(|&number| known[number] = Known::Effect);
            continue;
        }
        let patterns = Patterns::rank(numbers.iter().map(|&number| &all[number]), file.dialect);
        let near = Near::of(&patterns);
        for (place, &number) in numbers.iter().enumerate() {
            if known[number] != Known::Effect {
                let instead = without_effect(&patterns, &near, place as u32, effects);
                let number_of = |place: u32| numbers[place as usize] as u32;
                known[number] = known[number].and(instead.map(|instead| instead.map(number_of)));
            }
        }
    }
    for (rule, known) in all.iter().zip(known) {
        if let Known::NoEffect(instead) = known {
            report(rule, instead.map(|number| &all[number as usize]), findings);
        }
    }
}

/// What is known of each rule before any question is asked: of those that nothing is asked about, that they have an effect.
fn candidates(file: &File<'_>, told: &[bool], findings: &Findings<'_>) -> Vec<Known> {
    let other = [FindingKind::DotSegment, FindingKind::UnreachableRule];
    let is_said = |finding: &&Finding| finding.severity == Severity::Error || other.contains(&finding.kind);
    let said: HashSet<u32> = findings.so_far().filter(is_said).map(|finding| finding.line).collect();
    let mut known = vec![Known::Nothing; file.robots.rules.len()];
    for (group, told) in file.robots.groups.iter().zip(told) {
        for number in group.rules.clone() {
            let rule = &file.robots.rules[number];
            // Without its only rule, a record would be another one.
            if *told || group.rules.len() < 2 || is_allow_all(rule) || said.contains(&rule.line) {
                known[number] = Known::Effect;
            }
        }
    }
    known
}

/// Whether a rule says that all is allowed, which is often said beside other rules, and meant so.
fn is_allow_all(rule: &Rule<'_>) -> bool {
    rule.allow && matches!(rule.value, b"/" | b"*" | b"/*")
}

fn report(rule: &Rule<'_>, instead: Option<&Rule<'_>>, findings: &mut Findings<'_>) {
    let what =
        if rule.allow { "it lifts nothing: all that it matches is allowed" } else { "all that it matches is blocked" };
    let related = instead.map(|other| {
        let key = if other.allow { "Allow" } else { "Disallow" };
        Related { line: other.line, text: format!("{key}: {}", excerpt(other.value)) }
    });
    let reason = match &related {
        Some(Related { line, text, .. }) => format!("{what} without it, by line {line}, {text}"),
        None => format!("{what} without it"),
    };
    findings.add_with(FindingKind::RuleWithoutEffect, rule.line, reason, None, related);
}

/// Whether all paths have the same verdict without a rule: if so, perhaps the rule that gives it to all that this one matches.
fn without_effect(patterns: &Patterns, near: &Near<'_>, rule: u32, effects: &mut Effects) -> Option<Option<u32>> {
    let own = near.by_rule.get(&rule)?;
    let ranks = near.to(own, effects)?;
    let all = patterns.all();
    let mut instead = None;
    for &rank in own {
        let path = shortest(patterns, rank);
        let mut matching = ranks.iter().copied().filter(|&rank| patterns.matches(&all[rank], &path));
        let with = matching.clone().next();
        let without = matching.find(|&rank| all[rank].rule != rule);
        let [verdict, other] = [with, without].map(|rank| rank.map_or(Verdict::Allowed, |rank| all[rank].verdict));
        let is_asked = effects.is_asked(&path);
        if verdict != other && is_asked {
            return None;
        }
        instead = without.filter(|&without| own.len() == 1 && patterns.covers(&all[without], &all[rank]));
        // What is asked for is known of fetchers only, and a claim about nothing helps nobody.
        if instead.is_none() && !is_asked {
            return None;
        }
    }
    let (rank, verdict) = (own[0], all[own[0]].verdict);
    let of_rule = |other: usize| all[other].verdict == verdict;
    // Where all that may win against the other rule say the same as this one, no path needs to be asked about.
    let is_plain = |other: usize| ranks.iter().filter(|&&near| rank < near && near <= other).all(|&near| of_rule(near));
    if instead.is_some_and(|other| rank < other && is_plain(other)) {
        return Some(instead.map(|other| all[other].rule));
    }
    let with = effects.merged(patterns.only(ranks.iter().copied()));
    let without = effects.merged(patterns.only(ranks.iter().copied().filter(|&rank| all[rank].rule != rule)));
    let is_same = effects.shown([&with, &without], |[with, without]| with != without) == Shown::ByNone;
    is_same.then(|| instead.filter(|&other| of_rule(other)).map(|other| all[other].rule))
}

/// The shortest path that a pattern matches.
fn shortest(patterns: &Patterns, rank: usize) -> Vec<u8> {
    let mut path = Vec::new();
    for (number, segment) in patterns.segments(&patterns.all()[rank]).enumerate() {
        path.extend_from_slice(if number == 0 && segment.is_empty() { b"/" } else { &patterns.text()[segment] });
    }
    path
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
        let beginning = |pattern| &patterns.text()[patterns.segments(pattern).next().expect("a pattern has a segment")];
        let beginnings: Vec<&[u8]> = patterns.all().iter().map(beginning).collect();
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
