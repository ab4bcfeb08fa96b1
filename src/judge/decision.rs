//! The decision for an origin, from its answers and the operator's choices.

use std::cell::OnceCell;

use super::choices::{Choices, Fallback, MaxAge};
use crate::dialect::{Dialect, Lifetime};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{
    Class, FinalStatuses, LiveOrigin, OriginState, OriginStatus, OverrideState, Policy, Record, Ruling, Times,
};
use crate::preferences::Requirements;

/// The decision for an origin, before its path is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    /// All URLs of the origin have this outcome.
    Fixed(Outcome),
    /// The group's automaton decides, if a group applies; this is the reason.
    Walk(Reason),
}

impl Decision {
    /// The partition of all URLs of the origin; `None` if a group decides.
    pub fn partition(self) -> Option<Partition> {
        match self {
            Decision::Fixed(outcome) => Some(outcome.partition()),
            Decision::Walk(_) => None,
        }
    }

    /// The outcome if the automaton allows the path.
    #[inline]
    pub fn if_allowed(self) -> Outcome {
        match self {
            Decision::Fixed(outcome) => outcome,
            Decision::Walk(reason) => Outcome::new(Partition::Allowed, reason),
        }
    }

    /// The outcome if no group applies to the crawler.
    #[inline]
    pub fn without_group(self) -> Outcome {
        match self {
            Decision::Fixed(outcome) => outcome,
            Decision::Walk(Reason::Rules) => Outcome::new(Partition::Allowed, Reason::NoGroup),
            Decision::Walk(reason) => Outcome::new(Partition::Allowed, reason),
        }
    }
}

/// The decisions for the states of an origin, by the choices.
#[derive(Debug, Clone)]
pub(crate) struct DecisionTable {
    pub unfetched: Outcome,
    pub choices: Choices,
    lifetime: Option<Lifetime>,
    /// Has the answers of all origins, if the choices give any status a meaning.
    answers: Option<Policy>,
}

/// The operator's meanings for the statuses of an origin's answers; none by default.
#[derive(Debug, Clone, Copy, Default)]
struct StatusOverride {
    /// The meaning of the last answer's status.
    last: Option<Partition>,
    /// The meaning of the last good answer's status, if the last answer is not a verdict.
    last_good: Option<Partition>,
}

/// Whether an origin's answer of this kind has a status that the operator may give a meaning.
fn may_be_named(origin_status: OriginStatus) -> bool {
    matches!(origin_status, OriginStatus::Unavailable | OriginStatus::Forbidden | OriginStatus::Unreachable)
}

impl DecisionTable {
    /// For the origins of a policy, at the time of its making, if these choices have none.
    pub fn new(choices: Choices, policy: &Policy) -> DecisionTable {
        let answers = (!choices.statuses.is_empty()).then(|| policy.clone());
        DecisionTable { answers, ..DecisionTable::timeless(choices.timed(), policy.dialect()) }
    }

    /// At the time of each call, if these choices have none.
    pub fn timeless(choices: Choices, dialect: &Dialect) -> DecisionTable {
        let lifetime = choices.max_age.map(|max_age| match max_age {
            MaxAge::Seconds(seconds) => Lifetime { seconds, expires_header: false },
            MaxAge::Dialect => dialect.lifetime,
        });
        DecisionTable { unfetched: unfetched(&choices), choices, lifetime, answers: None }
    }

    /// The requirements on preferences; `None` if there are none.
    #[inline]
    pub fn requirements(&self) -> Option<&Requirements> {
        Some(&self.choices.require).filter(|requirements| !requirements.is_empty())
    }

