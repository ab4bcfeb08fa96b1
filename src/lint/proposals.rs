//! Whether a proposal is right: the file is read again with it in place of its line, and the automata of that file are asked.
//!
//! A proposed rule must decide: of the paths that it matches, one that can be asked for must have its verdict, for a crawler that the
//! record is for. Where a finding says that a line only could be shorter, no verdict may change. All other rules must stay, in their
//! records; so no other path changes, because a rule changes only paths that it matches. And a line for some paths never becomes one
//! for the whole site: whether that is meant cannot be told by any automaton.
//!
//! What cannot be decided with limited work is not proposed.

use super::FindingKind;
use super::audience::Audience;
use super::effects::{Effects, Shown};
use super::finding::{Finding, Findings};
use super::inherited::File;
use super::meant::is_narrow;
use crate::dialect::{AllowLines, Dialect};
use crate::robots::{self, Key, Line, Robots, Rule};
use crate::rules::{Pattern, Patterns, Verdict};

/// The most bytes that are read again for the proposals about one file.
const READ_AGAIN: usize = 16 << 20;

/// Takes back the proposals that are not right. Returns the number of questions that were not decided.
pub(super) fn check(text: &[u8], file: &File<'_>, findings: &mut Findings<'_>) -> usize {
    let mut effects = Effects::new(file.dialect);
    let mut left = READ_AGAIN;
    let mut lines: Vec<&[u8]> = Vec::new();
    for finding in findings.proposing() {
        if lines.is_empty() {
            lines.extend(robots::lines(text, file.dialect).map(|line| line.text));
        }
        let Some((line, proposal)) = lines.get(finding.line as usize - 1).zip(finding.proposal.as_deref()) else {
            continue;
        };
        let from = line.as_ptr() as usize - text.as_ptr() as usize;
        let with = [&text[..from], proposal.as_bytes(), &text[from + line.len()..]].concat();
        let Some(rest) = left.checked_sub(with.len()) else {
            effects.unanswered += 1;
            finding.proposal = None;
            continue;
        };
        left = rest;
        let robots = Robots::parse(&with, file.dialect);
        let with = With { file, robots: &robots, line: finding.line, count: proposal.lines().count() as u32 };
        let is_right = with.keeps_others()
            && with.reads_all(proposal)
            && with.proposed().all(|number| {
                let may_be_whole = is_written(finding.kind, line, with.robots.rules[number].value, file.dialect);
                may_be_whole || is_narrow(with.robots.rules[number].value) || !with.was_narrow()
            })
            && with.comes_to(finding.kind == FindingKind::RepeatedStar, &mut effects);
        if !is_right {
            finding.proposal = None;
            no_longer(finding);
        }
    }
    effects.unanswered
}

/// Whether the path of a proposed rule is written in the line, so that it is no guess.
fn is_written(kind: FindingKind, line: &[u8], path: &[u8], dialect: &Dialect) -> bool {
    match (kind, robots::read(line, dialect.keys)) {
        (FindingKind::MissingColon | FindingKind::MisspeltKey, _) => true,
        (FindingKind::ForeignComment, Line::Record { value, .. }) => value.starts_with(path),
        _ => false,
    }
}

/// Says why nothing is proposed, where that is not plain.
fn no_longer(finding: &mut Finding) {
    if finding.kind == FindingKind::RepeatedStar {
        finding.reason += "; but each counts in the length of the rule";
    }
}

/// A file with a proposal: `count` lines in place of one.
struct With<'f> {
    file: &'f File<'f>,
    robots: &'f Robots<'f>,
    line: u32,
    count: u32,
}

