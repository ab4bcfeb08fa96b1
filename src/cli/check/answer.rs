//! The answer for a URL, and the reason for it.

use serde::Serialize;

use crate::origin;
use crate::outcome::Partition;
use crate::policy::{Crawler, OriginState, OriginStatus, OverrideState, Policy, Ruling};
use crate::robots::GroupOrigin;
use crate::rules::{ChosenRules, Verdict};

/// The rule that decided.
#[derive(Debug, Serialize)]
pub struct DecidingRule {
    pub line: u32,
    pub key: &'static str,
    pub value: String,
}

/// A `User-agent` line of the group that applied.
#[derive(Debug, Serialize)]
pub struct AgentLine {
    pub line: u32,
    pub name: String,
}

/// The answer for a URL: the verdict, the rule that decided, and the group that applied.
#[derive(Debug, Serialize)]
pub struct Answer {
    pub verdict: Partition,
    pub why: String,
    pub rule: Option<DecidingRule>,
    pub group: Vec<AgentLine>,
}

/// Printed if no group applies.
const NO_GROUP: &str = "-";

const UNFETCHED: &str = "its robots.txt was never fetched";

impl Answer {
    fn without_group(verdict: Partition, why: impl Into<String>) -> Answer {
        Answer { verdict, why: why.into(), rule: None, group: Vec::new() }
    }

    /// The answer for an invalid URL.
    pub fn invalid(reason: origin::InvalidUrl) -> Answer {
        Answer::without_group(Partition::Invalid, reason.to_string())
    }

    /// All `User-agent` lines of the group.
    pub fn group(&self) -> String {
        if self.group.is_empty() {
            return NO_GROUP.to_owned();
        }
        let lines = self.group.iter().map(|AgentLine { line, name }| format!("{name} (line {line})"));
        format!("User-agent: {}", lines.collect::<Vec<_>>().join(", "))
    }
}

/// The answer of a policy for a URL.
pub fn by_policy(policy: &Policy, crawler: &Crawler, origin: &str, path: &[u8]) -> Answer {
    let Some((policy, record)) = policy.origin(origin.as_bytes()) else {
        return Answer::without_group(Partition::Deferred, UNFETCHED);
    };
    let rules = || by_group(policy, crawler, record.row, path);
    if let Some(answer) = by_override(record.operator_override(), rules) {
        return answer;
    }
    let state = record.state();
    let of = |origin_status| by_status(origin_status, &state, rules);
    let mut answer = of(record.origin_status);
    if let Some(last_good) = record.last_good {
        let good = of(last_good);
        answer.why = format!("{}; the last good answer said {}: {}", answer.why, good.verdict.name(), good.why);
        answer.group = good.group;
    }
    answer
}

/// The answer by the operator's override, which takes precedence over anything fetched.
fn by_override(operator_override: OverrideState, rules: impl FnOnce() -> Answer) -> Option<Answer> {
    let now = jiff::Timestamp::now();
    let until = operator_override.paused_until.and_then(|until| jiff::Timestamp::from_second(until).ok());
    if let Some(until) = until.filter(|until| now < *until) {
        let why = format!("the operator has paused the origin until {until}");
        return Some(Answer::without_group(Partition::Deferred, why));
    }
    Some(match operator_override.ruling? {
        Ruling::AllowAll => Answer::without_group(Partition::Allowed, "the operator allows everything"),
        Ruling::ForbidAll => Answer::without_group(Partition::Blocked, "the operator forbids everything"),
        Ruling::RobotsTxt => {
            let answer = rules();
            Answer { why: format!("the operator's robots.txt: {}", answer.why), ..answer }
        }
    })
}

/// The answer for an origin with this status; `rules` returns that of its rules.
fn by_status(origin_status: OriginStatus, state: &OriginState, rules: impl FnOnce() -> Answer) -> Answer {
    // The status belongs to the last answer, not to the last good one.
    let status = state.answered.status.filter(|_| origin_status == state.origin_status);
    let status = status.map(|status| format!(" (status {status})")).unwrap_or_default();
    let without = Answer::without_group;
    match origin_status {
        OriginStatus::RobotsTxt => rules(),
        OriginStatus::Unavailable if state.answered.status.is_some_and(|status| (300..400).contains(&status)) => {
            without(
                Partition::Allowed,
                format!("robots.txt redirects in a loop or too often, which counts as no robots.txt{status}"),
            )
        }
        OriginStatus::Unavailable => without(Partition::Allowed, format!("there is no robots.txt{status}")),
        OriginStatus::Forbidden => without(Partition::Blocked, format!("robots.txt itself is refused{status}")),
        OriginStatus::Unreachable => without(Partition::Deferred, format!("robots.txt is unreachable{status}")),
        OriginStatus::RedirectUnresolved => {
            without(Partition::Deferred, format!("robots.txt redirects to a URL that was not fetched{status}"))
        }
        OriginStatus::Incomplete => {
            without(Partition::Deferred, format!("robots.txt was sent in part or damaged{status}"))
        }
        OriginStatus::NotModified => {
            let why = format!("robots.txt was not modified, but no earlier response is known{status}");
            without(Partition::Deferred, why)
        }
        OriginStatus::Unfetched => without(Partition::Deferred, UNFETCHED.to_owned()),
    }
}

fn by_group(policy: &Policy, crawler: &Crawler, row: u32, path: &[u8]) -> Answer {
    match policy.groups(crawler).group(row) {
        Some(group) => by_rules(&policy.rules(group), path),
        None => Answer::without_group(Partition::Allowed, "no group applies"),
    }
}

/// The answer of a set of rules for a path.
pub fn by_rules(rules: &ChosenRules, path: &[u8]) -> Answer {
    let explanation = rules.explain(path);
    let verdict = match explanation.verdict {
        Verdict::Allowed => Partition::Allowed,
        Verdict::Blocked => Partition::Blocked,
    };
    let rule = explanation.rule.map(|rule| DecidingRule {
        line: rule.line,
        key: rule.key(),
        value: String::from_utf8_lossy(&rule.value).into_owned(),
    });
    let why = match &rule {
        Some(DecidingRule { line, key, value }) => format!("line {line}: {key}: {value}"),
        None if explanation.always_allowed => "/robots.txt is always allowed".to_owned(),
        None if rules.origin == GroupOrigin::None => "no group applies".to_owned(),
        None => "no rule matches".to_owned(),
    };
    let group = rules.agent_lines.iter().map(|(name, line)| AgentLine { line: *line, name: name.clone() });
    Answer { verdict, why, rule, group: group.collect() }
}