    /// The decisions at the time of this call, which all of them share.
    #[inline]
    pub fn at_call(&self) -> DecisionsAtCall<'_> {
        DecisionsAtCall { table: self, now: OnceCell::new() }
    }

    /// The decision for a record.
    #[inline]
    pub fn of(&self, record: &Record<'_>) -> Decision {
        let decisions = self.at_call();
        if record.is_overridden()
            && let Some(decision) = decisions.by_override(record.operator_override())
        {
            return decision;
        }
        let said = self.said_of(record).0;
        decisions.of_state(record.origin_status, record.last_good, record.html_page, said, || record.state())
    }

    /// The status of the answer that decides on a record's origin, if the operator's meaning of this status decides.
    pub fn deciding_status(&self, record: &Record<'_>) -> Option<u16> {
        let Decision::Fixed(outcome) = self.of(record) else { return None };
        if matches!(outcome.reason(), Reason::Override | Reason::Paused | Reason::LongUnreachable) {
            return None;
        }
        let (said, statuses) = self.said_of(record);
        let of_good = || said.last_good.filter(|_| self.choices.on_unreachable == Fallback::Use);
        said.last.map_or_else(|| of_good().and(statuses.last_good), |_| statuses.last)
    }

    /// The decisions for the classes of origins, by class number; `None` if the decision depends on a time or a status,
    /// which only the record has.
    pub fn by_class(&self) -> [Option<Decision>; 256] {
        std::array::from_fn(|number| self.of_class(Class::from_number(number as u8)?))
    }

    fn of_class(&self, class: Class) -> Option<Decision> {
        let (origin_status, good) = class.origin_status()?;
        let by_override = self.at_call().by_override(OverrideState { ruling: class.ruling(), paused_until: None });
        if by_override.is_some() {
            return by_override;
        }
        if self.asks_statuses(origin_status, good) {
            return None;
        }
        let by_time = origin_status.is_unreachable() && self.choices.unreachable_as_unavailable.is_some();
        let decision = of_answers(&self.choices, origin_status, good, class.html_page(), StatusOverride::default());
        let by_age = self.lifetime.is_some() && self.is_judged_by_age(decision);
        (!by_time && !by_age).then_some(decision)
    }

    /// Whether the decision on an origin may depend on the status of an answer.
    fn asks_statuses(&self, origin_status: OriginStatus, good: Option<OriginStatus>) -> bool {
        // Most origins have a robots.txt, and looking through all statuses takes longer.
        (may_be_named(origin_status) || good.is_some_and(may_be_named)) && !self.choices.statuses.is_empty()
    }

    /// The operator's meanings for the statuses of a record's answers, and these statuses. The record has the status of the origin's
    /// own robots.txt, so the answers are looked up only for redirects.
    fn said_of(&self, record: &Record<'_>) -> (StatusOverride, FinalStatuses) {
        self.said(record.origin_status, record.last_good, || {
            let own = record.state().answered.status;
            let is_final = own.is_some_and(|status| status >= 400) && !record.last_good.is_some_and(may_be_named);
            match &self.answers {
                _ if is_final => FinalStatuses { last: own, last_good: None },
                Some(policy) => policy.final_statuses(record),
                None => FinalStatuses::default(),
            }
        })
    }

    /// The operator's meanings for the statuses of an origin's answers, and these statuses. An unknown status may be one that must not
    /// be allowed.
    fn said(
        &self,
        origin_status: OriginStatus,
        good: Option<OriginStatus>,
        statuses: impl FnOnce() -> FinalStatuses,
    ) -> (StatusOverride, FinalStatuses) {
        if !self.asks_statuses(origin_status, good) {
            return Default::default();
        }
        let meaning = |of: OriginStatus, status: Option<u16>| match status.filter(|_| may_be_named(of)) {
            Some(status) => self.choices.statuses.meaning(status)?.partition(),
            None => (of == OriginStatus::Unavailable).then_some(Partition::Deferred),
        };
        let statuses = statuses();
        let last_good = good.and_then(|good| meaning(good, statuses.last_good));
        (StatusOverride { last: meaning(origin_status, statuses.last), last_good }, statuses)
    }

    /// Whether a decision is based on an answer that can become too old.
    fn is_judged_by_age(&self, decision: Decision) -> bool {
        match decision {
            Decision::Walk(_) => true,
            Decision::Fixed(outcome) => {
                let is_answer = matches!(outcome.reason(), Reason::Unavailable | Reason::Forbidden | Reason::LastGood);
                is_answer && outcome.partition() != Partition::Deferred
            }
        }
    }
}

/// The decisions of a table at the time of one call. Without a time in the choices, it is read from the clock when it is first needed.
pub(crate) struct DecisionsAtCall<'t> {
    table: &'t DecisionTable,
    now: OnceCell<i64>,
}

