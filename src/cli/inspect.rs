//! `robosieve inspect`.

use clap::ValueHint;
use std::fmt::Write;
use std::process::ExitCode;

use super::args::{OriginChoicesArgs, PolicyFileArgs, ViewArgs, number, published};
use super::error::Failure;
use super::say::print;
use super::sources::{crawlers_or_all, origin_of};
use crate::formats::json::to_string_pretty;
use crate::formats::visible;
use crate::policy::{OriginStatus, Policy, Record, Ruling};
use crate::robots::{Agents, SideKey};
use crate::show::inspect::{
    self, AgentEntry, AnswerTimes, Blocked, Bucket, DelayEntry, Distribution, GroupCounts, GroupKind, KeptAnswer,
    Lifetimes, OriginEntry, OverrideCounts, SideLine, Summary,
};

/// Show what a policy file contains, or its entry for one origin
///
/// Without an origin: the statuses of the origins, their groups, how much of their lifetime is left, the overrides,
/// and the size of each section of the file. With an origin: its state, and for each crawler the group that was chosen
/// and why, its rules with line numbers, how much is blocked, its crawl delay, and its other records. Exits with 0 on success, with 1 if the
/// policy has no entry for the origin, and with 2 on an error.
#[derive(Debug, clap::Args)]
#[command(mut_args(|arg| match arg.get_id().as_str() {
    "now" => arg.conflicts_with("dot"),
    name if OriginChoicesArgs::has(name) || matches!(name, "content_signal" | "www_fallback") => {
        arg.requires("origin").conflicts_with("dot")
    }
    _ => arg,
}))]
#[command(after_help = "Examples:
  robosieve inspect policy.rsv
  robosieve inspect policy.rsv https://example.com/some/page
  robosieve inspect policy.rsv --json | jq .lifetimes
  robosieve inspect policy.rsv https://example.com --agent examplebot --dot | dot -Tsvg > automaton.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL on it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// Show only this crawler: one that the policy was compiled for, or a list of them in order of preference [default:
    /// all of them]
    #[arg(long, value_name = "NAME", value_parser = published)]
    pub agent: Option<Agents>,
    /// Print one JSON object, or null if the origin has no entry
    #[arg(long)]
    pub json: bool,
    /// Print the automaton of the crawler's group in Graphviz's DOT language
    #[arg(long, requires = "origin", conflicts_with = "json")]
    pub dot: bool,
    /// The maximum length of lists, such as the most shared groups and the origins with overrides
    #[arg(long, default_value_t = 10, value_name = "N", value_parser = number, conflicts_with = "origin")]
    pub top: usize,
    /// Show the entry of the origin with or without www., if the policy has none of the origin itself
    #[arg(long)]
    pub www_fallback: bool,
    #[command(flatten)]
    pub view: ViewArgs,
}

