//! `robosieve check`.

use clap::ValueHint;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use super::args::{CrawlerArgs, PolicyArgs, ReadingArgs, RequiredArgs, StatusesArgs};
use super::error::Failure;
use super::say::{Printer, say};
use super::sources::{self, crawlers, say_passed_over, say_ties, url_line, with_overrides};
use crate::dialect::Dialect;
use crate::formats::compression::is_damage;
use crate::formats::time::time;
use crate::formats::{json, shown, visible};
use crate::input::STANDARD_INPUT;
use crate::judge::{Choices, Explainer, Fallback, Matcher, RuleSet, Statuses, always_allows};
use crate::origin;
use crate::outcome::{Partition, Reason};
use crate::policy::source::{SourceError, SourceKind};
use crate::policy::{Captures, Crawler, Crawlers, OriginState, OriginStatus, Policy};
use crate::preferences::{Preference, PreferenceSource, Preferred, Requirements, Use};
use crate::robots::{self, Agents, GroupOrigin, NoteKind, Robots};
use crate::rules::{ChosenRules, KeptRule, Verdict};

/// Judge single URLs and explain the verdicts
///
/// Prints the verdict for each URL, the rule that decided it with its line number, and the user agents of its group.
/// Exits with 0 if all URLs are allowed, with 1 if any is blocked or deferred (its policy has no verdict yet), and with
/// 2 on an error, such as an invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/private/x
  robosieve check --agent examplebot --robots robots/ --json https://example.com/ https://example.org/
  robosieve check --policy policy.rsv - < urls.txt")]
#[command(mut_arg("fetched_at", |arg| arg.conflicts_with("policy")))]
pub struct CheckArgs {
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    #[command(flatten)]
    pub policy: PolicyArgs,
    /// A source of robots.txt files, as for `filter`, or one robots.txt that applies to every URL
    ///
    /// A single robots.txt may come from standard input (-). With --origin it applies to that origin only.
    #[arg(long, conflicts_with = "policy", value_name = "SOURCE")]
    pub robots: Vec<PathBuf>,
    /// The origin of the single robots.txt
    #[arg(long, requires = "robots", value_name = "ORIGIN")]
    pub origin: Option<String>,
    /// The operator's overrides for origins (TOML)
    #[arg(long, value_name = "FILE")]
    pub overrides: Option<PathBuf>,
    #[command(flatten)]
    pub statuses: StatusesArgs,
    /// Judge an unknown origin by the one with or without www., as for `filter`
    #[arg(long)]
    pub www_fallback: bool,
    #[command(flatten)]
    pub preferences: RequiredArgs,
    #[command(flatten)]
    pub reading: ReadingArgs,
    /// Print a JSON object per line for each URL and crawler
    #[arg(long)]
    pub json: bool,
    /// The URLs to judge; - reads them from standard input, one per line
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<OsString>,
}

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let is_standard_input = |name: &OsString| name == STANDARD_INPUT;
    let reads_urls = args.urls.iter().filter(|url| is_standard_input(url)).count();
    if reads_urls > 1 || reads_urls == 1 && args.robots.iter().any(|path| is_standard_input(&path.clone().into())) {
        return Err(Failure::StandardInputForTwo);
    }
    args.policy.check(&args.robots, &args.crawlers.agent, &args.crawlers.named.agents_file)?;
    let rules = RuleSource::new(args)?;
    let mut checker = Checker { rules, required: args.preferences, json: args.json, printer: Printer::new(), worst: 0 };
    for url in &args.urls {
        if is_standard_input(url) {
            checker.check_lines(io::stdin().lock())?;
        } else {
            checker.check(url.as_encoded_bytes())?;
        }
    }
    checker.printer.finish()?;
    Ok(ExitCode::from(checker.worst))
}

struct Checker {
    rules: RuleSource,
    /// The requirements on preferences.
    required: RequiredArgs,
    json: bool,
    printer: Printer,
    /// The exit status of the worst answer.
    worst: u8,
}

#[derive(Serialize)]
struct AnswerLine<'a> {
    url: &'a str,
    agent: &'a str,
    #[serde(flatten)]
    answer: &'a Answer,
}