impl DecisionsAtCall<'_> {
    #[inline]
    fn now(&self) -> i64 {
        *self.now.get_or_init(|| self.table.choices.time())
    }

    /// The decision for an origin of a live policy.
    pub fn of_origin(&self, origin: &LiveOrigin<'_>) -> Decision {
        let state = origin.state();
        if let Some(decision) = self.by_override(state.operator_override) {
            return decision;
        }
        let good = state.last_good.map(|good| good.origin_status);
        let said = self.table.said(state.origin_status, good, || origin.statuses()).0;
        self.of_state(state.origin_status, good, state.html_page, said, || state)
    }

    /// The decision by an override of the operator, which takes precedence over all answers and never ages.
    fn by_override(&self, given: OverrideState) -> Option<Decision> {
        let fixed = |partition, reason| Some(Decision::Fixed(Outcome::new(partition, reason)));
        if given.paused_until.is_some_and(|until| self.now() < until) {
            return fixed(Partition::Deferred, Reason::Paused);
        }
        match given.ruling? {
            Ruling::AllowAll => fixed(Partition::Allowed, Reason::Override),
            Ruling::ForbidAll => fixed(Partition::Blocked, Reason::Override),
            Ruling::RobotsTxt => Some(Decision::Walk(Reason::Rules)),
        }
    }

    #[inline]
    fn of_state(
        &self,
        origin_status: OriginStatus,
        good: Option<OriginStatus>,
        html_page: bool,
        said: StatusOverride,
        state: impl Fn() -> OriginState,
    ) -> Decision {
        if said.last.is_none() && origin_status.is_unreachable() && self.is_long_unreachable(&state) {
            return Decision::Fixed(Outcome::new(Partition::Allowed, Reason::LongUnreachable));
        }
        let decision = of_answers(&self.table.choices, origin_status, good, html_page, said);
        match self.table.lifetime {
            Some(lifetime) if said.last.is_some_and(|partition| partition != Partition::Deferred) => {
                self.aged(decision, state().answered.times(), lifetime)
            }
            Some(lifetime) if self.table.is_judged_by_age(decision) => {
                self.aged(decision, state().times_in_use(), lifetime)
            }
            _ => decision,
        }
    }

    /// Whether an origin has been unreachable for so long that it counts as having no robots.txt.
    fn is_long_unreachable(&self, state: impl FnOnce() -> OriginState) -> bool {
        let Some(seconds) = self.table.choices.unreachable_as_unavailable else { return false };
        let since = state().answered.failing_since();
        since.is_some_and(|since| since.saturating_add_unsigned(seconds) <= self.now())
    }

    fn aged(&self, decision: Decision, times: Times, lifetime: Lifetime) -> Decision {
        if times.until(lifetime).is_some_and(|until| until >= self.now()) {
            return decision;
        }
        match (self.table.choices.on_stale.partition(), decision) {
            (Some(partition), _) => Decision::Fixed(Outcome::new(partition, Reason::Stale)),
            (None, Decision::Walk(_)) => Decision::Walk(Reason::Stale),
            (None, Decision::Fixed(outcome)) => Decision::Fixed(Outcome::new(outcome.partition(), Reason::Stale)),
        }
    }
}

/// The outcome for lines whose robots.txt was never fetched.
fn unfetched(choices: &Choices) -> Outcome {
    Outcome::new(choices.on_unfetched.partition().unwrap_or(Partition::Deferred), Reason::Unfetched)
}

