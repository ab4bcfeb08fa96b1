//! Explains an outcome: the rule that decided, and when its robots.txt was captured.
//!
//! An automaton has verdicts but no rules. To explain a line, it is judged again by the rules of its group as written in the
//! robots.txt ([`ChosenRules::explain`]); the two share only how patterns are ranked. Decoding and ranking the rules of a group
//! takes much longer than applying them, so an [`Explainer`] keeps the rules it used last.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::decision::Decision;
use super::preferred::KnownPreferences;
use super::view::OwnedJudge;
use crate::origin;
use crate::outcome::Reason;
use crate::policy::{Group, Policy, Record};
use crate::rules::Verdict;
use crate::rules::chosen::{ChosenRules, KeptRule};

/// The default limit, in bytes, for the rules that an [`Explainer`] keeps. Up to two groups are kept whatever their size.
const KEPT: usize = 16 << 20;

/// The cause of a URL's outcome under a policy. For a path judged by one robots.txt, see [`Explanation`](crate::Explanation).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cause<'e> {
    /// The rule, or the line for which a page is refused that may be fetched; `None` if the state of the robots.txt, an override, or the
    /// operator's choices decided instead, or what the operator requires is not said.
    pub rule: Option<Cow<'e, KeptRule>>,
    /// The group of the rule, as the value of the `User-agent` line above it; `None` if no rule decided.
    pub agent: Option<Cow<'e, str>>,
    /// When the deciding answer was captured, in seconds of Unix time; `None` if that is unknown, or an override takes
    /// precedence over all answers.
    pub captured: Option<i64>,
    /// The status of the deciding answer, if it decides because the operator [says](crate::Choices::statuses) what it means.
    pub status: Option<u16>,
}

impl Cause<'_> {
    /// Converts to a cause with its own copy of the rule.
    pub fn into_owned(self) -> Cause<'static> {
        let rule = self.rule.map(|rule| Cow::Owned(rule.into_owned()));
        let agent = self.agent.map(|agent| Cow::Owned(agent.into_owned()));
        Cause { rule, agent, captured: self.captured, status: self.status }
    }
}

/// Explains outcomes. Use one for each thread, again and again: it keeps the rules of the groups it used last, at most 16 MiB
/// of them, or two groups.
pub struct Explainer {
    judging: Arc<OwnedJudge>,
    rules: RecentRules,
    /// Those of origins that layers over the policy change.
    changed_rules: RecentRules,
    preferences: KnownPreferences,
}

impl fmt::Debug for Explainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Explainer {{ agents: {} }}", self.judging.crawler.agents())
    }
}

impl Explainer {
    pub(super) fn new(judging: Arc<OwnedJudge>) -> Explainer {
        let [rules, changed_rules] = [(); 2].map(|()| RecentRules::new(KEPT / 2));
        Explainer { judging, rules, changed_rules, preferences: KnownPreferences::default() }
    }

    /// Keeps at most `bytes` of rules, or two groups.
    pub(crate) fn keep(&mut self, bytes: usize) {
        self.rules.limit = bytes / 2;
        self.changed_rules.limit = bytes / 2;
    }

