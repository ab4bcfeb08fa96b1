//! `robosieve check`.

use std::ffi::OsStr;
use std::process::ExitCode;

use super::args::CheckArgs;
use super::failure::Failure;
use super::printer::Printer;
use super::read::read;
use robosieve::policy::{Crawler, Policy, Ruling, Standing, State, Word};
use robosieve::robots::GroupOrigin;
use robosieve::{ChosenRules, RuleSet, Verdict, origin};

pub fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let judge = Judge::new(args)?;
    let mut printer = Printer::new();
    let (mut refused, mut invalid) = (false, false);
    for url in &args.urls {
        let answer = judge.answer(url);
        refused |= matches!(answer.word, BLOCKED | DEFERRED);
        invalid |= answer.word == INVALID;
        let Answer { word, why, group } = answer;
        let group = group.map(|group| format!("\t{group}")).unwrap_or_default();
        printer.line(&format!("{word}\t{}\t{why}{group}", url.to_string_lossy()))?;
    }
    printer.finish()?;
    Ok(match (invalid, refused) {
        (true, _) => ExitCode::from(2),
        (false, true) => ExitCode::from(1),
        (false, false) => ExitCode::SUCCESS,
    })
}

const ALLOWED: &str = "allowed";
const BLOCKED: &str = "blocked";
const DEFERRED: &str = "deferred";
const INVALID: &str = "invalid";

/// What stands where no group applies.
const NO_GROUP: &str = "-";

const UNFETCHED: &str = "its robots.txt was never fetched";

/// What is said of a URL: a word, what decided, and the agent of the group, unless the URL is invalid.
struct Answer {
    word: &'static str,
    why: String,
    group: Option<String>,
}

impl Answer {
    fn without_group(word: &'static str, why: impl Into<String>) -> Answer {
        Answer { word, why: why.into(), group: Some(NO_GROUP.to_owned()) }
    }
}

/// What URLs are judged by.
enum Judge {
    /// The rules of one robots.txt.
    Rules(RuleSet),
    /// A policy, by the origin of each URL.
    Policy(Policy, Crawler),
}

impl Judge {
    fn new(args: &CheckArgs) -> Result<Judge, Failure> {
        let Some(robots) = &args.robots else {
            let policy = args.policy.open()?.expect("required unless there is a robots.txt");
            let crawler = policy.crawler(args.crawler.agent.as_ref())?;
            return Ok(Judge::Policy(policy, crawler));
        };
        Ok(Judge::Rules(RuleSet::compile(&read(robots)?, args.crawler.agents(), args.crawler.dialect.dialect)))
    }

    fn answer(&self, url: &OsStr) -> Answer {
        let line = origin::trimmed(url.as_encoded_bytes());
        let (origin, path) = match origin::canonical(line) {
            Ok((origin, end)) => (origin, origin::path(&line[end..])),
            Err(reason) => return Answer { word: INVALID, why: reason.to_string(), group: None },
        };
        match self {
            Judge::Rules(rules) => by_rules(rules.chosen(), &path),
            Judge::Policy(policy, crawler) => by_policy(policy, crawler, &origin, &path),
        }
    }
}

fn by_policy(policy: &Policy, crawler: &Crawler, origin: &str, path: &[u8]) -> Answer {
    let Some(record) = policy.lookup().get(origin.as_bytes()) else {
        return Answer::without_group(DEFERRED, UNFETCHED);
    };
    let rules = || by_group(policy, crawler, record.row, path);
    if let Some(answer) = by_word(record.word(), rules) {
        return answer;
    }
    let state = record.state();
    let of = |standing| by_standing(standing, &state, rules);
    let mut answer = of(record.standing);
    if let Some(last_good) = record.last_good {
        let good = of(last_good);
        answer.why = format!("{}; the last good answer said {}: {}", answer.why, good.word, good.why);
        answer.group = good.group;
    }
    answer
}

/// What the operator says, whatever was answered.
fn by_word(word: Word, rules: impl FnOnce() -> Answer) -> Option<Answer> {
    let now = jiff::Timestamp::now();
    let until = word.paused_until.and_then(|until| jiff::Timestamp::from_second(until).ok());
    if let Some(until) = until.filter(|until| now < *until) {
        return Some(Answer::without_group(DEFERRED, format!("the operator has paused the origin until {until}")));
    }
    Some(match word.ruling? {
        Ruling::AllowAll => Answer::without_group(ALLOWED, "the operator allows everything"),
        Ruling::ForbidAll => Answer::without_group(BLOCKED, "the operator forbids everything"),
        Ruling::RobotsTxt => {
            let Answer { word, why, group } = rules();
            Answer { word, why: format!("the operator's robots.txt: {why}"), group }
        }
    })
}

/// What an answer of this standing means, where `rules` tells what its rules say.
fn by_standing(standing: Standing, state: &State, rules: impl FnOnce() -> Answer) -> Answer {
    // The status is that of the last answer, not of the last good one.
    let status = state.answered.status.filter(|_| standing == state.standing);
    let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
    match standing {
        Standing::RobotsTxt => rules(),
        Standing::Unavailable => Answer::without_group(ALLOWED, format!("there is no robots.txt{status}")),
        Standing::Forbidden => Answer::without_group(BLOCKED, format!("robots.txt itself is refused{status}")),
        Standing::Unreachable => Answer::without_group(DEFERRED, format!("robots.txt is unreachable{status}")),
        Standing::RedirectUnresolved => {
            Answer::without_group(DEFERRED, format!("robots.txt redirects to somewhere unknown{status}"))
        }
        Standing::Unfetched => Answer::without_group(DEFERRED, UNFETCHED),
    }
}

fn by_group(policy: &Policy, crawler: &Crawler, row: u32, path: &[u8]) -> Answer {
    match policy.groups(crawler).of(row) {
        Some(group) => by_rules(&policy.rules(group), path),
        None => Answer::without_group(ALLOWED, "no group applies"),
    }
}

fn by_rules(rules: &ChosenRules, path: &[u8]) -> Answer {
    let explanation = rules.explain(path);
    let word = match explanation.verdict {
        Verdict::Allowed => ALLOWED,
        Verdict::Blocked => BLOCKED,
    };
    let why = match explanation.rule {
        Some(rule) => format!("line {}: {}: {}", rule.line, rule.key(), String::from_utf8_lossy(&rule.value)),
        None if explanation.always_allowed => "/robots.txt is always allowed".to_owned(),
        None if rules.origin() == GroupOrigin::None => "no group applies".to_owned(),
        None => "no rule matches".to_owned(),
    };
    // The agent of the group: that of the deciding rule, or of all that apply.
    let group = match rules.agent_line(explanation.rule) {
        Some((name, line)) => format!("User-agent: {name} (line {line})"),
        None => NO_GROUP.to_owned(),
    };
    Answer { word, why, group: Some(group) }
}