impl Checker {
    /// Answers each line of a text that is not blank.
    fn check_lines(&mut self, mut text: impl BufRead) -> Result<(), Failure> {
        loop {
            let line = url_line(&mut text)?;
            if line.is_empty() {
                return Ok(());
            }
            if !line.trim_ascii().is_empty() {
                self.check(line.trim_ascii())?;
            }
        }
    }

    fn check(&mut self, url: &[u8]) -> Result<(), Failure> {
        let answers = self.rules.answers(url, &self.required);
        let (several, url) = (answers.len() > 1, String::from_utf8_lossy(url));
        for (agent, answer) in answers {
            self.worst = self.worst.max(match answer.verdict {
                Partition::Allowed => 0,
                Partition::Blocked | Partition::Deferred => 1,
                Partition::Invalid => 2,
            });
            let line = if self.json {
                json::to_string(&AnswerLine { url: &url, agent: &agent, answer: &answer })?
            } else {
                text(&url, several.then_some(&*agent), &answer)
            };
            self.printer.line(&line)?;
        }
        Ok(())
    }
}

/// An answer for people, which names the crawler if `agent` is given.
fn text(url: &str, agent: Option<&str>, answer: &Answer) -> String {
    let group = match answer.verdict {
        Partition::Invalid => String::new(),
        _ => format!("\t{}", visible(answer.group())),
    };
    let agent = agent.map(|agent| format!("\tfor {agent}")).unwrap_or_default();
    let said = answer.preferences.as_ref().map(|said| format!("\t{}", said.text())).unwrap_or_default();
    format!("{}\t{}\t{}{group}{agent}{said}", answer.verdict.name(), visible(url), visible(&answer.why))
}

/// A `User-agent` line of the group that applied.
#[derive(Debug, Serialize)]
struct AgentLine {
    line: u32,
    name: String,
}

/// The answer for a URL: the verdict, the rule that decided, and the group that applied.
#[derive(Debug, Serialize)]
struct Answer {
    verdict: Partition,
    why: String,
    rule: Option<KeptRule>,
    group: Vec<AgentLine>,
    /// What the site says of the uses of a page that no rule blocks; `None` if nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    preferences: Option<Preferences>,
}

/// What a site says of uses of a page: by each record, and together.
#[derive(Debug, Serialize)]
struct Preferences {
    combined: Said,
    #[serde(flatten)]
    by_source: BTreeMap<&'static str, Said>,
}

/// What is said of uses, by their names.
type Said = BTreeMap<&'static str, Preference>;

impl Preferences {
    /// `None` if nothing is said.
    fn of(preferred: &Preferred) -> Option<Preferences> {
        let said = |of: &dyn Fn(Use) -> Preference| -> Said {
            let all = Use::all().map(|use_| (use_.name(), of(use_)));
            all.filter(|(_, preference)| *preference != Preference::Unknown).collect()
        };
        let by_source = PreferenceSource::all().map(|source| (source.name(), said(&|use_| preferred.by(source, use_))));
        let by_source: BTreeMap<_, _> = by_source.filter(|(_, said)| !said.is_empty()).collect();
        let combined = said(&|use_| preferred.combined(use_));
        (!combined.is_empty()).then_some(Preferences { combined, by_source })
    }

    fn text(&self) -> String {
        let said =
            |said: &Said| said.iter().map(|(name, value)| format!("{name} {value}")).collect::<Vec<_>>().join(", ");
        let by_source = self.by_source.iter().map(|(source, by)| format!("{source} {}", said(by)));
        format!("preferences: {} ({})", said(&self.combined), by_source.collect::<Vec<_>>().join("; "))
    }
}

/// Why `/robots.txt` is allowed, where something else would not allow it.
const ALWAYS_ALLOWED: &str = "/robots.txt is always allowed";

/// Printed if no group applies.
const NO_GROUP: &str = "-";

impl Answer {
    fn without_group(verdict: Partition, why: impl Into<String>) -> Answer {
        Answer { verdict, why: why.into(), rule: None, group: Vec::new(), preferences: None }
    }

