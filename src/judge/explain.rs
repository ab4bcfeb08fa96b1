//! What blocked a line: the rule that decided, and when the robots.txt that it is from was captured.
//!
//! An automaton knows verdicts and no rules. So a blocked line is judged once more, by the rules of its group as they
//! stand in the robots.txt ([`ChosenRules::explain`]), a way that shares nothing with the automaton. To decode and rank the
//! rules of a group takes much longer than to ask them, so an [`Explainer`] keeps those that it met last.

use std::collections::HashMap;

use super::decision::Decision;
use crate::judge::matcher::Judge;
use crate::origin;
use crate::outcome::Reason;
use crate::policy::{Group, Policy, Record};
use crate::rules::Verdict;
use crate::rules::chosen::{ChosenRules, KeptRule};

/// How much memory the rules that an [`Explainer`] keeps may take, in bytes, unless asked otherwise. The two largest groups of a policy are kept
/// whatever they take.
const KEPT: usize = 16 << 20;

/// What blocked a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cause<'e> {
    /// The rule; `None` where no rule decided, but the standing of the robots.txt, the operator's word or choice.
    pub rule: Option<&'e KeptRule>,
    /// The group that the rule is from: the value of the `User-agent` line that it stands below; `None` where no rule
    /// decided.
    pub agent: Option<&'e str>,
    /// When the answer that decided was captured, in seconds of Unix time; `None` where nobody knows, or where the
    /// operator's word stands above all answers.
    pub captured: Option<i64>,
}

/// Explains blocked lines; one for each thread, used again and again. It keeps 16 MiB of rules at most (see
/// [`Explainer::keep`]), or the two largest groups of the policy.
#[derive(Debug)]
pub struct Explainer<'j, 'p> {
    judge: &'j Judge<'p>,
    rules: RecentRules<'p>,
}

impl<'j, 'p> Explainer<'j, 'p> {
    /// Explains what `judge` blocks.
    pub fn new(judge: &'j Judge<'p>) -> Explainer<'j, 'p> {
        Explainer { judge, rules: RecentRules::new(judge.policy(), KEPT) }
    }

    /// Keeps so many bytes of rules at most, or two groups.
    pub fn keep(&mut self, bytes: usize) {
        self.rules.limit = bytes;
    }

    /// What blocked a line, of which this is the URL. For a line that is not blocked, no rule is said.
    pub fn explain(&mut self, url: &[u8]) -> Cause<'_> {
        let url = origin::trimmed(url);
        let unknown = Cause { rule: None, agent: None, captured: None };
        let Ok((origin, end)) = self.judge.origin_of(url) else { return unknown };
        match self.judge.policy().lookup().get(origin.as_bytes()) {
            Some(record) => self.explain_path(&record, &origin::path(&url[end..])),
            None => unknown,
        }
    }

    /// The same of a path with its query, as it stands in the URL, of the origin of a record.
    pub(crate) fn explain_path(&mut self, record: &Record<'_>, path: &[u8]) -> Cause<'_> {
        let decision = self.judge.decision(record);
        let captured = captured(record, decision);
        let none = Cause { rule: None, agent: None, captured };
        let group = match decision {
            Decision::Walk(_) => self.judge.groups().of(record.row),
            Decision::Fixed(_) => None,
        };
        let Some(group) = group else { return none };
        let rules = self.rules.of(group);
        let explanation = rules.explain(path);
        match explanation.rule.filter(|_| explanation.verdict == Verdict::Blocked) {
            Some(rule) => {
                let agent = rules.agent_line(Some(rule)).map(|(name, _)| name.as_str());
                Cause { rule: Some(rule), agent, captured }
            }
            None => none,
        }
    }
}

/// When the answer that decided was captured: the one whose rules are in use, or, where its failure is the reason, the
/// last one.
fn captured(record: &Record<'_>, decision: Decision) -> Option<i64> {
    let state = record.state();
    if state.word.ruling.is_some() {
        return None;
    }
    match decision.if_allowed().reason() {
        Reason::Unreachable | Reason::RedirectUnresolved => state.answered.fetched_at,
        _ => state.times_in_use().fetched_at,
    }
}

/// Rules of groups, as many of those that were asked for last as there is memory for. They are in two generations: what is
/// asked for is in the young one; when that has taken half of the memory, it becomes the old one, and what was in the old one
/// and not asked for meanwhile is forgotten.
#[derive(Debug)]
struct RecentRules<'p> {
    policy: &'p Policy,
    limit: usize,
    young: HashMap<Group, ChosenRules>,
    young_size: usize,
    old: HashMap<Group, ChosenRules>,
}

