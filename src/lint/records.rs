//! Findings about lines that belong together: records, their agents, the blank lines between, and crawl delays.

use super::FindingKind;
use super::finding::{Findings, Related, excerpt};
use crate::dialect::{Boundary, CrawlDelay, Dialect, Groups};
use crate::robots::{self, Agents, Key, Line, NoteKind, Robots, SideKey, seconds};

/// Checks the records of a file.
pub(super) fn check(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    agents(robots, dialect, findings);
    several_agents(robots, findings);
    let with_disallow = walk(text, robots, dialect, findings);
    if robots.groups.is_empty() {
        findings.add(FindingKind::FileWithoutDisallow, 0, "the file has no record, so it forbids nothing");
    }
    for (group, _) in robots.groups.iter().zip(with_disallow).filter(|(_, with)| !with) {
        let says = if group.rules.is_empty() { "has no rule" } else { "only allows what is allowed anyway" };
        let reason = format!("the record {says}: without a Disallow line it forbids nothing");
        findings.add(FindingKind::RecordWithoutDisallow, robots.agents[group.agents.start].line, reason);
    }
}

/// Reports agents that are not read as written, and those named twice.
fn agents(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    for named in robots.named(dialect) {
        let (line, value) = (named.agent.line, named.agent.value);
        match value {
            [b'*', b' ' | b'\t' | 0x0b | 0x0c, ..] => {
                let means = if named.everybody { "every crawler, and the rest is ignored" } else { "no crawler" };
                let reason = format!("only a lone * reliably names every crawler; here the line names {means}");
                findings.add(FindingKind::StarNotAlone, line, reason);
            }
            _ if named.is_cut() => {
                let reason = match named.compared {
                    [] => "no crawler can have this name, so the line names no crawler".to_owned(),
                    compared => format!("only {} is compared with the names of crawlers", excerpt(compared)),
                };
                findings.add(FindingKind::AgentCut, line, reason);
            }
            _ if !named.everybody && value.contains(&b'*') => {
                let reason = "names of crawlers have no wildcards: this * is a plain character";
                findings.add(FindingKind::LiteralWildcard, line, reason);
            }
            _ => {}
        }
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

/// The `User-agent` line with this number, as text.
fn agent_line(robots: &Robots<'_>, line: u32) -> String {
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
/// between, and returns for each group whether it has a `Disallow`.
fn walk(text: &[u8], robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) -> Vec<bool> {
    let mut with_disallow = vec![false; robots.groups.len()];
    let mut groups = robots.groups.iter().map(|group| robots.agents[group.agents.start].line).enumerate().peekable();
    let mut current = None;
    let mut outside = robots.notes.iter().filter(|note| note.kind == NoteKind::RuleOutsideGroup).peekable();
    let mut between = LinesBetween::default();
    for line in robots::lines(text, dialect) {
        let key = match robots::read(line.text, dialect.keys) {
            Line::Blank => {
                between.blank.get_or_insert(line.number);
                continue;
            }
            Line::Record { key: Key::Side(key), .. } if key != SideKey::Sitemap => {
                between.side = true;
                continue;
            }
            Line::Record { key: key @ (Key::UserAgent | Key::Allow | Key::Disallow), .. } => key,
            _ => continue,
        };
        while outside.next_if(|note| note.line < line.number).is_some() {}
        let is_outside = outside.peek().is_some_and(|note| note.line == line.number);
        if let Some((group, _)) = groups.next_if(|&(_, first)| key == Key::UserAgent && first == line.number) {
            current = Some(group);
        } else if let Some(group) = current {
            with_disallow[group] |= key == Key::Disallow && !is_outside;
            between.report(key, is_outside, dialect, findings);
        }
        between = LinesBetween { agent: (key == Key::UserAgent).then_some(line.number), ..LinesBetween::default() };
    }
    with_disallow
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

/// The crawler whose page says which delays it accepts.
const BINGBOT: &str = "bingbot";

/// A time window from 1 to 30 seconds.
const BINGBOT_SECONDS: std::ops::RangeInclusive<f64> = 1.0..=30.0;

/// The dialect of a crawler that accepts no delays.
const GOOGLE: &str = "google";

const IGNORED: &str = "crawlers of this dialect ignore crawl delays; others may obey them";

/// Checks the delays that apply to a crawler with bounds and, if the dialect gives delays a meaning, all of them.
pub(super) fn check_crawl_delays(robots: &Robots<'_>, dialect: &Dialect, findings: &mut Findings<'_>) {
    let chosen = robots.select(&Agents::verbatim(BINGBOT), dialect).groups;
    for record in robots.side_records.iter().filter(|record| record.key == SideKey::CrawlDelay) {
        let delay = seconds(record.value);
        let is_bounded = record.group.is_some_and(|group| chosen.binary_search(&group).is_ok());
        match (dialect.crawl_delay, delay) {
            (CrawlDelay::Seconds, None) => {
                let reason = "a crawl delay is a number of seconds, with or without decimals";
                findings.add(FindingKind::CrawlDelayOutOfRange, record.line, reason);
            }
            (CrawlDelay::NotObeyed, _) => findings.add(FindingKind::CrawlDelayIgnored, record.line, IGNORED),
            // Google's page says so, and its rules are those of the dialect with this name.
            (CrawlDelay::Kept, _) if dialect.name == GOOGLE => {
                findings.add(FindingKind::CrawlDelayIgnored, record.line, IGNORED);
            }
            (CrawlDelay::Kept, delay) if is_bounded && !delay.is_some_and(|delay| BINGBOT_SECONDS.contains(&delay)) => {
                let reason = "bingbot, to which this record applies, accepts delays from 1 to 30 seconds";
                findings.add(FindingKind::CrawlDelayOutOfRange, record.line, reason);
            }
            _ => {}
        }
    }
}
