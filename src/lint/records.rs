//! Findings about lines that belong together: records, their agents, and the blank lines between.

use super::finding::{Findings, Related, excerpt};
use super::rule::PROPOSED;
use super::{FindingKind, audience};
use crate::dialect::{AgentValue, AllowLines, Boundary, Dialect, Groups};
use crate::robots::{self, Key, Line, Named, NoteKind, Robots, SideKey};

/// The rule lines of a group, with those that are no rules because they have no value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct GroupLines {
    /// Whether there is a `Disallow` line.
    pub has_disallow: bool,
    /// Whether there is one with a rule.
    pub disallows: bool,
    /// The first line that says that all is allowed: `Disallow` without a value, or `Allow: /`.
    pub allow_all: Option<u32>,
    /// The lines of `Disallow` without a value.
    pub empty: Vec<u32>,
}

impl GroupLines {
    fn add(&mut self, key: Key, line: u32, value: &[u8]) {
        let is_disallow = key == Key::Disallow;
        self.has_disallow |= is_disallow;
        if value.is_empty() || !is_disallow && matches!(value, b"/" | b"*" | b"/*") {
            self.allow_all.get_or_insert(line);
        }
        if is_disallow && value.is_empty() {
            self.empty.push(line);
        }
    }
}

/// Checks the records of a file, and returns the lines of each group.
pub(super) fn check(
    text: &[u8],
    robots: &Robots<'_>,
    dialect: &Dialect,
    findings: &mut Findings<'_>,
) -> Vec<GroupLines> {
    agents(robots, dialect, findings);
    several_agents(robots, findings);
    if robots.groups.is_empty() {
        findings.add(FindingKind::FileWithoutDisallow, 0, "the file has no record, so it forbids nothing");
    }
    let mut lines = walk(text, robots, dialect, findings);
    for (lines, group) in lines.iter_mut().zip(&robots.groups) {
        let blocking = robots.rules[group.rules.clone()].iter().find(|rule| !rule.allow);
        lines.disallows = blocking.is_some();
        for (&line, rule) in lines.empty.iter().zip(blocking.iter().cycle()) {
            let reason = "it says that nothing is forbidden, but other rules of the record do forbid something: it has no effect";
            findings.add_with(FindingKind::EmptyDisallow, line, reason, None, Some(Related::rule(rule)));
        }
    }
    lines
}

/// Reports agents that are not read as written, and those named twice.
fn agents(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    for named in robots.named(dialect) {
        let line = named.agent.line;
        misread(&named, dialect, findings);
        let Some(first) = named.first.filter(|_| named.everybody || !named.compared.is_empty()) else { continue };
        let kind = if named.everybody && first.group != named.group {
            FindingKind::EverybodyRepeated
        } else {
            FindingKind::AgentRepeated
        };
        let whom = if named.everybody { "every crawler".to_owned() } else { excerpt(named.compared) };
        let effect = match (first.group == named.group, dialect.groups) {
            (true, _) => "in the same record",
            (false, Groups::Merged) => "and the rules of both records are combined",
            (false, Groups::First) => "and only that first record is obeyed",
        };
        let reason = format!("line {} already names {whom}, {effect}", first.line);
        let related = Related { line: first.line, text: agent_line(robots, first.line) };
        findings.add_with(kind, line, reason, None, Some(related));
    }
}

/// Reports an agent that is not read as written.
fn misread(named: &Named<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let (line, value) = (named.agent.line, named.agent.value);
    match value {
        _ if !named.everybody && audience::means_everybody(value) => {
            let names = match named.compared {
                [] => "no crawler".to_owned(),
                compared => format!("only a crawler called {}", excerpt(compared)),
            };
            let reason = format!("only a lone * reliably names every crawler; here the line names {names}");
            let proposal = Some("User-agent: *".to_owned());
            findings.add_with(FindingKind::StarNotAlone, line, reason, proposal, None);
        }
        _ if !named.everybody
            && dialect.agent_line != AgentValue::ContainsName
            && audience::listed(value).is_some() =>
        {
            let names = audience::listed(value).unwrap_or_default();
            let whom = match named.compared.len() < value.len() && !named.compared.is_empty() {
                true => format!("only {}", excerpt(named.compared)),
                false => "no crawler: the whole text is taken for one name".to_owned(),
            };
            let reason = format!("a line names one crawler; this one names {whom}");
            let proposal = (names.len() <= PROPOSED).then(|| {
                let lines = names.iter().map(|name| format!("User-agent: {}", excerpt(name)));
                lines.collect::<Vec<_>>().join("\n")
            });
            findings.add_with(FindingKind::AgentsOnOneLine, line, reason, proposal, None);
        }
        [b'*', b' ' | b'\t' | 0x0b | 0x0c, ..] => {
            let means = if named.everybody { "every crawler, and the rest is ignored" } else { "no crawler" };
            let reason = format!("only a lone * reliably names every crawler; here the line names {means}");
            let proposal = audience::meant(value).map(|name| format!("User-agent: {name}"));
            findings.add_with(FindingKind::StarNotAlone, line, reason, proposal, None);
        }
        _ if named.is_cut() => {
            let reason = match named.compared {
                [] => "no crawler can have this name, so the line names no crawler".to_owned(),
                compared => format!("only {} is compared with the names of crawlers", excerpt(compared)),
            };
            let proposal = audience::meant(value).map(|name| format!("User-agent: {}", excerpt(name.as_bytes())));
            findings.add_with(FindingKind::AgentCut, line, reason, proposal, None);
        }
        _ if !named.everybody && value.contains(&b'*') => {
            let reason = "names of crawlers have no wildcards: this * is a plain character";
            findings.add(FindingKind::LiteralWildcard, line, reason);
        }
        _ => {}
    }
}

