//! `robosieve check`.

use clap::ValueHint;
use serde::Serialize;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use super::args::{ChoicesArgs, CrawlerArgs, DialectArgs, JudgedByArgs};
use super::entry;
use super::error::{Failure, not_compiled};
use super::help::OUTPUT;
use super::say::{Printer, say};
use super::sources::{crawlers, read_once, say_passed_over, say_ties, text_of, url_line};
use crate::dialect::Dialect;
use crate::formats::time::time;
use crate::formats::{is_standard_input, json, shown, visible};
use crate::judge::{Choices, Explainer, Fallback, Matcher, Statuses};
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Captures, Crawler, Crawlers, OriginState, OriginStatus, Policy};
use crate::preferences::{PreferenceSource, Preferred, Requirements};
use crate::robots::{self, Agents, GroupOrigin, NoteKind, Robots};
use crate::rules::{ChosenRules, KeptRule};
use crate::show::inspect::{AgentLine, Uses, agent_lines, uses};

/// Judge single URLs and explain the verdicts
///
/// Prints the verdict for each URL, the rule that decided it with its line number, and the user agents of its group. Exits with 0
/// if all URLs are allowed, with 1 if any is blocked or deferred (there is no verdict yet), and with 2 on an error, such as an
/// invalid URL.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  robosieve check --agent examplebot --robots robots.txt https://example.com/a
  robosieve check --agent examplebot --robots robots --json https://example.com/
  robosieve check --policy policy.rsv - < urls.txt")]
#[command(mut_arg("robots", |arg| arg
    .help("robots.txt files, or one that applies to all")
    .long_help("robots.txt files, or one that applies to all\n\n\
        As for `filter`. With --origin a single robots.txt applies to that origin only. - is standard input.")))]
pub struct CheckArgs {
    /// The URLs to judge; - reads them from standard input, one per line
    #[arg(required = true, value_name = "URL", value_hint = ValueHint::Url)]
    pub urls: Vec<OsString>,
    #[command(flatten)]
    pub crawlers: CrawlerArgs,
    #[command(flatten)]
    pub dialect: DialectArgs,
    #[command(flatten)]
    pub rules: JudgedByArgs,
    /// Print a JSON object per line for each URL and crawler
    #[arg(long, help_heading = OUTPUT)]
    pub json: bool,
    #[command(flatten)]
    pub choices: ChoicesArgs,
}

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    args.rules.check(&args.crawlers)?;
    read_once(args.urls.iter().map(Path::new).chain(args.rules.robots.iter().map(PathBuf::as_path)))?;
    let rules = Rules::new(args)?;
    let mut checker = Checker { rules, json: args.json, printer: Printer::new()?, worst: 0 };
    for url in &args.urls {
        if is_standard_input(Path::new(url)) {
            checker.check_lines(io::stdin().lock())?;
        } else {
            checker.check(url.as_encoded_bytes())?;
        }
    }
    checker.printer.finish()?;
    Ok(ExitCode::from(checker.worst))
}

struct Checker {
    rules: Rules,
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
        let answers = self.rules.answers(url);
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
        _ => format!("\t{}", answer.group()),
    };
    let agent = agent.map(|agent| format!("\tfor {agent}")).unwrap_or_default();
    let said = answer.preferences.as_ref().map(|said| format!("\t{}", said.text())).unwrap_or_default();
    format!("{}\t{}\t{}{group}{agent}{said}", answer.verdict.name(), visible(url), visible(&answer.why))
}

/// The answer for a URL: the verdict, the rule that decided, and the group that applied.
#[derive(Debug, Serialize)]
struct Answer {
    verdict: Partition,
    reason: Reason,
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
    combined: Uses,
    #[serde(flatten)]
    by_source: BTreeMap<&'static str, Uses>,
}

impl Preferences {
    /// `None` if nothing is said.
    fn of(preferred: &Preferred) -> Option<Preferences> {
        let by_source = PreferenceSource::all().map(|source| (source.name(), uses(|use_| preferred.by(source, use_))));
        let by_source: BTreeMap<_, _> = by_source.filter(|(_, uses)| !uses.is_empty()).collect();
        let combined = uses(|use_| preferred.combined(use_));
        (!combined.is_empty()).then_some(Preferences { combined, by_source })
    }

    fn text(&self) -> String {
        let by_source = self.by_source.iter().map(|(source, by)| format!("{source} {}", entry::uses(by)));
        format!("preferences: {} ({})", entry::uses(&self.combined), by_source.collect::<Vec<_>>().join("; "))
    }
}

/// Why `/robots.txt` is allowed, where something else would not allow it.
const ALWAYS_ALLOWED: &str = "/robots.txt is always allowed";

/// Printed if no group applies.
const NO_GROUP: &str = "-";

impl Answer {
    fn without_group(outcome: Outcome, why: impl Into<String>) -> Answer {
        let (verdict, reason) = (outcome.partition(), outcome.reason());
        Answer { verdict, reason, why: why.into(), rule: None, group: Vec::new(), preferences: None }
    }