pub fn run(args: &InspectArgs) -> Result<ExitCode, Failure> {
    let now = args.view.of_origins.time();
    let choices = args.view.choices(now)?.www_fallback(args.www_fallback);
    let policy = args.policy.open()?;
    let crawlers = crawlers_or_all(args.agent.as_ref(), &policy)?;
    let Some(given) = &args.origin else {
        let summary = Summary::count(&policy, &crawlers, now, args.top)?;
        print(&if args.json { to_string_pretty(&summary)? } else { summary_text(&summary, args.top) })?;
        return Ok(ExitCode::SUCCESS);
    };
    let origin = origin_of(given)?;
    let wrong = |problem| Failure::Origin { given: origin.clone(), problem };
    let entry = OriginEntry::of(&policy, origin.as_bytes(), &crawlers, choices).map_err(wrong)?;
    match (entry, policy.origin(origin.as_bytes())) {
        (Some(_), Some((policy, record))) if args.dot => print(drawing(args, policy, &record)?.trim_end())?,
        (Some(entry), _) => print(&if args.json { to_string_pretty(&entry)? } else { entry_text(&entry) })?,
        (None, _) => {
            print(&if args.json { "null".to_owned() } else { format!("{origin} is not in the policy") })?;
            return Ok(ExitCode::from(1));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn drawing(args: &InspectArgs, policy: &Policy, record: &Record<'_>) -> Result<String, Failure> {
    let crawler = policy.find_crawler(args.agent.as_ref())?;
    inspect::dot(policy, record, &crawler).ok_or_else(|| Failure::NoAutomaton {
        origin: String::from_utf8_lossy(record.origin).into_owned(),
        agent: crawler.agents().to_string(),
    })
}

/// The facts known about an origin, one per line, without the final line feed.
fn entry_text(entry: &OriginEntry) -> String {
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
    let rule = |allow| if allow { "Allow" } else { "Disallow" };
    lines.extend(
        agent.rules.iter().map(|one| format!("  line {}: {}: {}", one.line, rule(one.allow), visible(&one.value))),
    );
    lines.extend(agent.crawl_delay.as_ref().map(|one| format!("  crawl delay: {}", delay(one))));
    let says = |one: &SideLine| {
        let said = one.says.iter().map(|(name, preference)| format!("{name} {preference}"));
        if one.says.is_empty() { String::new() } else { format!("; {}", said.collect::<Vec<_>>().join(", ")) }
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

/// The width of the first column.
const WIDTH: usize = 32;

/// The summary as tables, without the final line feed; lists have at most `most` lines.
fn summary_text(summary: &Summary, most: usize) -> String {
    let mut table = TextTable::default();
    table.origins(summary);
    table.groups(&summary.groups);
    table.lifetimes(&summary.lifetimes);
    table.overrides(&summary.overrides);
    table.html_pages(&summary.html_pages, most);
    table.sources(summary);
    table.title("section", &["bytes", "per origin"]);
    for section in &summary.sections {
        table.row(section.name, &[section.bytes.to_string(), format!("{:.1}", section.per_origin)]);
    }
    let all = summary.bytes as f64 / summary.origins.max(1) as f64;
    table.row("all, with the header", &[summary.bytes.to_string(), format!("{all:.1}")]);
    table.0.trim_end().to_owned()
}

/// Rows of a name and numbers, in titled blocks.
#[derive(Default)]
struct TextTable(String);

impl TextTable {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{line}");
    }

    fn title(&mut self, name: &str, columns: &[&str]) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        let columns: Vec<String> = columns.iter().map(|&column| column.to_owned()).collect();
        self.row(name, &columns);
    }

    fn row(&mut self, name: &str, columns: &[String]) {
        let columns: String = columns.iter().map(|column| format!(" {column:>15}")).collect();
        let line = format!("{name:<WIDTH$}{columns}");
        self.line(format_args!("{}", line.trim_end()));
    }

    fn counts(&mut self, rows: &[(&str, u64)]) {
        for (name, count) in rows {
            self.row(name, &[count.to_string()]);
        }
    }

    fn distribution(&mut self, distribution: &Distribution, name: impl Fn(&Bucket) -> String) {
        for bucket in distribution.used() {
            self.row(&name(bucket), &[bucket.count.to_string()]);
        }
    }

    fn origins(&mut self, summary: &Summary) {
        self.title("state", &["origins", "share", "with last good"]);
        let all = summary.origins.max(1) as f64;
        for count in summary.origin_statuses.iter().filter(|count| count.origins > 0) {
            let share = format!("{:.2}%", 100.0 * count.origins as f64 / all);
            self.row(count.origin_status.name(), &[count.origins.to_string(), share, count.last_good.to_string()]);
        }
        self.row("all", &[summary.origins.to_string()]);
        self.title("status", &["origins"]);
        for count in &summary.statuses {
            let status = count.status.map_or_else(|| "none".to_owned(), |status| status.to_string());
            self.row(&status, &[count.origins.to_string()]);
        }
        self.title("crawler", &["own group", "group of *", "no group"]);
        for counts in &summary.agents {
            self.row(&counts.agent, &[counts.own, counts.everybody, counts.none].map(|count| count.to_string()));
        }
    }

    fn groups(&mut self, groups: &GroupCounts) {
        self.title("engine", &["distinct groups"]);
        let GroupCounts { automata, constant, dfa, cursors, .. } = *groups;
        self.counts(&[("constant", constant), ("dfa", dfa), ("cursors", cursors), ("all", automata)]);
        self.title("rules per group", &["groups"]);
        self.distribution(&groups.rules, |bucket| match bucket.below {
            Some(below) if below == bucket.from + 1 => bucket.from.to_string(),
            Some(below) => format!("{} to {}", bucket.from, below - 1),
            None => format!("{} or more", bucket.from),
        });
        self.row("distinct as written", &[groups.as_written.to_string()]);
        self.title("most shared groups, first origin", &["origins", "rules", "bytes", "engine"]);
        for group in &groups.most_shared {
            let numbers = [group.origins, group.rules, group.bytes].map(|number| number.to_string());
            self.row(&group.example, &[&numbers[..], &[group.engine.to_string()]].concat());
        }
    }

    fn lifetimes(&mut self, lifetimes: &Lifetimes) {
        self.title("lifetime", &["origins"]);
        let expires = if lifetimes.expires_header { ", or the Expires header" } else { "" };
        self.line(format_args!("at {}, with the dialect's {}{expires}", lifetimes.at, duration(lifetimes.lifetime)));
        self.row("fresh", &[lifetimes.fresh.to_string()]);
        let bounds = |bucket: &Bucket| match bucket.below {
            Some(below) if bucket.from == 0 => format!("below {}", duration(below)),
            Some(below) => format!("{} to {}", duration(bucket.from), duration(below)),
            None => format!("{} or more", duration(bucket.from)),
        };
        self.distribution(&lifetimes.left, |bucket| format!("  left: {}", bounds(bucket)));
        self.row("stale", &[lifetimes.stale.to_string()]);
        self.distribution(&lifetimes.over, |bucket| format!("  stale for: {}", bounds(bucket)));
        self.counts(&[("unknown age", lifetimes.unknown), ("without an age", lifetimes.ageless)]);
    }

    fn overrides(&mut self, overrides: &OverrideCounts) {
        self.title("override", &["origins"]);
        self.counts(&[
            ("allow-all", overrides.allow_all),
            ("forbid-all", overrides.forbid_all),
            ("robots-txt", overrides.robots_txt),
            ("crawl-delay", overrides.crawl_delays),
            ("paused", overrides.paused),
            ("pause has ended", overrides.pauses_over),
            ("all", overrides.origins),
        ]);
        for one in &overrides.first {
            let parts = [
                one.ruling.map(str::to_owned),
                one.paused_until.as_ref().map(|until| format!("paused until {until}")),
                one.crawl_delay.as_ref().map(|delay| format!("crawl-delay {delay}")),
            ];
            self.line(format_args!("  {}: {}", one.origin, parts.into_iter().flatten().collect::<Vec<_>>().join(", ")));
        }
        self.more(overrides.origins - overrides.first.len() as u64);
    }

    fn html_pages(&mut self, origins: &[String], most: usize) {
        self.title("HTML pages read as robots.txt", &["origins"]);
        self.row("all", &[origins.len().to_string()]);
        for origin in origins.iter().take(most) {
            self.line(format_args!("  {origin}"));
        }
        self.more(origins.len().saturating_sub(most) as u64);
    }

    /// Adds the number of items not listed.
    fn more(&mut self, count: u64) {
        if count > 0 {
            self.line(format_args!("  and {count} more"));
        }
    }

    fn sources(&mut self, summary: &Summary) {
        self.title("answers kept", &["count"]);
        for (kind, count) in &summary.answers {
            self.row(kind.name(), &[count.to_string()]);
        }
        self.counts(&[
            ("last good answers in use", summary.last_good),
            ("URLs that are no robots.txt of an origin", summary.other_urls),
        ]);
        self.title("dropped from robots.txt", &["count"]);
        for (kind, count) in summary.dropped.iter() {
            self.row(kind.name(), &[count.to_string()]);
        }
    }
}

/// A duration in its two largest units, such as `1 d 12 h`.
fn duration(seconds: u64) -> String {
    let units = [(86_400, "d"), (3600, "h"), (60, "min"), (1, "s")];
    let mut rest = seconds;
    let parts = units.iter().map(|&(length, unit)| {
        let count = rest / length;
        rest %= length;
        (count, unit)
    });
    let parts: Vec<String> = parts
        .skip_while(|(count, _)| *count == 0)
        .take(2)
        .filter(|(count, _)| *count > 0)
        .map(|(count, unit)| format!("{count} {unit}"))
        .collect();
    if parts.is_empty() { "0 s".to_owned() } else { parts.join(" ") }
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
    fn durations_and_numbers_are_short() {
        let expected = ["0 s", "59 s", "1 min", "1 h", "1 d 12 h", "365 d"];
        assert_eq!([0, 59, 60, 3600, 129_600, 31_536_000].map(duration), expected);
        assert_eq!(duration(86_401), "1 d");
        assert_eq!([8640.0, 0.5, 100.0, 1.234].map(short), ["8640", "0.5", "100", "1.23"]);
    }
}