    /// Finds the cause of a URL's outcome.
    pub fn explain(&mut self, url: &[u8]) -> Cause<'_> {
        let view = self.judging.view();
        let is_refused = view.is_refused(url, &mut self.preferences);
        let refusing = if is_refused { view.refusing(url, &mut self.preferences) } else { None };
        let Deciding { captured, status, rules } = self.deciding(url);
        let explanation = rules.map(|(rules, path)| rules.explain(&path));
        // What is allowed but refused is not blocked by a rule.
        let explanation = explanation.filter(|by| by.verdict == Verdict::Blocked || !is_refused);
        let (rule, agent) = match explanation {
            Some(by) => (by.rule.map(Cow::Borrowed), by.agent.map(Cow::Borrowed)),
            None => (refusing.map(Cow::Owned), None),
        };
        Cause { rule, agent, captured, status }
    }

    /// The rules that decide on a URL, and its path; `None` if something else does, or no group applies.
    #[cfg(feature = "cli")]
    pub(crate) fn rules<'u>(&mut self, url: &'u [u8]) -> Option<RulesAndPath<'_, 'u>> {
        self.deciding(url).rules
    }

    /// What decides on a URL.
    fn deciding<'u>(&mut self, url: &'u [u8]) -> Deciding<'_, 'u> {
        let Explainer { judging, rules, changed_rules, .. } = self;
        let (judge, url) = (judging.view(), origin::trimmed(url));
        let (judge, rules) = match judge.of_changed(url) {
            Some(changed) => (changed, changed_rules),
            None => (judge.clone(), rules),
        };
        let Ok((Some(record), end)) = judge.find(url) else { return Deciding::default() };
        let decision = judge.decisions.of(&record);
        let (column, group) = match decision {
            Decision::Walk(_) => judge.groups.answer(record.row),
            Decision::Fixed(_) => (0, None),
        };
        let rules = group.map(|group| rules.of(judge.policy(), group, column));
        let path = judge.policy().dialect().url_path.of(&url[end..]);
        let rules = rules.map(|rules| (rules, path));
        Deciding { captured: captured(&record, decision), status: judge.decisions.deciding_status(&record), rules }
    }
}

/// What decides on a URL.
#[derive(Default)]
struct Deciding<'r, 'u> {
    /// When the deciding answer was captured.
    captured: Option<i64>,
    /// Its status, if that decides.
    status: Option<u16>,
    /// The rules in it that decide, with the path that they decide on.
    rules: Option<RulesAndPath<'r, 'u>>,
}

/// Rules, and the path that they decide on.
type RulesAndPath<'r, 'u> = (&'r ChosenRules, Cow<'u, [u8]>);

/// When the deciding answer was captured: the answer whose rules are in use or, if its failure is the reason, the last answer.
fn captured(record: &Record<'_>, decision: Decision) -> Option<i64> {
    let state = record.state();
    if state.operator_override.ruling.is_some() {
        return None;
    }
    match decision.if_allowed().reason() {
        Reason::Unreachable | Reason::RedirectUnresolved | Reason::Incomplete | Reason::NotModified => {
            state.answered.fetched_at
        }
        _ => state.times_in_use().fetched_at,
    }
}

/// The rules of the groups used last, as many as fit in memory. There are two generations. Rules in use go into the young one;
/// when that takes half of the memory, it becomes the old one, and the previous old one is dropped.
#[derive(Debug)]
struct RecentRules {
    limit: usize,
    young: HashMap<(Group, usize), ChosenRules>,
    young_size: usize,
    old: HashMap<(Group, usize), ChosenRules>,
}

impl RecentRules {
    /// Starts empty; keeps at most `limit` bytes, or two groups.
    fn new(limit: usize) -> RecentRules {
        RecentRules { limit, young: HashMap::new(), young_size: 0, old: HashMap::new() }
    }

