//! What a policy knows of an origin, as text for people: its state, and for each crawler its group, its rules and its other records.
//!
//! `inspect` shows the whole entry, `check` the parts of it that decided on a URL.

use crate::formats::visible;
use crate::policy::{OriginStatus, Ruling};
use crate::robots::SideKey;
use crate::rules::KeptRule;
use crate::show::inspect::{
    AgentEntry, AgentLine, AnswerTimes, Blocked, DelayEntry, GroupKind, KeptAnswer, OriginEntry, SideLine, Uses,
};

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
    let KeptAnswer { kind, status, answer: AnswerTimes { fetched_at, expires }, incomplete, not_text, target } = answer;
    let parts = [
        status.map(|status| format!(" (status {status})")),
        incomplete.then(|| ", incomplete".to_owned()),
        not_text.then(|| ", no text".to_owned()),
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
        let rules = agent.rules.len();
        lines.push(format!("  {rules} rule{}; {engine}", if rules == 1 { "" } else { "s" }));
    }
    lines.push(format!("  {}", blocked(agent.blocked)));
    lines.extend(agent.rules.iter().map(|one| format!("  {}", rule(one))));
    lines.extend(agent.crawl_delay.as_ref().map(|one| format!("  crawl delay: {}", delay(one))));
    let says = |one: &SideLine| {
        if one.says.is_empty() { String::new() } else { format!("; {}", uses(&one.says)) }
    };
    let side = |one: &SideLine| format!("  {}: {}{}", one.key.name(), at_line(one.line, &one.value), says(one));
    let is_told = |one: &&SideLine| agent.crawl_delay.as_ref().is_some_and(|delay| is_delay(one, delay));
    lines.extend(agent.side_records.iter().filter(|one| !is_told(one)).map(side));
    lines
}

fn blocked(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::None => "no path is blocked",
        Blocked::Some => "some paths are blocked",
        Blocked::All => "all paths are blocked",
        Blocked::Deferred => "no verdict now",
        Blocked::Undecided => "some or all paths may be blocked: the rules are too intricate to tell",
    }
}

/// Whether a record is the crawl delay in effect.
fn is_delay(record: &SideLine, delay: &DelayEntry) -> bool {
    record.key == SideKey::CrawlDelay && record.line == delay.line
}

/// Whose group applies, and why.
fn why(agent: &AgentEntry, entry: &OriginEntry) -> String {
    let by = group(&agent.user_agent);
    match agent.group {
        GroupKind::Own => {
            let token = agent.token.as_ref().filter(|token| **token != agent.agent);
            let token = token.map_or_else(String::new, |token| format!(" as {token}"));
            format!("its own group{token}, by {by}")
        }
        GroupKind::Everybody if agent.agent == "*" => format!("the group of *, by {by}"),
        GroupKind::Everybody => format!("the group of *, because it has no group of its own, by {by}"),
        GroupKind::None => without_group(entry),
    }
}

/// Why no group applies.
fn without_group(entry: &OriginEntry) -> String {
    let last = (entry.origin_status, entry.status);
    let (origin_status, status) = entry.last_good.as_ref().map_or(last, |good| (good.origin_status, None));
    match (entry.operator_override.as_ref().and_then(|entry| entry.ruling), origin_status) {
        (Some(Ruling::RobotsTxt), _) | (None, OriginStatus::RobotsTxt) => {
            "no group, neither its own nor that of *".to_owned()
        }
        (Some(_), _) => "no group: the operator's ruling stands in place of the robots.txt".to_owned(),
        (None, _) => format!("no group: {}", status_meaning(origin_status, status)),
    }
}

/// What the state of an origin without rules means for its lines, with the status of the answer.
pub fn status_meaning(origin_status: OriginStatus, status: Option<u16>) -> String {
    let why = match origin_status {
        OriginStatus::RobotsTxt => return "no group applies".to_owned(),
        OriginStatus::Unfetched => return "its robots.txt was never fetched".to_owned(),
        OriginStatus::Unavailable if status.is_some_and(|status| (300..400).contains(&status)) => {
            "robots.txt redirects to a missing one, in a loop or too often, which counts as no robots.txt"
        }
        OriginStatus::Unavailable => "there is no robots.txt",
        OriginStatus::Forbidden => "robots.txt itself is refused",
        OriginStatus::Unreachable => "robots.txt is unreachable",
        OriginStatus::RedirectUnresolved => "robots.txt redirects to a URL that was not fetched",
        OriginStatus::Incomplete => "robots.txt was sent in part or damaged",
        OriginStatus::NotText => "robots.txt is no text, but an archive or an image, for example",
        OriginStatus::NotModified => "robots.txt was not modified, but no earlier response is known",
    };
    status.map_or_else(|| why.to_owned(), |status| format!("{why} (status {status})"))
}

/// The `User-agent` lines of a group: `User-agent: a (line 1), b (line 2)`.
pub fn group(lines: &[AgentLine]) -> String {
    let lines = lines.iter().map(|AgentLine { line, value, .. }| format!("{} (line {line})", visible(value)));
    format!("User-agent: {}", lines.collect::<Vec<_>>().join(", "))
}

/// A rule: `line 3: Disallow: /private`.
pub fn rule(rule: &KeptRule) -> String {
    visible(rule.to_string()).to_string()
}

/// The preferences about uses, as text: `train-ai n, search y`.
pub fn uses(said: &Uses) -> String {
    said.iter().map(|(name, preference)| format!("{name} {preference}")).collect::<Vec<_>>().join(", ")
}

fn delay(delay: &DelayEntry) -> String {
    let said = at_line(delay.line, &delay.value);
    match (delay.seconds, delay.pages_a_day) {
        (Some(seconds), Some(pages)) => {
            format!("{said}; one fetch every {} seconds, {} pages a day", short(seconds), short(pages))
        }
        (Some(_), None) => format!("{said}; no limit"),
        (None, _) => format!("{said}; kept as written, not in effect"),
    }
}

fn at_line(line: u32, value: &str) -> String {
    let value = visible(value);
    if line == 0 { format!("{value} (from the override)") } else { format!("{value} (line {line})") }
}

/// A number with at most two decimals.
fn short(number: f64) -> String {
    let text = format!("{number:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!([8640.0, 0.5, 100.0, 1.234].map(short), ["8640", "0.5", "100", "1.23"]);
    }
}