impl With<'_> {
    /// Whether a rule of the file with the proposal is proposed.
    fn is_proposed(&self, rule: &Rule<'_>) -> bool {
        (self.line..self.line + self.count).contains(&rule.line)
    }

    /// Whether all other rules are there, in records of the same agents, unless agents are proposed.
    fn keeps_others(&self) -> bool {
        let (was, now) = (self.file.robots, self.robots);
        let is_of_agents = |robots: &Robots<'_>, count| {
            robots.agents.iter().any(|agent| (self.line..self.line + count).contains(&agent.line))
        };
        is_of_agents(was, 1)
            || is_of_agents(now, self.count)
            || was.groups.len() == now.groups.len()
                && was.groups.iter().zip(&now.groups).all(|(one, other)| {
                    let agents = |robots: &Robots<'_>, group: &robots::Group| {
                        robots.agents[group.agents.clone()].iter().map(|agent| agent.value.to_vec()).collect::<Vec<_>>()
                    };
                    let others = was.rules[one.rules.clone()].iter().filter(|rule| rule.line != self.line);
                    let kept = now.rules[other.rules.clone()].iter().filter(|rule| !self.is_proposed(rule));
                    let plain = |rule: &Rule<'_>| (rule.allow, rule.value.to_vec());
                    agents(was, one) == agents(now, other) && others.map(plain).eq(kept.map(plain))
                })
    }

    /// Whether each rule in the proposal is read as one, unless the dialect ignores it.
    fn reads_all(&self, proposal: &str) -> bool {
        let dialect = self.file.dialect;
        let is_rule = |line: &str| match robots::read(line.as_bytes(), dialect.keys) {
            Line::Record { key: Key::Allow, .. } if dialect.allow == AllowLines::Ignored => false,
            Line::Record { key: Key::Allow | Key::Disallow, value, .. } => !value.is_empty(),
            _ => false,
        };
        proposal.lines().filter(|line| is_rule(line)).count() == self.proposed().count()
    }

    /// The numbers of the rules that are proposed.
    fn proposed(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.robots.rules.len()).filter(|&number| self.is_proposed(&self.robots.rules[number]))
    }

    /// Whether the line is a rule for some paths, or none.
    fn was_narrow(&self) -> bool {
        self.file.robots.rules.iter().find(|rule| rule.line == self.line).is_none_or(|rule| is_narrow(rule.value))
    }

    /// Whether each rule that is proposed decides for some crawler; or, if it is the same as the line, whether it changes nothing for any.
    fn comes_to(&self, is_same: bool, effects: &mut Effects) -> bool {
        self.proposed().all(|number| {
            let mut audiences = self.audiences(number).into_iter();
            match is_same {
                true => audiences.all(|groups| self.changes_nothing(number, &groups, effects)),
                false => audiences.any(|groups| self.decides(number, &groups, effects)),
            }
        })
    }

    /// The groups that apply with a rule: those of each audience that the rule is for, or its own, if that is for nobody.
    fn audiences(&self, number: usize) -> Vec<Vec<u32>> {
        let group = self.robots.groups.partition_point(|group| group.rules.end <= number) as u32;
        let is_theirs = |audience: &&Audience| audience.groups.contains(&group);
        let mut all: Vec<Vec<u32>> =
            self.file.audiences.iter().filter(is_theirs).map(|audience| audience.groups.clone()).collect();
        if all.is_empty() {
            all.push(vec![group]);
        }
        all
    }

    /// The patterns of these groups that can match a path that a rule matches, as ranked.
    fn near(&self, robots: &Robots<'_>, groups: &[u32], rule: &Rule<'_>, effects: &mut Effects) -> Option<Patterns> {
        let of_group = |&group: &u32| robots.rules[robots.groups[group as usize].rules.clone()].iter();
        let patterns = Patterns::rank(groups.iter().flat_map(of_group), self.file.dialect);
        let own = Patterns::rank(std::iter::once(rule), self.file.dialect);
        let is_near = |pattern: &Pattern| {
            own.all().iter().any(|other| {
                let (one, other) = (beginning(&patterns, pattern), beginning(&own, other));
                one.starts_with(other) || other.starts_with(one)
            })
        };
        let near: Vec<usize> = (0..patterns.all().len()).filter(|&rank| is_near(&patterns.all()[rank])).collect();
        if !effects.spend(1 + patterns.all().len() / 8) {
            effects.unanswered += 1;
            return None;
        }
        Some(patterns.only(near))
    }

    /// Whether a path that a proposed rule matches has its verdict.
    fn decides(&self, number: usize, groups: &[u32], effects: &mut Effects) -> bool {
        let rule = &self.robots.rules[number];
        let Some(near) = self.near(self.robots, groups, rule, effects) else { return false };
        let blocking = Rule { allow: false, ..*rule };
        let matched = effects.merged(Patterns::rank(std::iter::once(&blocking), self.file.dialect));
        let near = effects.merged(near);
        let is_so = match rule.allow {
            true => |both| both == [Verdict::Blocked, Verdict::Allowed],
            false => |both| both == [Verdict::Blocked; 2],
        };
        matches!(effects.found([&matched, &near], is_so), Shown::By(_))
    }

    /// Whether no path has another verdict with a proposed rule than with the one that it stands for.
    fn changes_nothing(&self, number: usize, groups: &[u32], effects: &mut Effects) -> bool {
        let rule = &self.robots.rules[number];
        let (was, now) = (self.file.robots, self.robots);
        let [was, now] = [was, now].map(|robots| self.near(robots, groups, rule, effects));
        let Some((was, now)) = was.zip(now) else { return false };
        let [was, now] = [was, now].map(|patterns| effects.merged(patterns));
        effects.shown([&was, &now], |[was, now]| was != now) == Shown::ByNone
    }
}

