//! Explains an outcome: the rule that decided, and when its robots.txt was captured.
//!
//! An automaton has verdicts but no rules. To explain a line, the rules of its group are tried one by one, as written
//! in the robots.txt (`deciding_rule`); the only code that both share ranks the patterns.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::decision::Decision;
use super::preferred::KnownPreferences;
use super::required::REFUSED;
use super::view::{Judge, JudgeView};
use crate::formats::memory_budget::CacheMemory;
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Group, OriginState, WrittenRules};
use crate::robots::Rule;
#[cfg(feature = "cli")]
use crate::rules::chosen::ChosenRules;
use crate::rules::chosen::{KeptRule, is_always_allowed};

/// The cause of a URL's outcome under a policy. For a path judged by one robots.txt, see [`Explanation`](crate::Explanation).
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Cause {
    /// The rule, or the preference line that refuses a page whose fetching is allowed. `None` if the state of the
    /// robots.txt, an override, or the operator's choices decided instead, or if the site is silent on a required use.
    pub rule: Option<KeptRule>,
    /// The group of the rule, as the value of the `User-agent` line above it; `None` if no rule decided.
    pub agent: Option<String>,
    /// When the deciding answer was captured, in seconds of Unix time; `None` if that is unknown, or an override takes
    /// precedence over all answers.
    pub captured: Option<i64>,
    /// The status of the deciding answer, if the operator's [meaning](crate::Choices::statuses) of this status decided.
    pub status: Option<u16>,
}

impl fmt::Display for Cause {
    /// The rule, for example `line 3: Disallow: /private`, or else the status that decides, or `no rule`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.rule, self.status) {
            (Some(rule), _) => rule.fmt(f),
            (None, Some(status)) => write!(f, "status {status}"),
            (None, None) => f.write_str("no rule"),
        }
    }
}

/// Explains outcomes. Reuse one explainer in each thread: a URL with the origin of the previous URL needs no look-up,
/// and preferences are parsed once.
pub struct Explainer {
    judging: Arc<Judge>,
    preferences: KnownPreferences,
    /// The origin of the URL before; empty if it is not spelled in canonical form.
    origin: Vec<u8>,
    /// The basis of decisions on its URLs; `None` if the origin is unknown.
    deciding: Option<Deciding>,
    rules: WrittenRules,
}

/// The basis of decisions on the URLs of an origin.
struct Deciding {
    /// Whether layers over the policy change this origin.
    is_changed: bool,
    decision: Decision,
    /// Everything known about the origin except its rules.
    state: OriginState,
    /// The status of this answer, if the status decides.
    status: Option<u16>,
    /// The column and the group whose rules decide, if any do.
    group: Option<(usize, Group)>,
    /// The length of the origin in trimmed URLs.
    path_start: usize,
}

impl fmt::Debug for Explainer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Explainer {{ agents: {} }}", self.judging.crawler.agents())
    }
}

impl Explainer {
    pub(super) fn new(judging: Arc<Judge>, caches: &mut CacheMemory) -> Explainer {
        let (preferences, rules) = (caches.cache(), WrittenRules::default());
        Explainer { judging, preferences, origin: Vec::new(), deciding: None, rules }
    }

    /// Finds the cause of a URL's outcome.
    pub fn explain(&mut self, url: &[u8]) -> Cause {
        let url = origin::trimmed(url);
        self.look_up(url);
        let allows = |deciding: &Deciding| deciding.decision.if_allowed().partition() == Partition::Allowed;
        let may_be_refused = self.deciding.as_ref().is_some_and(allows);
        // An allowed page that does not meet the run's requirements is not blocked by a rule.
        let view = self.judging.view();
        let required = if may_be_refused { view.by_requirements(url, &mut self.preferences) } else { None };
        let Some(deciding) = &self.deciding else { return Cause::default() };
        let captured = captured(&deciding.state, deciding.decision);
        let status = deciding.status.filter(|_| !self.is_spared(url));
        let (rule, agent) = match self.rule(url).filter(|rule| !rule.allow || required.is_none()) {
            Some(rule) => (Some(KeptRule::of(&rule)), self.agent_above(&rule)),
            None if required == Some(REFUSED) => (self.judging.view().refusing(url, &mut self.preferences), None),
            None => (None, None),
        };
        Cause { rule, agent, captured, status }
    }

