//! Judges URLs by a live policy: origins are looked up in its newest version first, then in the policy beneath.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use super::choices::Choices;
use super::decision::{Decision, DecisionTable, DecisionsAtCall};
use super::explain::Cause;
use super::matcher::{Matcher, with_scratch};
use super::required::closed_by;
use super::scratch::Scratch;
use super::slow::{ByRules, has_refused_tab};
use super::view::Route;
use crate::error::policy::Error;
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Crawler, LiveOrigin, LivePolicy, LiveState, Policy};
use crate::threads;

/// Judges URLs by a [`LivePolicy`], for one crawler, by all answers that were put before the call. Threads may share it; cloning only
/// increments a counter.
///
/// Origins that its URLs wait for are [needed](LivePolicy::needed).
#[derive(Clone)]
pub struct LiveMatcher(Arc<LiveJudge>);

struct LiveJudge {
    live: LivePolicy,
    crawler: Crawler,
    /// The columns that answer for the crawler.
    columns: Vec<usize>,
    /// By choices without a time, unless it is fixed.
    decisions: DecisionTable,
}

/// What decides on the URLs of an origin.
struct Deciding<'u, 's> {
    origin: Cow<'u, str>,
    /// Its state, or that of its sibling in its place.
    found: Option<LiveOrigin<'s>>,
    decision: Decision,
}

impl LivePolicy {
    /// A matcher for one of the crawlers, which sees what is put later. It judges at the time of each call, unless
    /// [`Choices::now`](field@Choices::now) is fixed.
    ///
    /// `agent` is a product token, `*`, or several tokens in order of preference, separated by commas (RFC 9309 2.2.1).
    ///
    /// # Errors
    ///
    /// If `agent` is not a product token or list of them, or is none of the crawlers; or if the [base](LivePolicy::over) does not fit.
    pub fn matcher(&self, agent: &str, choices: Choices) -> Result<LiveMatcher, Error> {
        self.fitted()?;
        let state = self.0.state.load_full();
        let crawler = state.base.crawler(Some(&agent.parse()?))?;
        let columns = state.base.answering(&crawler).to_vec();
        let decisions = DecisionTable::timeless(choices, self.0.dialect);
        Ok(LiveMatcher(Arc::new(LiveJudge { live: self.clone(), crawler, columns, decisions })))
    }
}

impl LiveMatcher {
    /// The outcome of a URL: its partition and the reason.
    pub fn judge(&self, url: impl AsRef<[u8]>) -> Outcome {
        let state = self.0.live.0.state.load();
        let decisions = self.0.decisions.at_call();
        with_scratch(|scratch| self.0.judge(&state, &decisions, &mut None, url.as_ref(), scratch))
    }

    /// Judges many URLs by one version; fills `outcomes` with one outcome for each, in order.
    pub fn judge_all<U: AsRef<[u8]>>(&self, urls: &[U], outcomes: &mut Vec<Outcome>) {
        self.0.judge_all(&self.0.live.0.state.load_full(), urls, outcomes);
    }

    /// The same; returns a [policy of their origins](LiveMatcher::policy_of), as that version has them.
    #[cfg(feature = "batch")]
    pub(crate) fn judge_all_with_policy<U: AsRef<[u8]>>(
        &self,
        urls: &[U],
        outcomes: &mut Vec<Outcome>,
    ) -> Result<Policy, Error> {
        let state = self.0.live.0.state.load_full();
        self.0.judge_all(&state, urls, outcomes);
        self.0.policy_of(&state, urls)
    }

    /// A policy of nothing but the origins of these URLs, which says of them what this matcher does.
    pub(crate) fn policy_of<U: AsRef<[u8]>>(&self, urls: &[U]) -> Result<Policy, Error> {
        self.0.policy_of(&self.0.live.0.state.load_full(), urls)
    }

    /// The cause of a URL's outcome: the rule with its line, the group it is in, and when its robots.txt was captured.
    pub fn explain(&self, url: impl AsRef<[u8]>) -> Cause {
        let LiveJudge { crawler, decisions, .. } = &*self.0;
        let url = url.as_ref();
        let policy = self.policy_of(&[url]);
        policy.map(|policy| Matcher::new(&policy, crawler.clone(), decisions.choices).explain(url)).unwrap_or_default()
    }

    /// The live policy.
    pub fn policy(&self) -> &LivePolicy {
        &self.0.live
    }
}

impl LiveJudge {
    fn judge_all<U: AsRef<[u8]>>(&self, state: &LiveState, urls: &[U], outcomes: &mut Vec<Outcome>) {
        let decisions = self.decisions.at_call();
        outcomes.clear();
        let mut last = None;
        with_scratch(|scratch| {
            for url in urls {
                threads::check();
                outcomes.push(self.judge(state, &decisions, &mut last, url.as_ref(), scratch));
            }
        });
    }