/// The decision from the answers, regardless of their age.
fn of_answers(
    choices: &Choices,
    origin_status: OriginStatus,
    good: Option<OriginStatus>,
    html_page: bool,
    said: StatusOverride,
) -> Decision {
    let fixed = |partition, reason| Decision::Fixed(Outcome::new(partition, reason));
    let by_rules = |reason| match choices.on_html.partition().filter(|_| html_page) {
        Some(partition) => fixed(partition, Reason::HtmlPage),
        None => Decision::Walk(reason),
    };
    let by_status = |partition, reason| fixed(said.last.unwrap_or(partition), reason);
    let by_last_good = |partition, failed| match said.last_good.unwrap_or(partition) {
        Partition::Deferred => fixed(Partition::Deferred, failed),
        partition => fixed(partition, Reason::LastGood),
    };
    let failed = |reason| match (said.last.or(choices.on_unreachable.partition()), good) {
        (Some(partition), _) => fixed(partition, reason),
        (None, Some(OriginStatus::RobotsTxt)) => by_rules(Reason::LastGood),
        (None, Some(OriginStatus::Unavailable)) => by_last_good(Partition::Allowed, reason),
        (None, Some(OriginStatus::Forbidden)) => by_last_good(Partition::Blocked, reason),
        (None, _) => fixed(Partition::Deferred, reason),
    };
    match origin_status {
        OriginStatus::RobotsTxt => by_rules(Reason::Rules),
        OriginStatus::Unavailable => by_status(Partition::Allowed, Reason::Unavailable),
        OriginStatus::Forbidden => by_status(Partition::Blocked, Reason::Forbidden),
        OriginStatus::Unreachable => failed(Reason::Unreachable),
        OriginStatus::RedirectUnresolved => failed(Reason::RedirectUnresolved),
        OriginStatus::Incomplete => failed(Reason::Incomplete),
        OriginStatus::NotText => failed(Reason::NotText),
        OriginStatus::NotModified => failed(Reason::NotModified),
        OriginStatus::Unfetched => Decision::Fixed(unfetched(choices)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Statuses;
    use crate::policy::state::LastGood;
    use crate::policy::{Answered, Capture, Captures};
    use crate::robots::Agents;

    fn decided(
        choices: Choices,
        origin_status: OriginStatus,
        good: Option<OriginStatus>,
        answered: Answered,
    ) -> Decision {
        let last_good = good.map(|origin_status| LastGood { origin_status, times: Times::default() });
        let state = OriginState {
            origin_status,
            answered,
            last_good,
            html_page: false,
            operator_override: OverrideState::default(),
        };
        DecisionTable::timeless(choices, Dialect::named("draft-1996").unwrap()).at_call().of_state(
            origin_status,
            good,
            false,
            StatusOverride::default(),
            || state,
        )
    }

    #[test]
    fn an_origin_that_is_unreachable_for_long_is_as_one_without_a_robots_txt() {
        let with = |origin_status, on_unreachable, answered| {
            let choices = Choices {
                on_unreachable,
                unreachable_as_unavailable: Some(100),
                on_stale: Fallback::Block,
                max_age: Some(MaxAge::Seconds(0)),
                now: 1000,
                ..Choices::at(0)
            };
            decided(choices, origin_status, Some(OriginStatus::RobotsTxt), answered)
        };
        let allowed = Decision::Fixed(Outcome::new(Partition::Allowed, Reason::LongUnreachable));
        let since = |unreachable_since, fetched_at| Answered { unreachable_since, fetched_at, ..Answered::default() };
        for fallback in [Fallback::Defer, Fallback::Block, Fallback::Use] {
            let of = |answered| with(OriginStatus::Unreachable, fallback, answered);
            assert_eq!(of(since(Some(900), Some(999))), allowed, "to the second");
            assert_eq!(of(since(None, Some(900))), allowed, "at least since the answer");
            assert_ne!(of(since(Some(901), Some(1))), allowed, "it came back in between");
            assert_ne!(of(since(None, Some(901))), allowed);
            assert_ne!(of(since(None, None)), allowed, "nobody knows since when");
            let incomplete = |answered| with(OriginStatus::Incomplete, fallback, answered);
            assert_eq!(incomplete(since(Some(900), Some(999))), allowed, "as a server error");
            assert_ne!(incomplete(since(Some(901), Some(1))), allowed);
        }
        let elsewhere = with(OriginStatus::RedirectUnresolved, Fallback::Defer, since(Some(1), Some(1)));
        assert_eq!(elsewhere, Decision::Fixed(Outcome::new(Partition::Deferred, Reason::RedirectUnresolved)));
        let not_asked = Choices { now: i64::MAX, ..Choices::at(0) };
        assert_ne!(decided(not_asked, OriginStatus::Unreachable, None, since(Some(0), None)), allowed);
    }

    #[test]
    fn the_operators_word_stands_above_all_answers_and_choices() {
        let choices = Choices {
            on_unreachable: Fallback::Block,
            on_stale: Fallback::Block,
            max_age: Some(MaxAge::Seconds(0)),
            now: 100,
            ..Choices::at(0)
        };
        let decisions = DecisionTable::timeless(choices, Dialect::DEFAULT);
        let by_override =
            |ruling, paused_until| decisions.at_call().by_override(OverrideState { ruling, paused_until });
        let fixed = |partition, reason| Some(Decision::Fixed(Outcome::new(partition, reason)));
        assert_eq!(by_override(None, None), None);
        assert_eq!(by_override(Some(Ruling::AllowAll), None), fixed(Partition::Allowed, Reason::Override));
        assert_eq!(by_override(Some(Ruling::ForbidAll), None), fixed(Partition::Blocked, Reason::Override));
        assert_eq!(by_override(Some(Ruling::RobotsTxt), None), Some(Decision::Walk(Reason::Rules)));
        for ruling in [None, Some(Ruling::AllowAll), Some(Ruling::RobotsTxt)] {
            assert_eq!(by_override(ruling, Some(101)), fixed(Partition::Deferred, Reason::Paused));
            assert_eq!(by_override(ruling, Some(100)), by_override(ruling, None), "the time has come");
        }
    }

    #[test]
    fn a_class_and_its_record_decide_alike_unless_times_decide() {
        let all = [Fallback::Allow, Fallback::Block, Fallback::Defer, Fallback::Use];
        let times =
            [(None, None), (Some(MaxAge::Seconds(10)), None), (None, Some(10)), (Some(MaxAge::Dialect), Some(0))];
        let mut left = 0;
        for (fallback, (max_age, unreachable_as_unavailable)) in all.into_iter().zip(times) {
            let choices = Choices {
                on_unfetched: fallback,
                on_unreachable: fallback,
                unreachable_as_unavailable,
                on_html: fallback,
                on_stale: fallback,
                max_age,
                now: 1000,
                ..Choices::at(0)
            };
            let decisions = DecisionTable::timeless(choices, Dialect::DEFAULT);
            let by_class = decisions.by_class();
            for number in 0..=u8::MAX {
                let class = Class::from_number(number);
                let Some((origin_status, good)) = class.and_then(Class::origin_status) else {
                    assert_eq!(by_class[usize::from(number)], None, "{number}");
                    continue;
                };
                // Regardless of the age of the answers.
                for fetched_at in [None, Some(1), Some(1000)] {
                    let answered = Answered { fetched_at, ..Answered::default() };
                    let last_good = good.map(|origin_status| LastGood { origin_status, times: answered.times() });
                    let ruling = class.and_then(Class::ruling);
                    let word = OverrideState { ruling, paused_until: None };
                    let html_page = class.is_some_and(Class::html_page);
                    let state = OriginState { origin_status, answered, last_good, html_page, operator_override: word };
                    let of_record = decisions.at_call().by_override(word).unwrap_or_else(|| {
                        decisions
                            .at_call()
                            .of_state(origin_status, good, html_page, StatusOverride::default(), || state)
                    });
                    match by_class[usize::from(number)] {
                        Some(decision) => assert_eq!(decision, of_record, "{number} {choices:?}"),
                        None => left += 1,
                    }
                }
            }
            let is_left = |class: Class| by_class[usize::from(class.number())].is_none();
            assert!(is_left(Class::PAUSED));
            assert_eq!(is_left(Class::new(OriginStatus::RobotsTxt, None, false, None)), max_age.is_some());
            for unreachable in [OriginStatus::Unreachable, OriginStatus::Incomplete] {
                let unreachable = is_left(Class::new(unreachable, None, false, None));
                assert_eq!(unreachable, unreachable_as_unavailable.is_some());
            }
        }
        assert!(left > 0);
    }

    #[test]
    fn an_origin_known_by_the_operators_word_alone_is_unfetched() {
        let with = |on_unfetched| {
            let choices = Choices { on_unfetched, max_age: Some(MaxAge::Seconds(0)), ..Choices::at(0) };
            decided(choices, OriginStatus::Unfetched, None, Answered::default())
        };
        let fixed = |partition| Decision::Fixed(Outcome::new(partition, Reason::Unfetched));
        assert_eq!(with(Fallback::Defer), fixed(Partition::Deferred));
        assert_eq!(with(Fallback::Allow), fixed(Partition::Allowed));
        assert_eq!(with(Fallback::Use), fixed(Partition::Deferred));
    }

    #[test]
    fn a_named_status_ages_unless_it_is_deferred() {
        let choices = Choices {
            on_stale: Fallback::Block,
            max_age: Some(MaxAge::Seconds(10)),
            unreachable_as_unavailable: Some(1),
            now: 100,
            ..Choices::at(0)
        };
        let decisions = DecisionTable::timeless(choices, Dialect::DEFAULT);
        for (origin_status, reason) in
            [(OriginStatus::Unavailable, Reason::Unavailable), (OriginStatus::Unreachable, Reason::Unreachable)]
        {
            let of = |said, fetched_at| {
                let answered = Answered { fetched_at: Some(fetched_at), ..Answered::default() };
                let times = Times { fetched_at: Some(95), expires: None };
                let good = LastGood { origin_status: OriginStatus::Unavailable, times };
                let last_good = Some(good).filter(|_| origin_status.is_failure());
                let state = OriginState { last_good, ..OriginState::unfetched() };
                let state = OriginState { origin_status, answered, ..state };
                let (good, said) =
                    (last_good.map(|good| good.origin_status), StatusOverride { last: Some(said), last_good: None });
                decisions.at_call().of_state(origin_status, good, false, said, || state)
            };
            let fixed = |partition, reason| Decision::Fixed(Outcome::new(partition, reason));
            assert_eq!(of(Partition::Allowed, 95), fixed(Partition::Allowed, reason));
            assert_eq!(of(Partition::Allowed, 80), fixed(Partition::Blocked, Reason::Stale), "{origin_status:?}");
            assert_eq!(
                of(Partition::Deferred, 80),
                fixed(Partition::Deferred, reason),
                "it waits for an answer anyway"
            );
        }
    }

    #[test]
    fn the_operator_says_what_a_status_means() {
        use OriginStatus::{
            Forbidden, Incomplete, NotModified, NotText, RedirectUnresolved, RobotsTxt, Unavailable, Unreachable,
        };
        let (allowed, blocked, deferred) = (Partition::Allowed, Partition::Blocked, Partition::Deferred);
        let fixed = |partition, reason| Decision::Fixed(Outcome::new(partition, reason));
        let of = |on_unreachable, origin_status, good, last, last_good| {
            let choices = Choices { on_unreachable, ..Choices::at(0) };
            of_answers(&choices, origin_status, good, false, StatusOverride { last, last_good })
        };
        for (origin_status, reason) in
            [(Unavailable, Reason::Unavailable), (Forbidden, Reason::Forbidden), (Unreachable, Reason::Unreachable)]
        {
            for said in [allowed, blocked, deferred] {
                for fallback in [Fallback::Allow, Fallback::Block, Fallback::Use] {
                    let found = of(fallback, origin_status, None, Some(said), None);
                    assert_eq!(found, fixed(said, reason), "{origin_status:?}");
                }
            }
        }
        for (failed, reason) in [
            (Unreachable, Reason::Unreachable),
            (Incomplete, Reason::Incomplete),
            (NotText, Reason::NotText),
            (RedirectUnresolved, Reason::RedirectUnresolved),
            (NotModified, Reason::NotModified),
        ] {
            for (good, by_dialect) in [(Unavailable, allowed), (Forbidden, blocked)] {
                let used = |said| of(Fallback::Use, failed, Some(good), None, said);
                assert_eq!(used(None), fixed(by_dialect, Reason::LastGood));
                assert_eq!(used(Some(allowed)), fixed(allowed, Reason::LastGood));
                assert_eq!(used(Some(blocked)), fixed(blocked, Reason::LastGood));
                assert_eq!(used(Some(deferred)), fixed(deferred, reason), "it waits for an answer");
                let not_used = of(Fallback::Defer, failed, Some(good), None, Some(allowed));
                assert_eq!(not_used, fixed(deferred, reason));
            }
            assert_eq!(
                of(Fallback::Use, failed, Some(RobotsTxt), None, Some(blocked)),
                Decision::Walk(Reason::LastGood)
            );
        }
    }

    #[test]
    fn a_status_that_is_not_known_is_never_allowed() {
        let mut captures = Captures::new(Agents::everybody(), Dialect::DEFAULT);
        let answered = |status| Answered { status: Some(status), ..Answered::default() };
        let redirect = Capture {
            answered: answered(301),
            location: Some("http://b.example/robots.txt".to_owned()),
            ..Capture::found("http://a.example", "")
        };
        let missing = Capture { answered: answered(404), ..Capture::found("http://b.example", "") };
        captures.add(vec![redirect, missing]).unwrap();
        let (policy, others) = (captures.policy().unwrap(), Captures::new(Agents::everybody(), Dialect::DEFAULT));
        let record = policy.lookup().get(b"http://a.example").unwrap();
        let mut statuses = Statuses::default();
        statuses.add("4xx", Fallback::Allow).unwrap();
        let open = Choices { statuses, ..Choices::at(0) };
        let said = |of: DecisionTable| of.said_of(&record).0.last;
        assert_eq!(said(DecisionTable::new(open, &policy)), Some(Partition::Allowed));
        assert_eq!(said(DecisionTable::timeless(open, Dialect::DEFAULT)), Some(Partition::Deferred), "no answers");
        let others = DecisionTable::new(open, &others.policy().unwrap());
        assert_eq!(said(others), Some(Partition::Deferred), "other answers");
        assert_eq!(said(DecisionTable::new(Choices::at(0), &policy)), None);
    }
}
