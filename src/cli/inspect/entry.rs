//! The entry of an origin, for people.

use super::numbers::number;
use crate::formats::visible;
use crate::policy::{OriginStatus, Ruling};
use crate::robots::SideKey;
use crate::show::inspect::{AgentEntry, AnswerTimes, DelayEntry, GroupKind, KeptAnswer, OriginEntry, SideLine};

/// The facts known about an origin, one per line, without the final line feed.
pub fn text(entry: &OriginEntry) -> String {
    let mut lines = vec![entry.origin.clone()];
    lines.extend(state(entry).into_iter().map(|(name, value)| format!("{name:<18}{value}")));
    lines.extend(
        entry.sitemaps.iter().map(|sitemap| format!("{:<18}{}", "sitemap", at_line(sitemap.line, &sitemap.value))),
    );
    for agent in &entry.agents {
        lines.push(String::new());
        lines.extend(of_agent(agent, entry));
    }
    lines.join("\n")
}

/// The state of the origin, as names and values.
fn state(entry: &OriginEntry) -> Vec<(&'static str, String)> {
    let status = entry.status.map_or_else(String::new, |status| format!(" (status {status})"));
    let mut facts = vec![("state", format!("{}{status}", entry.origin_status.name()))];
    let mut fact = |name, value: &Option<String>| facts.extend(value.clone().map(|value| (name, value)));
    fact("fetched at", &entry.answer.fetched_at);
    fact("expires", &entry.answer.expires);
    fact("unreachable since", &entry.unreachable_since);
    if let Some(good) = &entry.last_good {
        let at = good.answer.fetched_at.as_ref().map_or_else(String::new, |at| format!(", fetched at {at}"));
        let expires = good.answer.expires.as_ref().map_or_else(String::new, |at| format!(", expires {at}"));
        fact("last good", &Some(format!("{}{at}{expires}", good.origin_status.name())));
    }
    if let (Some(until), Some(stale)) = (&entry.usable_until, entry.stale) {
        let age = if stale { "stale" } else { "fresh" };
        fact("lifetime", &Some(format!("{age}, until {until}")));
    }
    if entry.html_page {
        fact("content", &Some("looks like an HTML page".to_owned()));
    }
    if let Some(operator_override) = &entry.operator_override {
        let paused = if operator_override.paused { "paused" } else { "was paused" };
        let parts = [
            operator_override.ruling.map(|ruling| ruling.name().to_owned()),
            operator_override.paused_until.as_ref().map(|until| format!("{paused} until {until}")),
            operator_override.crawl_delay.as_ref().map(|delay| format!("crawl-delay {delay}")),
        ];
        fact("override", &Some(parts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
    }
    facts.extend(entry.answers.iter().map(|answer| ("answer", answered(answer))));
    facts.extend(entry.needed.iter().map(|url| ("needed", visible(url).to_string())));
    facts
}

/// An answer that is kept: its kind, status and times, and where a redirect leads.
fn answered(answer: &KeptAnswer) -> String {
    let KeptAnswer { kind, status, answer: AnswerTimes { fetched_at, expires }, incomplete, target } = answer;
    let parts = [
        status.map(|status| format!(" (status {status})")),
        incomplete.then(|| ", incomplete".to_owned()),
        fetched_at.as_ref().map(|at| format!(", fetched at {at}")),
        expires.as_ref().map(|at| format!(", expires {at}")),
        target.as_ref().map(|url| format!(", to {}", visible(url))),
    ];
    let rest: String = parts.into_iter().flatten().collect();
    format!("{}{rest}", kind.name())
}

/// The group of a crawler, why it applies, its rules, and its other records.
fn of_agent(agent: &AgentEntry, entry: &OriginEntry) -> Vec<String> {
    let mut lines = vec![format!("{}: {}", agent.agent, why(agent, entry))];
    if let Some(engine) = agent.engine {
        let engine = format!("{engine:?}").to_lowercase();
        let rules = agent.rules.len();
        lines.push(format!("  {rules} rule{}; {engine}", if rules == 1 { "" } else { "s" }));
    }
    let rule = |allow| if allow { "Allow" } else { "Disallow" };
    lines.extend(
        agent.rules.iter().map(|one| format!("  line {}: {}: {}", one.line, rule(one.allow), visible(&one.value))),
    );
    lines.extend(agent.crawl_delay.as_ref().map(|one| format!("  crawl delay: {}", delay(one))));
    let side = |one: &SideLine| format!("  {}: {}", one.key.name(), at_line(one.line, &one.value));
    let is_told = |one: &&SideLine| agent.crawl_delay.as_ref().is_some_and(|delay| is_delay(one, delay));
    lines.extend(agent.side_records.iter().filter(|one| !is_told(one)).map(side));
    lines
}

/// Whether a record is the crawl delay in effect.
fn is_delay(record: &SideLine, delay: &DelayEntry) -> bool {
    record.key == SideKey::CrawlDelay && record.line == delay.line
}

/// Which group applies, and why.
fn why(agent: &AgentEntry, entry: &OriginEntry) -> String {
    let named: Vec<String> =
        agent.user_agent.iter().map(|one| format!("User-agent: {} (line {})", visible(&one.value), one.line)).collect();
    let named = named.join(", ");
    let has_robots_txt = match entry.operator_override.as_ref().and_then(|entry| entry.ruling) {
        Some(ruling) => ruling == Ruling::RobotsTxt,
        None => {
            entry.last_good.as_ref().map_or(entry.origin_status, |good| good.origin_status) == OriginStatus::RobotsTxt
        }
    };
    match agent.group {
        GroupKind::Own => {
            let token = agent.token.as_ref().filter(|token| **token != agent.agent);
            let token = token.map_or_else(String::new, |token| format!(" as {token}"));
            format!("its own group{token}, by {named}")
        }
        GroupKind::Everybody if agent.agent == "*" => format!("the group of *, by {named}"),
        GroupKind::Everybody => format!("the group of *, because it has no group of its own, by {named}"),
        GroupKind::None if has_robots_txt => "no group, neither its own nor that of *".to_owned(),
        GroupKind::None => "no group, because there is no robots.txt".to_owned(),
    }
}

fn delay(delay: &DelayEntry) -> String {
    let said = at_line(delay.line, &delay.value);
    match (delay.seconds, delay.pages_a_day) {
        (Some(seconds), Some(pages)) => {
            format!("{said}; one fetch every {} seconds, {} pages a day", number(seconds), number(pages))
        }
        (Some(_), None) => format!("{said}; no limit"),
        (None, _) => format!("{said}; kept as written, not in effect"),
    }
}

/// A value with its line number.
fn at_line(line: u32, value: &str) -> String {
    let value = visible(value);
    if line == 0 { format!("{value} (from the override)") } else { format!("{value} (line {line})") }
}