    fn policy_of<U: AsRef<[u8]>>(&self, state: &LiveState, urls: &[U]) -> Result<Policy, Error> {
        let mut origins = BTreeSet::new();
        for url in urls {
            threads::check();
            let Ok((origin, _)) = origin::split(url) else { continue };
            let origin = origin.as_bytes();
            if !origins.contains(origin) {
                origins.extend(if self.decisions.choices.www_fallback { origin::www_sibling(origin) } else { None });
                origins.insert(origin.to_vec());
            }
        }
        self.live.alone(state, origins.iter().map(Vec::as_slice))
    }

    /// The outcome of a URL by a version. `last` has what decides on the URL before, if there was one.
    fn judge<'u, 's>(
        &self,
        state: &'s LiveState,
        decisions: &DecisionsAtCall<'_>,
        last: &mut Option<Deciding<'u, 's>>,
        url: &'u [u8],
        scratch: &mut Scratch,
    ) -> Outcome {
        let url = origin::trimmed(url);
        if has_refused_tab(url, scratch) {
            return Outcome::new(Partition::Invalid, Reason::Tab);
        }
        let (origin, rest) = match origin::split(url) {
            Ok(found) => found,
            Err(reason) => return reason.into(),
        };
        let deciding = match last {
            Some(last) if last.origin == origin => last,
            _ => last.insert(self.deciding(state, decisions, origin)),
        };
        let outcome = self.by_rules(deciding, rest, scratch);
        if let Decision::Fixed(of_origin) = deciding.decision
            && of_origin.waits_for_robots_txt()
        {
            let lines = u64::from(outcome.waits_for_robots_txt());
            self.live.0.note_waiting(deciding.origin.as_bytes(), of_origin.reason(), lines, state.version);
        }
        self.required(deciding, outcome, (url, rest), scratch)
    }

    /// What decides on the URLs of an origin.
    fn deciding<'u, 's>(
        &self,
        state: &'s LiveState,
        decisions: &DecisionsAtCall<'_>,
        origin: Cow<'u, str>,
    ) -> Deciding<'u, 's> {
        let live = &*self.live.0;
        let found = live.origin(state, origin.as_bytes()).or_else(|| {
            let sibling =
                if self.decisions.choices.www_fallback { origin::www_sibling(origin.as_bytes()) } else { None };
            live.origin(state, &sibling?)
        });
        let decision =
            found.as_ref().map_or(Decision::Fixed(self.decisions.unfetched), |found| decisions.of_origin(found));
        Deciding { origin, found, decision }
    }

    /// The outcome of a URL by the decision and the rules, given the part after its origin.
    fn by_rules(&self, deciding: &Deciding<'_, '_>, rest: &[u8], scratch: &mut Scratch) -> Outcome {
        let Deciding { found, decision, .. } = deciding;
        let found = found.as_ref().filter(|_| matches!(decision, Decision::Walk(_)));
        let groups = found.map(|found| (found.groups(&self.columns), found.row()));
        let automaton = groups.as_ref().map(|(groups, row)| (groups, groups.automaton_of(*row)));
        let automaton = automaton.filter(|&(_, place)| place != 0).map(|(groups, place)| groups.item_at(place));
        let by_rules = ByRules { route: Route::new(*decision), automaton, dialect: self.live.0.dialect };
        by_rules.judge_rest(rest, scratch)
    }

    /// The outcome of a URL, given with the part after its origin, and given its outcome without preferences.
    fn required(
        &self,
        deciding: &Deciding<'_, '_>,
        outcome: Outcome,
        (url, rest): (&[u8], &[u8]),
        scratch: &mut Scratch,
    ) -> Outcome {
        let Some(requirements) = self.decisions.requirements().filter(|_| outcome.partition() == Partition::Allowed)
        else {
            return outcome;
        };
        let dialect = self.live.0.dialect;
        let preferred = deciding.found.as_ref().and_then(|found| {
            let (column, _) = found.groups(&self.columns).answer(found.row());
            let records = found.side_records(column, self.decisions.choices.content_signal);
            let path = dialect.url_path.of(rest);
            scratch.preferences.preferred(&records, dialect, &dialect.encoding.path(&path))
        });
        closed_by(requirements, preferred, url, dialect).unwrap_or(outcome)
    }
}

impl fmt::Debug for LiveMatcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LiveMatcher {{ agents: {}, policy: {:?} }}", self.0.crawler.agents(), self.0.live)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Override, Overrides};
    use crate::robots::Agents;

    #[test]
    fn a_matcher_that_is_kept_judges_by_the_time_of_each_call() {
        let mut overrides = Overrides::default();
        overrides.add("http://a.example", Override::default().paused_until(Some(1_000_000_000))).unwrap();
        let live = LivePolicy::new(Agents::everybody(), Dialect::DEFAULT);
        live.put_overrides(&overrides).unwrap();
        for (choices, expected) in [(Choices::default(), Reason::Unfetched), (Choices::at(5), Reason::Paused)] {
            let (matcher, mut outcomes) = (live.matcher("*", choices).unwrap(), Vec::new());
            matcher.judge_all(&["http://a.example/"], &mut outcomes);
            assert_eq!((matcher.judge("http://a.example/").reason(), outcomes[0].reason()), (expected, expected));
            assert_eq!(matcher.0.decisions.choices.now, choices.now, "the time of its making does not count");
        }
    }
}