    /// The outcome of a URL that is blocked regardless of preferences, and the rule that blocks it, if one does.
    pub(crate) fn blocking(&mut self, url: &[u8]) -> Option<(Outcome, Option<Rule<'_>>)> {
        let url = origin::trimmed(url);
        self.look_up(url);
        let (outcome, rule) = match self.deciding.as_ref()?.decision {
            Decision::Fixed(_) if self.is_spared(url) => return None,
            Decision::Fixed(outcome) => (outcome, None),
            Decision::Walk(reason) => {
                let rule = self.rule(url).filter(|rule| !rule.allow)?;
                (Outcome::new(Partition::Blocked, reason), Some(rule))
            }
        };
        (outcome.partition() == Partition::Blocked).then_some((outcome, rule))
    }

    /// The decision on the origin that a URL is judged by, before its path is looked at, and the state of the origin; `None` if it is
    /// unknown.
    #[cfg(feature = "batch")]
    pub(crate) fn basis(&mut self, url: &[u8]) -> Option<(Decision, OriginState)> {
        self.look_up(origin::trimmed(url));
        self.deciding.as_ref().map(|deciding| (deciding.decision, deciding.state))
    }

    /// The rules that decide on a URL, and its path; `None` if something else does, or no group applies.
    #[cfg(feature = "cli")]
    pub(crate) fn rules<'u>(&mut self, url: &'u [u8]) -> Option<(ChosenRules, Cow<'u, [u8]>)> {
        let url = origin::trimmed(url);
        self.look_up(url);
        let deciding = self.deciding.as_ref()?;
        let (column, group) = deciding.group?;
        Some((self.judge(deciding).policy().rules(group, column), self.path(url, deciding)))
    }

    /// Finds the basis of the decision on a trimmed URL, unless it has the origin of the previous URL.
    fn look_up(&mut self, url: &[u8]) {
        let rest = url.strip_prefix(&*self.origin).filter(|_| !self.origin.is_empty());
        // Such a URL has its origin wherever the next slash is.
        if rest.is_some_and(|rest| rest.starts_with(b"/") && !origin::has_line_feed(rest)) {
            return;
        }
        self.origin.clear();
        self.deciding = self.found(url);
        // A mapped file may change, so the record found may be that of another origin.
        let is_found = |end: usize| self.deciding.as_ref().is_none_or(|deciding| deciding.path_start == end);
        if let Some(end) = origin::canonical_cut(url).filter(|&end| is_found(end)) {
            self.origin.extend_from_slice(&url[..end]);
        }
    }

    /// The basis of the decision on a trimmed URL; reads its rules.
    fn found(&mut self, url: &[u8]) -> Option<Deciding> {
        let view = self.judging.view();
        let changed = view.of_changed(url);
        let is_changed = changed.is_some();
        let judge = changed.unwrap_or(view);
        let (Some(record), path_start) = judge.find(url).ok()? else { return None };
        let decision = judge.decisions.of(&record);
        let (column, group) = match decision {
            Decision::Walk(_) => judge.groups.answer(record.row),
            Decision::Fixed(_) => (0, None),
        };
        let group = group.map(|group| (column, group));
        if let Some((_, group)) = group {
            judge.policy().read_rules(group, &mut self.rules);
        }
        let (state, status) = (record.state(), judge.decisions.deciding_status(&record));
        Some(Deciding { is_changed, decision, state, status, group, path_start })
    }

    /// The view that judges the URLs of this origin.
    fn judge(&self, deciding: &Deciding) -> JudgeView<'_> {
        let view = self.judging.view();
        if deciding.is_changed { view.changed().unwrap_or(view) } else { view }
    }

    /// The path of a trimmed URL, as it is judged.
    fn path<'u>(&self, url: &'u [u8], deciding: &Deciding) -> Cow<'u, [u8]> {
        self.judging.policy.dialect().url_path.of(&url[deciding.path_start..])
    }

    /// The rule that decides on a trimmed URL that was looked up, if one does.
    fn rule(&self, url: &[u8]) -> Option<Rule<'_>> {
        let deciding = self.deciding.as_ref().filter(|deciding| deciding.group.is_some())?;
        let (dialect, path) = (self.judging.policy.dialect(), self.path(url, deciding));
        let path = dialect.encoding.path(&path);
        self.rules.deciding(&path, dialect).filter(|rule| rule.allow || !is_always_allowed(&path, dialect))
    }

    /// Whether a trimmed URL that was looked up is always allowed, even if its origin is closed.
    fn is_spared(&self, url: &[u8]) -> bool {
        let closed = self.deciding.as_ref().is_some_and(|deciding| match deciding.decision {
            Decision::Fixed(outcome) => outcome.spares_robots_txt(),
            Decision::Walk(_) => false,
        });
        closed && self.judging.view().always_allows(url)
    }

    /// The value of the `User-agent` line above a rule that decides.
    fn agent_above(&self, rule: &Rule<'_>) -> Option<String> {
        let deciding = self.deciding.as_ref()?;
        let (column, group) = deciding.group?;
        let judge = self.judge(deciding);
        let agents = &judge.policy().columns().all()[column];
        let agent = self.rules.agent_above(rule, group.own, agents, judge.policy().dialect());
        agent.map(|agent| agent.kept().0)
    }
}

