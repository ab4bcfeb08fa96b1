//! Facts other than verdicts: how each kind runs, or why it does not.

use robosieve::internals::dialect::{CrawlDelay, StatusMeaning};
use robosieve::internals::robots::{Agents, GroupOrigin, Note, NoteKind, Robots, SideKey, decode};
use robosieve::internals::rules::Patterns;
use robosieve::internals::{Axes, RuleSetParts};
use robosieve::{Dialect, RuleSet, Verdict, origin};
use serde_json::{Value, json};

use super::record::Record;
use super::side;
use crate::support::google_path;

/// The outcome of a fact.
#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// It holds.
    Holds,
    /// It does not hold; the text says what we have instead.
    Differs(String),
    /// We have no equivalent, for this reason.
    NotApplicable(&'static str),
}

use Outcome::{Differs, Holds, NotApplicable};

/// The dialect to run a fact under: the one it names, else the default.
pub fn dialect(record: &Record) -> &'static Dialect {
    record.named_dialect().unwrap_or(Dialect::DEFAULT)
}

/// Runs a fact.
pub fn check(record: &Record) -> Outcome {
    let dialect = dialect(record);
    match record.kind.as_str() {
        "crawl-delay" => delay(record, dialect, 1.0),
        "crawl-delay-ms" => delay(record, dialect, 1000.0),
        "request-rate" | "visit-time" | "host" | "clean-param" | "content-signal" => side_value(record, dialect),
        "sitemap" | "sitemaps" | "sitemaps-count" => sitemaps(record, dialect),
        "robots-url" => robots_url(record),
        "scope" => scope(record),
        "url-to-path" => url_to_path(record, dialect),
        "status" => status(record, dialect),
        "redirects" => redirects(record, dialect),
        "cache" => is(&json!(cache(dialect)), &record.expect),
        "limit" => is(&json!(dialect.file_limit() >= 512_000), &json!(true)),
        "agent-valid" => agent_valid(record),
        "escape-pattern" => escape_pattern(record, dialect),
        "matching-line" => matching_line(record, dialect),
        "explicitly-disallowed" => explicitly_disallowed(record, dialect),
        "line-count" => line_count(record, dialect),
        "groups" => groups(record, dialect),
        "parse-error" => parse_error(record, dialect),
        kind => NotApplicable(reason(kind)),
    }
}

/// Why a kind of fact does not run.
fn reason(kind: &str) -> &'static str {
    match kind {
        "comment" | "robot-version" | "llm-policy" | "content-signals" | "noindex" => {
            "no record of that name is kept; the line is noted as unknown"
        }
        "crawl-delay-range" => "advice to webmasters on values, not on how to read them",
        "line-report" => "one library's report on the syntax of each line; ours are notes on what was dropped",
        kind => panic!("no rule for facts of kind {kind}"),
    }
}

fn is(ours: &Value, expected: &Value) -> Outcome {
    if ours == expected { Holds } else { Differs(format!("{ours}, expected {expected}")) }
}

fn compile(record: &Record, dialect: &Dialect) -> RuleSet {
    RuleSet::compile(&record.robots(), &record.agents(dialect), dialect)
}

/// The values of one side record that the crawler should see, in file order.
fn values(rules: &RuleSet, key: SideKey) -> Vec<String> {
    let of_key = rules.side_records().filter(|(name, ..)| *name == key.name());
    of_key.map(|(_, value, _)| String::from_utf8_lossy(value).into_owned()).collect()
}

/// A delay in seconds; the first one counts. In a dialect that does not obey delays, none is in effect.
fn delay(record: &Record, dialect: &Dialect, unit: f64) -> Outcome {
    let rules = compile(record, dialect);
    let values = values(&rules, SideKey::CrawlDelay);
    if let Value::String(raw) = &record.expect {
        return is(&json!(values.first()), &json!(raw));
    }
    let obeyed = dialect.crawl_delay() != CrawlDelay::NotObeyed;
    let seconds = values.first().filter(|_| obeyed).and_then(|value| value.parse::<f64>().ok());
    let ours = seconds.filter(|seconds| seconds.is_finite() && *seconds >= 0.0).map(|seconds| seconds * unit);
    let same = ours == record.expect.as_f64() || (ours.is_none() && record.expect.is_null());
    if same { Holds } else { Differs(format!("{values:?}, expected {}", record.expect)) }
}