    fn group(&self) -> String {
        if self.group.is_empty() { NO_GROUP.to_owned() } else { entry::group(&self.group) }
    }
}

/// The origin of a single robots.txt that applies to every URL: no host can have the name.
const ANY_ORIGIN: &str = "https://any.invalid";

/// What judges URLs: a policy, which is searched by the origin of each URL, for each crawler.
struct Rules {
    crawlers: Vec<CrawlerRules>,
    /// Whether the policy is of one robots.txt, of [`ANY_ORIGIN`], that applies to every URL.
    are_for_any: bool,
}

/// A policy that answers for one crawler.
struct CrawlerRules {
    crawler: Crawler,
    choices: Choices,
    as_filter: Matcher,
    /// The verdicts without the requirements on preferences, and those by the last good answers.
    plain: Explained,
    by_last_good: Explained,
}

/// A matcher, and what explains its outcomes.
struct Explained {
    matcher: Matcher,
    explainer: Explainer,
}

impl Rules {
    fn new(args: &CheckArgs) -> Result<Rules, Failure> {
        let choices = args.choices.choices(args.choices.of_origins.time())?;
        if let Some(policy) = args.rules.opened()? {
            return Rules::of_policy(&policy, &args.crawlers.of_policy(policy.dialect())?, choices, false);
        }
        let dialect = args.dialect.dialect;
        let agents = &args.crawlers.of_sources(dialect)?;
        let captures = Captures::new(Crawlers::new(agents.clone())?, dialect);
        // Of one robots.txt there is no status, and no other origin.
        let may_be_any = args.choices.of_origins.statuses.is_none() && !args.choices.www_fallback;
        let any = may_be_any.then_some(ANY_ORIGIN);
        let (captures, single) = args.rules.read_for_any(any, captures, say_passed_over)?;
        let is_single = single.is_some();
        if let ([path], Some(robots)) = (&*args.rules.robots, single) {
            warn_without_records(path, &text_of(path, robots)?, dialect);
        }
        let policy = captures.policy().map_err(not_compiled)?;
        say_ties(&policy);
        Rules::of_policy(&policy, agents, choices, is_single)
    }

    fn of_policy(policy: &Policy, agents: &[Agents], choices: Choices, are_for_any: bool) -> Result<Rules, Failure> {
        let rules = crawlers(agents, policy)?.into_iter().map(|crawler| CrawlerRules::new(policy, crawler, choices));
        Ok(Rules { crawlers: rules.collect(), are_for_any })
    }

    /// The answers for a URL, one for each crawler.
    fn answers(&mut self, url: &[u8]) -> Vec<(String, Answer)> {
        let url = origin::trimmed(url);
        let found = origin::split(url);
        let are_for_any = self.are_for_any;
        let answer = |rules: &mut CrawlerRules| {
            let answer = match &found {
                Ok((_, rest)) if are_for_any => rules.answer(ANY_ORIGIN, &[ANY_ORIGIN.as_bytes(), rest].concat()),
                Ok((origin, _)) => rules.answer(origin, url),
                Err(reason) => Answer::without_group(rules.as_filter.judge(url), reason.to_string()),
            };
            (rules.crawler.agents().to_string(), answer)
        };
        self.crawlers.iter_mut().map(answer).collect()
    }
}

impl CrawlerRules {
    fn new(policy: &Policy, crawler: Crawler, choices: Choices) -> CrawlerRules {
        let matcher = |choices| Matcher::new(policy, crawler.clone(), choices);
        let plain = Choices { require: Requirements::default(), ..choices };
        let explained = |choices| {
            let matcher = matcher(choices);
            Explained { explainer: matcher.explainer(), matcher }
        };
        let by_last_good = Choices { on_unreachable: Fallback::Use, ..plain };
        let (as_filter, plain, by_last_good) = (matcher(choices), explained(plain), explained(by_last_good));
        CrawlerRules { crawler, choices, as_filter, plain, by_last_good }
    }

    /// The answer for a URL of this origin: what `filter` says of the line, and why.
    fn answer(&mut self, origin: &str, url: &[u8]) -> Answer {
        let policy = self.as_filter.policy();
        let own = policy.origin(origin.as_bytes());
        let may_fall_back = self.choices.www_fallback && own.is_none();
        let sibling = origin::www_sibling(origin.as_bytes()).filter(|_| may_fall_back);
        let sibling = sibling.and_then(|sibling| policy.origin(&sibling));
        let fallback = sibling.map(|(_, record)| String::from_utf8_lossy(record.origin).into_owned());
        let state = own.or(sibling).map_or_else(OriginState::unfetched, |(_, record)| record.state());
        let mut answer = self.plain.answer(url, state.origin_status, &state, &self.choices);
        let is_by_rules = answer.rule.is_some() || !answer.group.is_empty();
        match (answer.reason, state.operator_override.ruling, state.last_good) {
            (Reason::Paused | Reason::Override, ..) => {}
            (_, Some(_), _) => answer.why = format!("the operator's robots.txt: {}", answer.why),
            (Reason::RobotsTxt, None, _) => {}
            (reason, None, Some(last_good)) if is_failure(reason) => {
                let good = self.by_last_good.answer(url, last_good.origin_status, &state, &self.choices);
                answer.why = format!("{}; the last good answer said {}: {}", answer.why, good.verdict.name(), good.why);
                answer.group = good.group;
            }
            (Reason::LastGood, ..) => answer.why = format!("by the last good answer: {}", answer.why),
            (Reason::Stale, ..) if is_by_rules => answer.why = format!("by an answer that is too old: {}", answer.why),
            _ => {}
        }
        if let Some(sibling) = fallback {
            answer.why = format!("by {sibling}: {}", answer.why);
        }
        self.with_preferences(answer, url)
    }

