//! Checks a proposal: reads the file again with the proposal in place of its line, and asks the automata of that file.
//!
//! The proposed rule must decide: on one of the paths that it matches and that can be requested, its verdict must be the file's, for a
//! crawler of its record. If a finding only says that a line could be shorter, no verdict may change. On paths that the proposal does not
//! match, the verdicts of every crawler must stay. They do if all other rules stay in their records; otherwise the automata are asked. A
//! line for some paths never becomes one for the whole site: no automaton can tell whether the author meant that.
//!
//! If limited work does not decide, nothing is proposed.

use std::ops::Range;

use super::FindingKind;
use super::audience::{Audience, audiences};
use super::effects::{Effects, Shown};
use super::finding::Findings;
use super::inherited::File;
use super::meant::{is_narrow, is_start};
use super::redundant::{beginning, shortest};
use crate::dialect::{AllowLines, Dialect, Groups, Precedence};
use crate::robots::{self, Agents, Group, Key, Line, Note, NoteKind, Robots, Rule};
use crate::rules::{Pattern, Patterns, Verdict};

/// What a record begins with that is for every crawler.
const ALONE: &[u8] = b"User-agent: *\n";

/// The most bytes that are read again for the proposals about one file.
const READ_AGAIN: usize = 32 << 20;

/// Takes back the proposals that are not right. Returns the number of questions that were not decided.
pub(super) fn check(text: &[u8], file: &File<'_>, findings: &mut Findings<'_>) -> usize {
    let (mut effects, mut left) = (Effects::new(file.dialect), READ_AGAIN);
    let mut lines: Vec<&[u8]> = Vec::new();
    for finding in findings.proposing() {
        if lines.is_empty() {
            lines.extend(robots::lines(text, file.dialect).map(|line| line.text));
        }
        let Some(line) = (finding.line as usize).checked_sub(1).and_then(|place| lines.get(place)) else { continue };
        let proposal = finding.proposal.as_deref().unwrap_or_default();
        let from = line.as_ptr() as usize - text.as_ptr() as usize;
        // With the end of the line, which crawlers may not read.
        let end = memchr::memchr2(b'\n', b'\r', &text[from..]).map_or(text.len(), |length| from + length);
        let with = [&text[..from], proposal.as_bytes(), &text[end..]].concat();
        left = left.saturating_sub(with.len());
        if left == 0 {
            effects.unanswered += 1;
            finding.proposal = None;
            continue;
        }
        let is_same = finding.kind == FindingKind::RepeatedStar;
        let alone = [ALONE, proposal.as_bytes()].concat();
        let is_right = With::read([&with, &alone], proposal, finding.line, file).is_some_and(|with| {
            (is_written(finding.kind, line, file.dialect) || !with.becomes_whole())
                && with.comes_to(is_same, &mut effects)
                && (with.keeps_records || with.keeps_verdicts(&mut effects))
        });
        if !is_right {
            finding.proposal = None;
            if is_same && file.dialect.precedence == Precedence::Longest {
                finding.reason += "; but each counts in the length of the rule";
            }
        }
    }
    effects.unanswered
}

/// Whether the path of a proposal is written in the line, so that it is no guess.
fn is_written(kind: FindingKind, line: &[u8], dialect: &Dialect) -> bool {
    match (kind, robots::read(line, dialect.keys)) {
        (FindingKind::MissingColon | FindingKind::MisspeltKey, _) => true,
        (FindingKind::ForeignComment, Line::Record { value, .. }) => is_start(value),
        _ => false,
    }
}

/// A file with a proposal in place of a line. Of a proposal that stands outside every record, a record of its own.
struct With<'f> {
    file: &'f File<'f>,
    robots: Robots<'f>,
    /// The line in the file.
    line: u32,
    /// The numbers of the rules that are proposed.
    proposed: Range<usize>,
    is_alone: bool,
    /// Whether all other rules are in the records that they were in.
    keeps_records: bool,
}