/// A side record, whose value is kept as written; where the source expects its parts, they are parsed here.
fn side_value(record: &Record, dialect: &Dialect) -> Outcome {
    let (key, parts): (SideKey, fn(&str) -> Value) = match record.kind.as_str() {
        "request-rate" => (SideKey::RequestRate, side::request_rate),
        "visit-time" => (SideKey::VisitTime, side::visit_time),
        "host" => (SideKey::Host, |value| json!(value)),
        "clean-param" => (SideKey::CleanParam, |value| json!(value)),
        _ => (SideKey::ContentSignal, side::content_signal),
    };
    let values = values(&compile(record, dialect), key);
    let ours = match (&record.expect, values.first()) {
        // One source writes "none" as an empty string.
        (Value::String(nothing), None) if nothing.is_empty() => json!(""),
        (_, None) => Value::Null,
        (Value::Object(_), Some(value)) => parts(value),
        (_, Some(value)) => json!(value),
    };
    let differs = Differs(format!("{values:?}, expected {}", record.expect));
    if side::same(&ours, &record.expect) { Holds } else { differs }
}

fn sitemaps(record: &Record, dialect: &Dialect) -> Outcome {
    let values = values(&compile(record, dialect), SideKey::Sitemap);
    let ours = match record.kind.as_str() {
        "sitemap" => json!(values.first()),
        "sitemaps-count" => json!(values.len()),
        _ => json!(values),
    };
    is(&ours, &record.expect)
}

/// The origin of a URL, if we would fetch a robots.txt for it.
fn origin_of(url: &[u8]) -> Option<String> {
    origin::split(url).ok().map(|(origin, _)| origin.into_owned())
}

fn robots_url(record: &Record) -> Outcome {
    is(&json!(origin_of(&record.url()).map(|origin| origin::robots_url(&origin))), &record.expect)
}

fn scope(record: &Record) -> Outcome {
    let of_robots = record.robots_url.as_ref().and_then(|url| origin_of(url.as_bytes()));
    let of_url = origin_of(&record.url());
    is(&json!(of_url.is_some() && of_url == of_robots), &record.expect)
}

/// For absolute URLs the library's own path must match; for any other text only a helper of these tests cuts like Google.
fn url_to_path(record: &Record, dialect: &Dialect) -> Outcome {
    let url = record.url();
    let ours = match origin::split(&url) {
        Ok((_, rest)) => dialect.url_path().of(rest).into_owned(),
        Err(_) if record.dialect == "google" => google_path(&url),
        Err(_) => return NotApplicable("no absolute URL: what a list calls invalid has no path"),
    };
    is(&json!(String::from_utf8_lossy(&ours)), &record.expect)
}

fn status(record: &Record, dialect: &Dialect) -> Outcome {
    let meaning = |status| match dialect.status_meaning(status) {
        StatusMeaning::Parse => "parse",
        StatusMeaning::Redirect => "follow",
        StatusMeaning::Unavailable => "allowed",
        StatusMeaning::Forbidden => "blocked",
        // Nothing deferred is fetched, so it counts as blocked.
        StatusMeaning::Unreachable | StatusMeaning::NotModified => "blocked",
    };
    let expected = record.expect.as_str().expect("a word");
    let ours = match record.status.as_ref().expect("a status") {
        Value::Number(status) => {
            meaning(status.as_u64().and_then(|status| u16::try_from(status).ok()).expect("a status"))
        }
        Value::String(class) => match class.as_str() {
            "2xx" => meaning(204),
            "3xx" => meaning(307),
            "4xx" => meaning(410),
            "5xx" => meaning(504),
            // Any status that means no answer.
            "timeout" | "network error" => meaning(0),
            "5xx for 30 days" => return NotApplicable("an option of the program, not of the dialect"),
            "200, body in UTF-16" => {
                return NotApplicable("UTF-16 is decoded here; see the verdicts on byte order marks");
            }
            class => panic!("no rule for status {class}"),
        },
        status => panic!("no rule for status {status}"),
    };
    let expected_value = match expected {
        // Parsing an empty body allows everything.
        "allowed" if ours == "parse" => "parse",
        "allowed" | "blocked" | "parse" => expected,
        // Mandelbot's words for the action to take.
        "stop crawling, resume later" => "blocked",
        words if words.starts_with("retry later") => "blocked",
        words if words.starts_with("follow redirects") => "follow",
        words => panic!("no rule for {words}"),
    };
    is(&json!(ours), &json!(expected_value))
}

fn redirects(record: &Record, dialect: &Dialect) -> Outcome {
    let hops = record.redirects.expect("a number of redirects");
    let ours = match dialect.redirects().beyond {
        _ if hops <= dialect.redirects().hops => "parse",
        StatusMeaning::Unavailable => "allowed",
        _ => "blocked",
    };
    is(&json!(ours), &record.expect)
}