/// When the deciding answer was captured: the answer whose rules are in use or, if its failure is the reason, the last answer.
fn captured(state: &OriginState, decision: Decision) -> Option<i64> {
    if state.operator_override.ruling.is_some() {
        return None;
    }
    match decision.if_allowed().reason() {
        Reason::Unreachable
        | Reason::RedirectUnresolved
        | Reason::Incomplete
        | Reason::NotText
        | Reason::NotModified => state.answered.fetched_at,
        _ => state.times_in_use().fetched_at,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::judge::matcher::Matcher;
    use crate::judge::{Choices, Fallback, MaxAge};
    use crate::policy::{Answered, Capture, Captures, Override, Overrides, Policy, Ruling, source};
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
        let (mut overrides, body) = (Overrides::default(), b"User-agent: *\nDisallow: /mine");
        let ruled = |ruling| Override::default().ruling(Some(ruling));
        for (origin, entry) in [
            ("http://forbidden", ruled(Ruling::ForbidAll)),
            ("http://replaced", ruled(Ruling::RobotsTxt).robots_txt(Some((*body).into()))),
            ("http://paused", Override::default().paused_until(Some(1))),
        ] {
            overrides.add(origin, entry).unwrap();
        }
        let agents: Agents = "examplebot".parse().unwrap();
        let mut captures = Captures::new(agents, Dialect::named(dialect).unwrap());
        captures.add_overrides(&overrides).unwrap();
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
    fn what_was_learnt_of_one_url_is_used_for_its_origin_only() {
        let policy = policy("google");
        let crawler = policy.crawler(None).unwrap();
        let choices = Choices { on_unreachable: Fallback::Block, ..Choices::at(0) };
        let matcher = Matcher::new(&policy, crawler, choices);
        let urls = [
            "http://good/no",
            "http://good/no/but",
            " http://good/x.gif",
            "http://good/no\nhttp://good/no",
            "http://good",
            "http:///good/no",
            "http:///everybody/",
            "http:///down/",
            "http://GOOD/no",
            "http://good?/no",
            "http://good:80/no",
            "http://good:81/no",
            "http://goodness/no",
            "http://good/no\t",
            "http://everybody/no",
            "http://everybody/robots.txt",
            "http://down/no",
            "http://never/no",
            "no",
            "",
        ];
        let mut explainer = matcher.explainer();
        for (before, url) in urls.iter().flat_map(|before| urls.map(|url| (before, url))) {
            explainer.explain(before.as_bytes());
            assert_eq!(explainer.explain(url.as_bytes()), matcher.explain(url), "{url:?} after {before:?}");
            let blocking = explainer.blocking(url.as_bytes()).map(|(outcome, _)| outcome);
            let outcome = matcher.judge(url);
            assert_eq!(blocking, Some(outcome).filter(|outcome| outcome.partition() == Partition::Blocked), "{url:?}");
        }
    }

    #[cfg(feature = "batch")]
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