    /// The rules of a group for a column. The policy must be the same in all calls.
    fn of(&mut self, policy: &Policy, group: Group, column: usize) -> &ChosenRules {
        let key = (group, column);
        if !self.young.contains_key(&key) {
            let rules = self.old.remove(&key).unwrap_or_else(|| policy.rules(group, column));
            let size = rules.size();
            if self.young_size + size > self.limit / 2 {
                self.old = std::mem::take(&mut self.young);
                self.young_size = 0;
            }
            self.young_size += size;
            self.young.insert(key, rules);
        }
        &self.young[&key]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::judge::matcher::Matcher;
    use crate::judge::{Choices, Fallback, MaxAge};
    use crate::outcome::{Outcome, Partition};
    use crate::policy::{Answered, Capture, Captures, Overrides, source};
    use crate::robots::Agents;

    const BODY: &str = "User-agent: ExampleBot/2\nDisallow: /no\n\nUser-agent: *\nDisallow: /\n\n\
                        User-agent: examplebot\nAllow: /no/but\nDisallow: /a\tb\nDisallow: /*.gif$\n";

    fn capture(host: &str, status: u16, fetched_at: i64, body: Option<&str>) -> Capture {
        Capture {
            url: format!("http://{host}/robots.txt"),
            origin: Some(format!("http://{host}")),
            answered: Answered { status: Some(status), fetched_at: Some(fetched_at), ..Answered::default() },
            body: body.map(|body| body.as_bytes().into()),
            ..Capture::default()
        }
    }

    /// Origins of every kind: `good`, `failed` (with a last good answer), `refused`, `everybody`, and three with an override:
    /// `forbidden`, `replaced`, `paused`.
    fn policy(dialect: &str) -> Policy {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("overrides.toml");
        let text = "['http://forbidden']\nverdict = 'forbid-all'\n\
                    ['http://replaced']\nrobots-txt = \"User-agent: *\\nDisallow: /mine\"\n\
                    ['http://paused']\npaused-until = 1970-01-01T00:00:01Z\n";
        std::fs::write(&path, text).unwrap();
        let agents: Agents = "examplebot".parse().unwrap();
        let mut captures = Captures::new(agents, Dialect::named(dialect).unwrap());
        captures.add_overrides(&Overrides::read(&path).unwrap()).unwrap();
        let with_body = ["good", "failed", "forbidden", "replaced", "paused"];
        captures.add(with_body.map(|host| capture(host, 200, 7, Some(BODY))).to_vec()).unwrap();
        let more = [
            capture("failed", 503, 9, None),
            capture("down", 503, 8, None),
            capture("refused", 403, 6, None),
            capture("everybody", 200, 5, Some("User-agent: *\nDisallow: /\n")),
        ];
        captures.add(more.to_vec()).unwrap();
        captures.policy().unwrap()
    }

    /// The cause that blocked a URL: the rule with its line, the agent, the time; `None` if nothing did.
    fn cause(policy: &Policy, choices: Choices, url: &str) -> Option<(String, Option<i64>)> {
        let crawler = policy.crawler(None).unwrap();
        let matcher = Matcher::new(policy, crawler, choices);
        let outcome = matcher.judge(url);
        if outcome.partition() != Partition::Blocked {
            return None;
        }
        let Cause { rule, agent, captured, .. } = matcher.explain(url);
        assert_eq!(rule.is_some(), agent.is_some());
        let rule = rule.map(|rule| (rule.line, rule.key(), String::from_utf8_lossy(&rule.value).into_owned()));
        let rule = rule.map(|(line, key, value)| format!("{line} {key}: {value} ({})", agent.unwrap()));
        Some((rule.unwrap_or_default(), captured))
    }

    #[test]
    fn the_rule_that_decides_is_told_with_its_group_and_time() {
        let policy = policy("rfc9309");
        let of = |url: &str| cause(&policy, Choices::at(0), url);
        let rule = |text: &str, captured| Some((text.to_owned(), captured));
        assert_eq!(of("http://good/no"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
        assert_eq!(of("  http://GOOD/n%6F?x#y\r"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
        assert_eq!(of("http://good/a%09b"), rule("9 Disallow: /a\tb (examplebot)", Some(7)));
        assert_eq!(of("http://good/x.gif"), rule("10 Disallow: /*.gif$ (examplebot)", Some(7)));
        assert_eq!(of("http://everybody"), rule("2 Disallow: / (*)", Some(5)));
        assert_eq!(of("http://good/no/but"), None);
        assert_eq!(of("http://paused/no"), None, "it is deferred");
    }

    #[test]
    fn the_time_is_that_of_the_answer_that_decides() {
        let policy = policy("google");
        let of = |choices: Choices, url: &str| cause(&policy, choices, url);
        let no_rule = |captured| Some((String::new(), captured));
        let rule = |text: &str, captured| Some((text.to_owned(), captured));
        let with = |on_unreachable| Choices { on_unreachable, ..Choices::at(0) };
        assert_eq!(of(with(Fallback::Use), "http://failed/no"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
        assert_eq!(of(with(Fallback::Block), "http://failed/no"), no_rule(Some(9)), "the failure, not the rule");
        assert_eq!(of(with(Fallback::Block), "http://down/"), no_rule(Some(8)));
        assert_eq!(of(with(Fallback::Block), "http://forbidden/"), no_rule(None), "the operator's word has no time");
        assert_eq!(of(with(Fallback::Block), "http://replaced/mine"), rule("2 Disallow: /mine (*)", None));
        let unfetched = Choices { on_unfetched: Fallback::Block, ..Choices::at(0) };
        assert_eq!(of(unfetched, "http://never/"), no_rule(None));
        let stale = |on_stale| Choices { on_stale, max_age: Some(MaxAge::Seconds(1)), now: 100, ..Choices::at(0) };
        assert_eq!(of(stale(Fallback::Block), "http://good/no"), no_rule(Some(7)), "its age, not the rule");
        assert_eq!(of(stale(Fallback::Use), "http://good/no"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
    }

    #[test]
    fn what_is_refused_has_a_time_and_no_rule() {
        let policy = policy("draft-1996");
        assert_eq!(cause(&policy, Choices::at(0), "http://refused/"), Some((String::new(), Some(6))));
    }

    #[test]
    fn rules_are_kept_in_bounded_memory() {
        let bodies = (0..50).map(|n| (n, format!("User-agent: *\nDisallow: /{n}\n")));
        let captures_of = bodies.map(|(n, body)| capture(&format!("h{n}"), 200, n, Some(&body)));
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        captures.add(captures_of.collect()).unwrap();
        let policy = captures.policy().unwrap();
        let crawler = policy.crawler(None).unwrap();
        let groups = policy.groups(&crawler);
        let group = |n: u32| groups.group(policy.lookup().get(format!("http://h{n}").as_bytes()).unwrap().row).unwrap();
        let size = policy.rules(group(10), 0).size();
        for (limit, kept) in [(0, 2), (10 * size, 10), (1 << 30, 50)] {
            let mut rules = RecentRules::new(limit);
            for n in 0..200 {
                let n = n * 7 % 50;
                assert_eq!(rules.of(&policy, group(n), 0).rules[0].value, format!("/{n}").into_bytes());
                assert_eq!(rules.of(&policy, group(10), 0).rules[0].value, b"/10", "it is asked for again and again");
                assert!(rules.young.len() + rules.old.len() <= kept, "{limit}");
            }
            assert!(rules.young.len() + rules.old.len() + 1 >= kept / 2, "{limit}");
        }
    }

    #[test]
    fn explanations_and_automata_agree_on_real_lists() {
        let datasets = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("datasets");
        let text = std::fs::read(datasets.join("urls.txt")).unwrap();
        let urls: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        for dialect in Dialect::names().into_iter().map(|name| Dialect::named(name).unwrap()) {
            let mut captures = Captures::new("examplebot".parse::<Agents>().unwrap(), dialect);
            let sources = [datasets.join("sites"), datasets.join("origins.jsonl")];
            source::add(&sources, &source::Options::default(), &mut captures).unwrap();
            let policy = captures.policy().unwrap();
            let crawler = policy.crawler(None).unwrap();
            let matcher = Matcher::new(&policy, crawler, Choices::at(0));
            let (mut outcomes, mut blocked) = (Vec::new(), 0);
            matcher.judge_all(&urls, &mut outcomes);
            let mut explainer = matcher.explainer();
            for (url, outcome) in urls.iter().zip(&outcomes) {
                let by_rule = *outcome == Outcome::new(Partition::Blocked, Reason::Rules);
                let rule = explainer.explain(url).rule;
                assert_eq!(rule.is_some_and(|rule| !rule.allow), by_rule, "{} {}", dialect.name, url.escape_ascii());
                blocked += usize::from(by_rule);
            }
            assert!(blocked > 100, "{}", dialect.name);
        }
    }
}