fn cache(dialect: &Dialect) -> String {
    let hours = dialect.lifetime().seconds / 3600;
    if hours > 24 { format!("up to {hours} hours") } else { format!("at most {hours} hours") }
}

/// A token is valid if it is accepted unchanged.
fn agent_valid(record: &Record) -> Outcome {
    let parsed = record.agent().parse::<Agents>();
    is(&json!(parsed.is_ok_and(|agents| agents.tokens() == [record.agent()])), &record.expect)
}

/// Compares the pattern in the form in which the library keeps it.
fn escape_pattern(record: &Record, dialect: &Dialect) -> Outcome {
    let file = format!("User-agent: *\nDisallow: {}\n", record.pattern.as_ref().expect("a pattern"));
    let robots = Robots::parse(file.as_bytes(), dialect);
    let patterns = Patterns::rank(robots.rules.iter(), dialect);
    is(&json!(String::from_utf8_lossy(patterns.text())), &record.expect)
}

fn matching_line(record: &Record, dialect: &Dialect) -> Outcome {
    let rules = compile(record, dialect);
    let line = rules.explain(record.path(dialect)).rule.map_or(-1, |rule| i64::from(rule.line));
    is(&json!(line), &record.expect)
}

fn explicitly_disallowed(record: &Record, dialect: &Dialect) -> Outcome {
    let rules = compile(record, dialect);
    let own = matches!(rules.origin(), GroupOrigin::Own(_));
    is(&json!(own && rules.verdict(record.path(dialect)) == Verdict::Blocked), &record.expect)
}

/// Counts lines: `User-agent` lines, rules and records that are kept, rules outside every group, and unknown
/// records.
fn line_count(record: &Record, dialect: &Dialect) -> Outcome {
    let file = record.robots();
    let mut notes: Vec<Note> = Vec::new();
    let text = decode(&file, dialect, &mut notes);
    let robots = Robots::parse(&text, dialect);
    let noted = |kind| robots.notes.iter().filter(|note| note.kind == kind).count();
    let read = robots.agents.len() + robots.rules.len() + robots.side_records.len();
    let lines = robots.rules.iter().map(|rule| rule.line).chain(robots.agents.iter().map(|agent| agent.line));
    let mut differs = Vec::new();
    for (name, expected) in record.expect.as_object().expect("counts") {
        let ours = match name.as_str() {
            "valid_directives" => read + noted(NoteKind::RuleOutsideGroup),
            "unknown_directives" => noted(NoteKind::UnknownRecord),
            "last_directive_line" => lines.clone().max().unwrap_or(0) as usize,
            "last_line" => return NotApplicable("the empty text after the last line end is no line here"),
            name => panic!("no rule for {name}"),
        };
        if json!(ours) != *expected {
            differs.push(format!("{name} {ours}, expected {expected}"));
        }
    }
    if differs.is_empty() { Holds } else { Differs(differs.join("; ")) }
}

/// Groups with their agents' names and their rules in no order; the patterns in the form that is compared.
fn groups(record: &Record, dialect: &Dialect) -> Outcome {
    let file = record.robots();
    let robots = Robots::parse(&file, dialect);
    let group = |group: &robosieve::internals::robots::Group| {
        let names = robots.agents[group.agents.clone()].iter().map(|agent| String::from_utf8_lossy(agent.value));
        let (everybody, names): (Vec<_>, Vec<_>) = names.partition(|name| name == "*");
        let rules = robots.rules[group.rules.clone()].iter().map(|rule| {
            let patterns = Patterns::rank([rule].into_iter(), dialect);
            (if rule.allow { "allow" } else { "disallow" }, String::from_utf8_lossy(patterns.text()).into_owned())
        });
        let mut rules: Vec<_> = rules.collect();
        rules.sort();
        json!({"agents": names, "global": !everybody.is_empty(), "rules": rules})
    };
    is(&robots.groups.iter().map(group).collect(), &record.expect)
}

/// No robots.txt is rejected: lines not understood are noted, and the rest counts (RFC 9309 2.3.1.5).
fn parse_error(record: &Record, dialect: &Dialect) -> Outcome {
    let (file, mut notes) = (record.robots(), Vec::new());
    let text = decode(&file, dialect, &mut notes);
    let robots = Robots::parse(&text, dialect);
    if record.expect.is_null() || robots.notes.iter().any(|note| note.kind == NoteKind::RuleOutsideGroup) {
        return Holds;
    }
    NotApplicable("no robots.txt is refused; the value is kept as it is, or the bytes are skipped with their line")
}