    /// The same with what is said of uses of the page, which means nothing unless it is allowed: it is blocked if that does not meet what
    /// is required, unless the dialect always allows it.
    fn with(self, preferred: &Preferred, require: &Requirements, is_always_allowed: bool) -> Answer {
        if self.verdict != Partition::Allowed {
            return self;
        }
        let preferences = Preferences::of(preferred);
        if require.are_met(preferred) {
            return Answer { preferences, ..self };
        }
        if is_always_allowed {
            return Answer { why: ALWAYS_ALLOWED.to_owned(), rule: None, preferences, ..self };
        }
        let why = format!("allowed ({}), but what is said of its uses does not meet {require}", self.why);
        Answer { verdict: Partition::Blocked, why, rule: None, preferences, ..self }
    }

    fn group(&self) -> String {
        if self.group.is_empty() {
            return NO_GROUP.to_owned();
        }
        let lines = self.group.iter().map(|AgentLine { line, name }| format!("{name} (line {line})"));
        format!("User-agent: {}", lines.collect::<Vec<_>>().join(", "))
    }
}

/// What judges URLs.
enum RuleSource {
    /// The rules of one robots.txt, for each crawler.
    Rules(Vec<(Agents, RuleSet)>),
    /// A policy, which is searched by the origin of each URL, for each crawler.
    Policy(Vec<PolicyRules>),
}

/// A policy that answers for one crawler.
struct PolicyRules {
    crawler: Crawler,
    as_filter: Judged,
    /// As if last good answers counted.
    by_last_good: Judged,
    /// Whether an unknown origin is judged by its `www.` sibling.
    www_fallback: bool,
}

/// A matcher, and what explains its outcomes.
struct Judged {
    matcher: Matcher,
    explainer: Explainer,
    /// What the operator says of statuses.
    statuses: Statuses,
}

impl RuleSource {
    fn new(args: &CheckArgs) -> Result<RuleSource, Failure> {
        // Each answer applies the requirements itself, so that it tells the verdict without them.
        let choices = Choices {
            statuses: args.statuses.read()?,
            www_fallback: args.www_fallback,
            content_signal: args.preferences.content_signal.scope(),
            ..Choices::now()
        };
        if let Some(policy) = args.policy.open()? {
            let policy = with_overrides(policy, args.overrides.as_deref())?;
            return RuleSource::of_policy(&policy, &args.crawlers.of_policy(policy.dialect())?, choices);
        }
        let dialect = args.crawlers.dialect.dialect;
        let agents = &args.crawlers.all(dialect)?;
        // Names of columns, times and statuses are of use only for answers of origins.
        let is_plain = args.reading.columns.is_none()
            && args.reading.fetched_at.is_none()
            && args.statuses.statuses.is_none()
            && !args.www_fallback;
        if let ([single], None, None, true) = (args.robots.as_slice(), &args.origin, &args.overrides, is_plain)
            && let Some(text) = robots_txt(single, dialect)?
        {
            let text = &text;
            warn_without_records(single, text, dialect);
            let rules = agents.iter().map(|agents| (agents.clone(), RuleSet::compile(text, agents, dialect)));
            return Ok(RuleSource::Rules(rules.collect()));
        }
        let (sources, captures) =
            ((&*args.robots, args.origin.as_deref()), Captures::new(Crawlers::new(agents.clone())?, dialect));
        let captures = args.reading.read(sources, args.overrides.as_deref(), false, captures, say_passed_over)?;
        let policy = captures.policy()?;
        say_ties(&policy);
        RuleSource::of_policy(&policy, agents, choices)
    }

    fn of_policy(policy: &Policy, agents: &[Agents], choices: Choices) -> Result<RuleSource, Failure> {
        let crawlers = crawlers(agents, policy)?;
        let rules = crawlers.into_iter().map(|crawler| PolicyRules::new(policy, crawler, choices));
        Ok(RuleSource::Policy(rules.collect()))
    }