/// The bytes that every path begins with that a pattern matches.
fn beginning<'p>(patterns: &'p Patterns, pattern: &Pattern) -> &'p [u8] {
    &patterns.text()[patterns.segments(pattern).next().expect("a pattern has a segment")]
}

#[cfg(test)]
mod tests {
    use crate::dialect::Dialect;
    use crate::lint::check;

    /// The proposals about a file of one record with these lines.
    fn proposals(lines: &str) -> String {
        let report = check(format!("User-agent: *\n{lines}").as_bytes(), Dialect::DEFAULT);
        report.findings.into_iter().filter_map(|finding| finding.proposal).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_proposal_decides_and_changes_nothing_else() {
        for (lines, expected) in [
            ("Disallow: a", "Disallow: /a"),
            ("Disallow: a\nAllow: /b", "Disallow: /a"),
            ("Disallow: a\nAllow: /a/b", "Disallow: /a"),
            // Another rule always wins against it.
            ("Disallow: a\nAllow: /a*", ""),
            ("Disallow: a\nAllow: /a", ""),
            ("Disalow: /a\nAllow: /a", ""),
            // No path that can be asked for matches it.
            ("Disallow: ./a/../b", ""),
            ("Disallow: /a/../b", "Disallow: /b"),
            // One star for several is the same, unless its length counts.
            ("Disallow: /a**b", "Disallow: /a*b"),
            ("Disallow: /a**b\nAllow: /x", "Disallow: /a*b"),
            ("Disallow: /a**b\nAllow: /ab", "Disallow: /a*b"),
            ("Disallow: /a**b\nAllow: /*bc", ""),
            // The record of `b` would begin after it, and `a` would lose a rule.
            ("Disallow: /1\n\nUser-agent: a\nDisalow: /x\nUser-agent: b\nDisallow: /y", ""),
            ("Disallow: /1\n\nUser-agent: a\nUser-agent: b\nDisalow: /x\nDisallow: /y", "Disallow: /x"),
            // For nobody.
            ("Disallow: /1\n\nUser-agent: \"\"\nDisallow: a", "Disallow: /a"),
            ("Disallow: https://a.example/", ""),
        ] {
            assert_eq!(proposals(lines), expected, "{lines}");
        }
    }

    #[test]
    fn what_takes_too_much_work_is_not_proposed() {
        let lines = format!("{}Disallow: a\n", "Disallow: /*a*b*c*d*e*f*g\nAllow: /a*h*i*j*k\n".repeat(40_000));
        let report =
            check(format!("User-agent: *\n{lines}{}", "Disallow: x\n".repeat(20)).as_bytes(), Dialect::DEFAULT);
        let proposed = report.findings.iter().filter(|finding| finding.proposal.is_some()).count();
        assert!(proposed < 21 && report.undecided > 0, "{proposed}");
    }
}