impl<'p> RecentRules<'p> {
    /// Those of a policy, of so many bytes at most, or two groups.
    fn new(policy: &'p Policy, limit: usize) -> RecentRules<'p> {
        RecentRules { policy, limit, young: HashMap::new(), young_size: 0, old: HashMap::new() }
    }

    /// The rules of a group.
    fn of(&mut self, group: Group) -> &ChosenRules {
        if !self.young.contains_key(&group) {
            let rules = self.old.remove(&group).unwrap_or_else(|| self.policy.rules(group));
            let size = rules.size();
            if self.young_size + size > self.limit / 2 {
                self.old = std::mem::take(&mut self.young);
                self.young_size = 0;
            }
            self.young_size += size;
            self.young.insert(group, rules);
        }
        &self.young[&group]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::judge::decision::{Choices, Fallback, MaxAge};
    use crate::judge::scratch::Scratch;
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

    /// Origins of every kind: `good`, `failed` (with a last good answer), `refused`, `everybody`, and three with a word of the
    /// operator's: `forbidden`, `replaced`, `paused`.
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

    /// What blocked a URL: the rule with its line, the agent, the time; `None` if nothing did.
    fn cause(policy: &Policy, choices: Choices, url: &str) -> Option<(String, Option<i64>)> {
        let crawler = policy.crawler(None).unwrap();
        let judge = Judge::new(policy, &crawler, choices);
        let outcome = judge.judge_line(url.as_bytes(), &mut Scratch::default());
        if outcome.partition() != Partition::Blocked {
            return None;
        }
        let mut explainer = Explainer::new(&judge);
        let Cause { rule, agent, captured } = explainer.explain(url.as_bytes());
        assert_eq!(rule.is_some(), agent.is_some());
        let rule = rule.map(|rule| (rule.line, rule.key(), String::from_utf8_lossy(&rule.value).into_owned()));
        let rule = rule.map(|(line, key, value)| format!("{line} {key}: {value} ({})", agent.unwrap()));
        Some((rule.unwrap_or_default(), captured))
    }

    #[test]
    fn the_rule_that_decides_is_told_with_its_group_and_time() {
        let policy = policy("rfc9309");
        let of = |url: &str| cause(&policy, Choices::default(), url);
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
        let with = |on_unreachable| Choices { on_unreachable, ..Choices::default() };
        assert_eq!(of(with(Fallback::Use), "http://failed/no"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
        assert_eq!(of(with(Fallback::Block), "http://failed/no"), no_rule(Some(9)), "the failure, not the rule");
        assert_eq!(of(with(Fallback::Block), "http://down/"), no_rule(Some(8)));
        assert_eq!(of(with(Fallback::Block), "http://forbidden/"), no_rule(None), "the operator's word has no time");
        assert_eq!(of(with(Fallback::Block), "http://replaced/mine"), rule("2 Disallow: /mine (*)", None));
        let unfetched = Choices { on_unfetched: Fallback::Block, ..Choices::default() };
        assert_eq!(of(unfetched, "http://never/"), no_rule(None));
        let stale = |on_stale| Choices { on_stale, max_age: Some(MaxAge::Seconds(1)), now: 100, ..Choices::default() };
        assert_eq!(of(stale(Fallback::Block), "http://good/no"), no_rule(Some(7)), "its age, not the rule");
        assert_eq!(of(stale(Fallback::Use), "http://good/no"), rule("2 Disallow: /no (ExampleBot/2)", Some(7)));
    }

    #[test]
    fn what_is_refused_has_a_time_and_no_rule() {
        let policy = policy("draft-1996");
        assert_eq!(cause(&policy, Choices::default(), "http://refused/"), Some((String::new(), Some(6))));
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
        let group = |n: u32| groups.of(policy.lookup().get(format!("http://h{n}").as_bytes()).unwrap().row).unwrap();
        let size = policy.rules(group(10)).size();
        for (limit, kept) in [(0, 2), (10 * size, 10), (1 << 30, 50)] {
            let mut rules = RecentRules::new(&policy, limit);
            for n in 0..200 {
                let n = n * 7 % 50;
                assert_eq!(rules.of(group(n)).rules()[0].value, format!("/{n}").into_bytes());
                assert_eq!(rules.of(group(10)).rules()[0].value, b"/10", "it is asked for again and again");
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
            let judge = Judge::new(&policy, &crawler, Choices::default());
            let (mut outcomes, mut blocked) = (Vec::new(), 0);
            judge.judge_all(&urls, &mut outcomes, &mut Scratch::default());
            let mut explainer = Explainer::new(&judge);
            for (url, outcome) in urls.iter().zip(&outcomes) {
                let by_rule = *outcome == Outcome::new(Partition::Blocked, Reason::Rules);
                let cause = explainer.explain(url);
                assert_eq!(cause.rule.is_some(), by_rule, "{} {}", dialect.name, url.escape_ascii());
                blocked += usize::from(by_rule);
            }
            assert!(blocked > 100, "{}", dialect.name);
        }
    }
}