/// The `User-agent` line with this number, as text.
pub(super) fn agent_line(robots: &Robots<'_>, line: u32) -> String {
    let at = robots.agents.partition_point(|agent| agent.line < line);
    let value = robots.agents.get(at).map_or(b"".as_slice(), |agent| agent.value);
    format!("User-agent: {}", excerpt(value))
}

fn several_agents(robots: &Robots<'_>, findings: &mut Findings<'_>) {
    for group in robots.groups.iter().filter(|group| group.agents.len() > 1) {
        let second = robots.agents[group.agents.start + 1].line;
        let count = group.agents.len();
        let reason =
            format!("the record has {count} User-agent lines; crawlers of that time may read only one of them");
        findings.add(FindingKind::SeveralAgents, second, reason);
    }
}

/// Walks through the lines. Reports agents that share rules, and rules that lose their agents, because of the lines
/// between, and returns the lines of each group.
fn walk(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) -> Vec<GroupLines> {
    let mut lines = vec![GroupLines::default(); robots.groups.len()];
    let mut groups = robots.groups.iter().map(|group| robots.agents[group.agents.start].line).enumerate().peekable();
    let mut current = None;
    let mut outside = robots.notes.iter().filter(|note| note.kind == NoteKind::RuleOutsideGroup).peekable();
    let mut between = LinesBetween::default();
    for line in robots::lines(text, dialect) {
        let (key, value) = match robots::read(line.text, dialect.keys) {
            Line::Blank => {
                between.blank.get_or_insert(line.number);
                continue;
            }
            Line::Record { key: Key::Side(key), .. } if key != SideKey::Sitemap => {
                between.side = true;
                continue;
            }
            Line::Record { key: key @ (Key::UserAgent | Key::Allow | Key::Disallow), value, .. } => (key, value),
            _ => continue,
        };
        while outside.next_if(|note| note.line < line.number).is_some() {}
        let is_outside = outside.peek().is_some_and(|note| note.line == line.number);
        if let Some((group, _)) = groups.next_if(|&(_, first)| key == Key::UserAgent && first == line.number) {
            current = Some(group);
        } else if let Some(group) = current {
            let is_ignored = key == Key::Allow && dialect.allow == AllowLines::Ignored;
            if key != Key::UserAgent && !is_outside && !is_ignored {
                lines[group].add(key, line.number, value);
            }
            between.report(key, is_outside, dialect, findings);
        }
        between = LinesBetween { agent: (key == Key::UserAgent).then_some(line.number), ..LinesBetween::default() };
    }
    lines
}

/// The lines between two agents or rules that look like part of one record.
#[derive(Debug, Default)]
struct LinesBetween {
    /// The line before these, if it is an agent.
    agent: Option<u32>,
    /// The first blank line.
    blank: Option<u32>,
    /// Whether there is another record, such as `Crawl-delay`.
    side: bool,
}

impl LinesBetween {
    /// Reports problems with these lines, before a line that does not begin a record.
    fn report(&self, key: Key, is_outside: bool, dialect: &Dialect, findings: &mut Findings<'_>) {
        let next_is_agent = key == Key::UserAgent;
        match (dialect.boundary, self.blank, self.agent) {
            (Boundary::BlankLine, Some(blank), _) if is_outside => {
                let reason = "a blank line ends the record, so the rules after it apply to no crawler";
                findings.add(FindingKind::BlankLineInRecord, blank, reason);
            }
            (Boundary::RuleLine, Some(blank), _) if next_is_agent => {
                let reason =
                    "a blank line does not end a record, so the agents above it share the rules of the next one";
                findings.add(FindingKind::BlankLineInRecord, blank, reason);
            }
            (Boundary::RuleLine, None, Some(agent)) if next_is_agent && self.side => {
                let reason = "there is no rule between this agent and the next, so it shares the rules of that one";
                findings.add(FindingKind::RecordWithoutDisallow, agent, reason);
            }
            _ => {}
        }
    }
}
