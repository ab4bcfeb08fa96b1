//! `robosieve inspect`.

use clap::ValueHint;
use std::fmt::Write;
use std::process::ExitCode;

use super::args::{OriginChoicesArgs, PolicyFileArgs, ViewArgs, number, published};
use super::entry;
use super::error::{Failure, not_compiled};
use super::help::{CHOICES, OUTPUT, ROBOTS_TXT};
use super::say::print;
use super::sources::{crawlers_or_all, no_origin, origin_of};
use crate::formats::json::to_string_pretty;
use crate::policy::{Policy, Record};
use crate::robots::Agents;
use crate::show::inspect::{self, Bucket, Distribution, GroupCounts, Lifetimes, OriginEntry, OverrideCounts, Summary};

/// Show what a policy file contains, or its entry for one origin
///
/// Without an origin: the statuses of the origins, their groups, how much of their lifetime is left, the overrides, and the sizes
/// of the file's sections. With an origin: its state, and for each crawler the group that applies and why, its rules with line
/// numbers, how much is blocked, its crawl delay, and its other records. Exits with 0 on success, with 1 if there is no entry for
/// the origin, and with 2 on an error.
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
  robosieve inspect policy.rsv https://example.com --dot | dot -Tsvg > dfa.svg")]
pub struct InspectArgs {
    #[command(flatten)]
    pub policy: PolicyFileArgs,
    /// The origin, or any URL on it
    #[arg(value_name = "ORIGIN", value_hint = ValueHint::Url)]
    pub origin: Option<std::ffi::OsString>,
    /// One crawler of the policy, or a list [default: all]
    ///
    /// A list is in order of preference.
    #[arg(long, help_heading = ROBOTS_TXT, value_name = "NAME", value_parser = published)]
    pub agent: Option<Agents>,
    /// Print one JSON object, or null without an entry
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    /// Draw the automaton of the crawler's group (Graphviz)
    #[arg(long, help_heading = OUTPUT, requires = "origin", conflicts_with = "json")]
    pub dot: bool,
    /// The most items of a list, such as shared groups
    #[arg(long, help_heading = OUTPUT, default_value_t = 10, value_name = "N", value_parser = number, conflicts_with = "origin")]
    pub top: usize,
    /// Show the entry of the origin with or without www., if the policy has none of the origin itself
    #[arg(long, help_heading = CHOICES, hide_short_help = true)]
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
        let summary = Summary::of(&policy, &crawlers, now, args.top).map_err(not_compiled)?;
        print(&if args.json { to_string_pretty(&summary)? } else { summary_text(&summary, args.top) })?;
        return Ok(ExitCode::SUCCESS);
    };
    let origin = origin_of(given)?;
    let wrong = |problem| no_origin(&origin, problem);
    let entry = OriginEntry::of(&policy, origin.as_bytes(), &crawlers, choices).map_err(wrong)?;
    match (entry, policy.origin(origin.as_bytes())) {
        (Some(_), Some((policy, record))) if args.dot => print(drawing(args, policy, &record)?.trim_end())?,
        (Some(entry), _) => print(&if args.json { to_string_pretty(&entry)? } else { entry::text(&entry) })?,
        (None, _) => {
            print(&if args.json { "null".to_owned() } else { format!("{origin} is not in the policy") })?;
            return Ok(ExitCode::from(1));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn drawing(args: &InspectArgs, policy: &Policy, record: &Record<'_>) -> Result<String, Failure> {
    let crawler = policy.crawler(args.agent.as_ref())?;
    inspect::dot(policy, record, &crawler).ok_or_else(|| {
        let (origin, agent) = (String::from_utf8_lossy(record.origin), crawler.agents());
        let message =
            format!("there is no automaton to draw: no group of the robots.txt of {origin} applies to {agent}");
        message.into()
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_short() {
        let expected = ["0 s", "59 s", "1 min", "1 h", "1 d 12 h", "365 d"];
        assert_eq!([0, 59, 60, 3600, 129_600, 31_536_000].map(duration), expected);
        assert_eq!(duration(86_401), "1 d");
    }
}