    /// The answers for a URL, one for each crawler.
    fn answers(&mut self, url: &[u8], required: &RequiredArgs) -> Vec<(String, Answer)> {
        let require = required.require.unwrap_or_default();
        let url = origin::trimmed(url);
        let origin = origin::canonical(url);
        let or_invalid = |answer: &mut dyn FnMut(&str, &[u8]) -> Answer| match &origin {
            Ok((origin, end)) => answer(origin, &url[*end..]),
            Err(reason) => Answer::without_group(Partition::Invalid, reason.to_string()),
        };
        match self {
            RuleSource::Rules(rules) => {
                let answer = |(agents, rules): &(Agents, RuleSet)| {
                    let chosen = rules.chosen();
                    let answer = or_invalid(&mut |_, rest| {
                        let path = chosen.dialect.url_path.of(rest);
                        let preferred = rules.preferred(&path, required.content_signal.scope());
                        by_rules(chosen, &path).with(&preferred, &require, always_allows(url, &chosen.dialect))
                    });
                    (agents.to_string(), answer)
                };
                rules.iter().map(answer).collect()
            }
            RuleSource::Policy(rules) => {
                let answer = |rules: &mut PolicyRules| {
                    let answer = or_invalid(&mut |origin, _| {
                        let preferred = rules.as_filter.matcher.preferred(url);
                        let is_always_allowed = always_allows(url, rules.as_filter.matcher.policy().dialect());
                        rules.answer(origin, url).with(&preferred, &require, is_always_allowed)
                    });
                    (rules.crawler.agents().to_string(), answer)
                };
                rules.iter_mut().map(answer).collect()
            }
        }
    }
}

impl PolicyRules {
    fn new(policy: &Policy, crawler: Crawler, choices: Choices) -> PolicyRules {
        let judged = |on_unreachable| {
            let choices = Choices { on_unreachable, ..choices };
            let matcher = Matcher::new(policy, crawler.clone(), choices);
            Judged { explainer: matcher.explainer(), matcher, statuses: choices.statuses }
        };
        let (as_filter, by_last_good) = (judged(Fallback::Defer), judged(Fallback::Use));
        PolicyRules { crawler, as_filter, by_last_good, www_fallback: choices.www_fallback }
    }

    fn answer(&mut self, origin: &str, url: &[u8]) -> Answer {
        let policy = self.as_filter.matcher.policy();
        let own = policy.origin(origin.as_bytes());
        let sibling = origin::www_sibling(origin.as_bytes()).filter(|_| self.www_fallback && own.is_none());
        let sibling = sibling.and_then(|sibling| policy.origin(&sibling));
        let fallback = sibling.map(|(_, record)| String::from_utf8_lossy(record.origin).into_owned());
        let found = own.or(sibling);
        let state = found.map_or_else(OriginState::unfetched, |(_, record)| record.state());
        let (reason, mut answer) = self.as_filter.answer(url, state.origin_status, &state);
        match (reason, state.operator_override.ruling, state.last_good) {
            (Reason::Paused | Reason::Override, ..) => {}
            (_, Some(_), _) => answer.why = format!("the operator's robots.txt: {}", answer.why),
            (Reason::RobotsTxt, None, _) => {}
            (_, None, Some(last_good)) => {
                let (_, good) = self.by_last_good.answer(url, last_good.origin_status, &state);
                answer.why = format!("{}; the last good answer said {}: {}", answer.why, good.verdict.name(), good.why);
                answer.group = good.group;
            }
            (_, None, None) => {}
        }
        if let Some(sibling) = fallback {
            answer.why = format!("by {sibling}: {}", answer.why);
        }
        answer
    }
}

impl Judged {
    /// The answer for a URL of an origin with this status, and its reason.
    fn answer(&mut self, url: &[u8], origin_status: OriginStatus, state: &OriginState) -> (Reason, Answer) {
        let outcome = self.matcher.judge(url);
        let (verdict, reason) = (outcome.partition(), outcome.reason());
        let why = match (reason, verdict) {
            (Reason::Paused, _) => {
                let until = state.operator_override.paused_until.map(time).unwrap_or_default();
                format!("the operator has paused the origin until {until}")
            }
            (Reason::Override, Partition::Allowed) => "the operator allows everything".to_owned(),
            (Reason::Override, _) => "the operator forbids everything".to_owned(),
            _ => match self.explainer.rules(url) {
                Some((rules, path)) => return (reason, Answer { verdict, ..by_rules(&rules, &path) }),
                None if reason == Reason::RobotsTxt => ALWAYS_ALLOWED.to_owned(),
                None => match self.explainer.explain(url).status.and_then(|status| self.named(status)) {
                    Some(named) => format!("{}; {named}", meaning(origin_status, state)),
                    None => meaning(origin_status, state),
                },
            },
        };
        (reason, Answer::without_group(verdict, why))
    }