    /// The same with what is said of uses of the page, which means nothing unless it is allowed: it is blocked if that does not meet
    /// what is required.
    fn with_preferences(&self, answer: Answer, url: &[u8]) -> Answer {
        if answer.verdict != Partition::Allowed {
            return answer;
        }
        let preferences = Preferences::of(&self.as_filter.preferred(url));
        let outcome = self.as_filter.judge(url);
        let (verdict, reason) = (outcome.partition(), outcome.reason());
        let (why, rule) = match reason {
            Reason::Preference => {
                let require = self.choices.require;
                let why = format!("allowed ({}), but what is said of its uses does not meet {require}", answer.why);
                // The line that refuses the page, as `filter --explain` names it.
                (why, self.as_filter.explain(url).rule)
            }
            Reason::RobotsTxt => (ALWAYS_ALLOWED.to_owned(), None),
            _ => (answer.why, answer.rule),
        };
        Answer { verdict, reason, why, rule, preferences, ..answer }
    }
}

/// Whether a reason is that the robots.txt could not be had.
fn is_failure(reason: Reason) -> bool {
    matches!(
        reason,
        Reason::Unreachable
            | Reason::RedirectUnresolved
            | Reason::Incomplete
            | Reason::NotText
            | Reason::NotModified
            | Reason::LongUnreachable
    )
}

impl Explained {
    /// The answer for a URL of an origin with this status.
    fn answer(&mut self, url: &[u8], origin_status: OriginStatus, state: &OriginState, choices: &Choices) -> Answer {
        let outcome = self.matcher.judge(url);
        if let Some((rules, path)) = self.explainer.rules(url) {
            return by_rules(&rules, &path, outcome);
        }
        let why = match (outcome.reason(), outcome.partition()) {
            (Reason::Paused, _) => {
                let until = state.operator_override.paused_until.map(time).unwrap_or_default();
                format!("the operator has paused the origin until {until}")
            }
            (Reason::Override, Partition::Allowed) => "the operator allows everything".to_owned(),
            (Reason::Override, _) => "the operator forbids everything".to_owned(),
            (Reason::RobotsTxt, _) => ALWAYS_ALLOWED.to_owned(),
            (Reason::HtmlPage, _) => "robots.txt looks like an HTML page".to_owned(),
            (Reason::LongUnreachable, _) => {
                format!("{}, for so long that it counts as missing", meaning(origin_status, state))
            }
            (Reason::Stale, _) => "what is known of its robots.txt is too old".to_owned(),
            (Reason::LastGood, _) => meaning(state.origin_status_in_use(), state),
            _ => match self.explainer.explain(url).status.and_then(|status| named(&choices.statuses, status)) {
                Some(named) => format!("{}; {named}", meaning(origin_status, state)),
                None => meaning(origin_status, state),
            },
        };
        Answer::without_group(outcome, why)
    }
}

/// What the operator says of a status, and in which line.
fn named(statuses: &Statuses, status: u16) -> Option<String> {
    let (line, word) = statuses.deciding(status)?;
    let of_all = if line == status.to_string() { String::new() } else { format!(", which is {status}") };
    Some(format!("--statuses: {line} = {:?}{of_all}", word.name()))
}

/// What a status means for the lines of an origin without rules. The HTTP status belongs to the last answer, not to the last good one.
fn meaning(origin_status: OriginStatus, state: &OriginState) -> String {
    let status = state.answered.status.filter(|_| origin_status == state.origin_status);
    entry::status_meaning(origin_status, status)
}

/// The answer of a set of rules for a path with this outcome.
fn by_rules(rules: &ChosenRules, path: &[u8], outcome: Outcome) -> Answer {
    let explanation = rules.explain(path);
    let why = match explanation.rule {
        Some(rule) => rule.to_string(),
        None if explanation.always_allowed => ALWAYS_ALLOWED.to_owned(),
        None if rules.origin == GroupOrigin::None => "no group applies".to_owned(),
        None => "no rule matches".to_owned(),
    };
    let rule = explanation.rule.cloned();
    Answer { rule, group: agent_lines(rules), ..Answer::without_group(outcome, why) }
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