impl<'f> With<'f> {
    /// Reads the file with a proposal, or a record of its own. `None` if the proposal is not read as it is written.
    fn read([with, alone]: [&'f [u8]; 2], proposal: &str, line: u32, file: &'f File<'f>) -> Option<With<'f>> {
        let mut lines = line..line + proposal.lines().count() as u32;
        let mut robots = Robots::parse(with, file.dialect);
        let is_outside = |note: &Note| note.kind == NoteKind::RuleOutsideGroup && lines.contains(&note.line);
        let is_alone = robots.notes.iter().any(is_outside);
        if is_alone {
            lines = 0..u32::MAX;
            robots = Robots::parse(alone, file.dialect);
        }
        let keeps_records = is_alone || keeps_others([file.robots, &robots], [line..line + 1, lines.clone()]);
        let place = |line| robots.rules.partition_point(|rule| rule.line < line);
        let proposed = place(lines.start)..place(lines.end);
        let all = rules_of(proposal, file.dialect);
        (proposed.len() == all).then_some(With { file, robots, line, proposed, is_alone, keeps_records })
    }

    /// Whether a line for some paths, or none, becomes a rule for the whole site.
    fn becomes_whole(&self) -> bool {
        let was = self.file.robots.rules.iter().find(|rule| rule.line == self.line);
        was.is_none_or(|rule| is_narrow(rule.value))
            && self.robots.rules[self.proposed.clone()].iter().any(|rule| !is_narrow(rule.value))
    }

    /// Whether each rule that is proposed decides for some crawler; or, if it is the same as the line, whether it changes nothing for any.
    fn comes_to(&self, is_same: bool, effects: &mut Effects) -> bool {
        self.proposed.clone().all(|number| {
            let mut audiences = self.audiences(number).into_iter();
            match is_same {
                true => self.is_alone || audiences.all(|groups| self.changes_nothing(number, &groups, effects)),
                false => audiences.any(|groups| self.decides(number, &groups, effects)),
            }
        })
    }

    /// Whether all crawlers have the verdicts that they had, on all paths that no proposed rule matches.
    fn keeps_verdicts(&self, effects: &mut Effects) -> bool {
        let dialect = self.file.dialect;
        let blocking: Vec<Rule<'_>> =
            self.robots.rules[self.proposed.clone()].iter().map(|rule| Rule { allow: false, ..*rule }).collect();
        let blocking = effects.merged(Patterns::rank(blocking.iter(), dialect));
        audiences(&self.robots, dialect).iter().all(|audience| {
            let agents = if audience.everybody { Agents::everybody() } else { Agents::verbatim(&audience.name) };
            let mut was = self.file.robots.select(&agents, dialect).groups;
            if dialect.groups == Groups::First {
                was.truncate(1);
            }
            let of = |robots: &Robots<'_>, groups: &[u32], effects: &mut Effects| {
                let rules =
                    groups.iter().flat_map(|&group| robots.rules[robots.groups[group as usize].rules.clone()].iter());
                effects.merged(Patterns::rank(rules, dialect))
            };
            let (was, now) = (of(self.file.robots, &was, effects), of(&self.robots, &audience.groups, effects));
            // They differ at most on paths that a proposed rule matches.
            let differ = |[was, now, blocking]: [Verdict; 3]| was != now && blocking == Verdict::Allowed;
            effects.found([&was, &now, &blocking], differ) == Shown::ByNone
        })
    }

    /// The groups that apply with a rule: those of each audience that the rule is for, or its own, if that is for nobody.
    fn audiences(&self, number: usize) -> Vec<Vec<u32>> {
        let group = self.robots.groups.partition_point(|group| group.rules.end <= number) as u32;
        let is_theirs = |audience: &&Audience| !self.is_alone && audience.groups.contains(&group);
        let theirs = self.file.audiences.iter().filter(is_theirs).map(|audience| audience.groups.clone());
        let all: Vec<Vec<u32>> = theirs.collect();
        if all.is_empty() { vec![vec![group]] } else { all }
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
        let Some(near) = self.near(&self.robots, groups, rule, effects) else { return false };
        // The shortest path shows it of most rules, however many wildcards there are.
        let own = Patterns::rank(std::iter::once(rule), self.file.dialect);
        let path = if own.all().is_empty() { Vec::new() } else { shortest(&own, 0) };
        let verdict = if rule.allow { Verdict::Allowed } else { Verdict::Blocked };
        if effects.is_asked(&path) && near.deciding(&path).is_some_and(|pattern| pattern.verdict == verdict) {
            return true;
        }
        let blocking = Rule { allow: false, ..*rule };
        let matched = effects.merged(Patterns::rank(std::iter::once(&blocking), self.file.dialect));
        let near = effects.merged(near);
        matches!(effects.found([&matched, &near], |both| both == [Verdict::Blocked, verdict]), Shown::By(_))
    }

    /// Whether no path has another verdict with a proposed rule than with the one that it stands for.
    fn changes_nothing(&self, number: usize, groups: &[u32], effects: &mut Effects) -> bool {
        let rule = &self.robots.rules[number];
        let [was, now] = [self.file.robots, &self.robots].map(|robots| self.near(robots, groups, rule, effects));
        let Some((was, now)) = was.zip(now) else { return false };
        let [was, now] = [was, now].map(|patterns| effects.merged(patterns));
        effects.shown([&was, &now], |[was, now]| was != now) == Shown::ByNone
    }
}

/// Whether all rules but those on these lines are in both files, in records of the same agents; unless agents are proposed, or gone.
fn keeps_others([was, now]: [&Robots<'_>; 2], [line, lines]: [Range<u32>; 2]) -> bool {
    let has_agent = |robots: &Robots<'_>, lines: &Range<u32>| robots.agents.iter().any(|one| lines.contains(&one.line));
    if has_agent(was, &line) || has_agent(now, &lines) {
        return true;
    }
    let is_same = |(one, other): (&Group, &Group)| {
        agents(was, one).eq(agents(now, other)) && others(was, one, &line).eq(others(now, other, &lines))
    };
    was.groups.len() == now.groups.len() && was.groups.iter().zip(&now.groups).all(is_same)
}

/// The agents of a group.
fn agents<'r>(robots: &'r Robots<'_>, group: &Group) -> impl Iterator<Item = &'r [u8]> {
    robots.agents[group.agents.clone()].iter().map(|agent| agent.value)
}

/// The rules of a group, but for those on these lines.
fn others<'r>(robots: &'r Robots<'_>, group: &Group, lines: &'r Range<u32>) -> impl Iterator<Item = (bool, &'r [u8])> {
    let others = robots.rules[group.rules.clone()].iter().filter(|rule| !lines.contains(&rule.line));
    others.map(|rule| (rule.allow, rule.value))
}

/// How many lines of a proposal are to be rules.
fn rules_of(proposal: &str, dialect: &Dialect) -> usize {
    let is_rule = |line: &&str| match robots::read(line.as_bytes(), dialect.keys) {
        Line::Record { key: Key::Allow, .. } if dialect.allow == AllowLines::Ignored => false,
        Line::Record { key: Key::Allow | Key::Disallow, value, .. } => !value.is_empty(),
        _ => false,
    };
    proposal.lines().filter(is_rule).count()
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
            ("Disallow: /1\n\nUser-agent: a\nDisallow /\n\nUser-agent: b\nDisallow: /", "Disallow: /"),
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