    /// What the operator says of a status, and in which line.
    fn named(&self, status: u16) -> Option<String> {
        let (line, word) = self.statuses.deciding(status)?;
        let of_all = if line == status.to_string() { String::new() } else { format!(", which is {status}") };
        Some(format!("--statuses: {line} = {:?}{of_all}", word.name()))
    }
}

/// What a status means for the lines of an origin without rules.
fn meaning(origin_status: OriginStatus, state: &OriginState) -> String {
    let status = state.answered.status;
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
    // The status belongs to the last answer, not to the last good one.
    match status.filter(|_| origin_status == state.origin_status) {
        Some(status) => format!("{why} (status {status})"),
        None => why.to_owned(),
    }
}

/// The answer of a set of rules for a path.
fn by_rules(rules: &ChosenRules, path: &[u8]) -> Answer {
    let explanation = rules.explain(path);
    let verdict = match explanation.verdict {
        Verdict::Allowed => Partition::Allowed,
        Verdict::Blocked => Partition::Blocked,
    };
    let why = match explanation.rule {
        Some(rule) => rule.to_string(),
        None if explanation.always_allowed => ALWAYS_ALLOWED.to_owned(),
        None if rules.origin == GroupOrigin::None => "no group applies".to_owned(),
        None => "no rule matches".to_owned(),
    };
    let group = rules.agent_lines.iter().map(|(name, line)| AgentLine { line: *line, name: name.clone() });
    let rule = explanation.rule.cloned();
    Answer { verdict, why, rule, group: group.collect(), preferences: None }
}

/// The text of a single robots.txt; `None` if the source names its origins itself.
fn robots_txt(path: &Path, dialect: &Dialect) -> Result<Option<Arc<[u8]>>, Failure> {
    // Only files and folders can be examined before they are read: a pipe can be read once.
    if std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file() || metadata.is_dir()) {
        let kind = match SourceKind::of(path) {
            // Reading it as a robots.txt tells what is wrong.
            Err(error) if is_damage(&error) => SourceKind::RobotsTxt,
            kind => kind?,
        };
        return match kind {
            SourceKind::RobotsTxt => sources::text_of(path, sources::robots_txt(path, [dialect])?).map(Some),
            SourceKind::Policy => Err(SourceError::Policy { path: path.to_owned() }.into()),
            _ => Ok(None),
        };
    }
    let robots = sources::robots_txt(path, [dialect])?;
    match robots.kind {
        SourceKind::RobotsTxt => sources::text_of(path, robots).map(Some),
        kind if kind.is_not_read() => Err(SourceError::NotRead { path: path.to_owned(), kind }.into()),
        SourceKind::Policy => Err(SourceError::Policy { path: path.to_owned() }.into()),
        kind => Err(Failure::Piped { path: path.to_owned(), kind: kind.name() }),
    }
}

/// Warns of a text that is not a robots.txt: it forbids nothing, which looks like permission.
fn warn_without_records(path: &Path, file: &[u8], dialect: &Dialect) {
    let text = robots::decode(file, dialect, &mut Vec::new());
    let robots = Robots::parse(&text, dialect);
    let is_record = |kind| matches!(kind, NoteKind::RuleOutsideGroup | NoteKind::AllowIgnored | NoteKind::MisspeltKey);
    let has_record = !robots.groups.is_empty()
        || !robots.side_records.is_empty()
        || robots.notes.iter().any(|note| is_record(note.kind));
    if !has_record && !robots.notes.is_empty() {
        say(format_args!(
            "robosieve: warning: {} has no robots.txt lines, so it forbids nothing; is it a robots.txt?",
            shown(path)
        ));
    }
}
