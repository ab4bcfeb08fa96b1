//! What the operator says of the statuses of an origin's answers.

use super::statuses::Statuses;
use crate::outcome::Partition;
use crate::policy::{FinalStatuses, OriginStatus, Policy, Record};

/// What the operator says of the statuses of an origin's answers; nothing by default.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Said {
    /// Of the last answer.
    pub last: Option<Partition>,
    /// Of the last good one, if the last one is no verdict.
    pub last_good: Option<Partition>,
}

/// What the operator says of statuses, and the answers that have them.
#[derive(Debug, Clone)]
pub(super) struct SaidOfStatuses {
    statuses: Statuses,
    /// Has the answers of all origins, if statuses decide.
    answers: Option<Policy>,
}

/// Whether an origin's answer of this kind has a status of which the operator may say what it means.
fn may_be_named(origin_status: OriginStatus) -> bool {
    matches!(origin_status, OriginStatus::Unavailable | OriginStatus::Forbidden | OriginStatus::Unreachable)
}

impl SaidOfStatuses {
    pub fn new(statuses: Statuses) -> SaidOfStatuses {
        SaidOfStatuses { statuses, answers: None }
    }

    /// The same, where the statuses of answers are looked up in a policy, if any are asked for.
    pub fn with_answers_of(self, policy: &Policy) -> SaidOfStatuses {
        let answers = (!self.statuses.is_empty()).then(|| policy.clone());
        SaidOfStatuses { answers, ..self }
    }

    /// Whether the decision on an origin may depend on the status of an answer.
    pub fn asks(&self, origin_status: OriginStatus, good: Option<OriginStatus>) -> bool {
        !self.statuses.is_empty() && (may_be_named(origin_status) || good.is_some_and(may_be_named))
    }

    /// What is said of the statuses of a record's answers, and these statuses.
    pub fn of(&self, record: &Record<'_>) -> (Said, FinalStatuses) {
        if !self.asks(record.origin_status, record.last_good) {
            return Default::default();
        }
        let statuses = self.statuses_of(record);
        let last = self.meaning(record.origin_status, statuses.last);
        let last_good = record.last_good.and_then(|good| self.meaning(good, statuses.last_good));
        (Said { last, last_good }, statuses)
    }

    /// The statuses of a record's answers. It has that of the origin's own robots.txt, so without redirects the answers need not be
    /// looked up.
    fn statuses_of(&self, record: &Record<'_>) -> FinalStatuses {
        let own = record.state().answered.status;
        let is_final = own.is_some_and(|status| status >= 400) && !record.last_good.is_some_and(may_be_named);
        match &self.answers {
            _ if is_final => FinalStatuses { last: own, last_good: None },
            Some(policy) => policy.final_statuses(record),
            None => FinalStatuses::default(),
        }
    }

    /// What an answer of this kind and status means. A status that is not known may be one that is not to be allowed.
    fn meaning(&self, of: OriginStatus, status: Option<u16>) -> Option<Partition> {
        match status.filter(|_| may_be_named(of)) {
            Some(status) => self.statuses.meaning(status)?.partition(),
            None => (of == OriginStatus::Unavailable).then_some(Partition::Deferred),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Dialect;
    use crate::policy::{Answered, Capture, Captures};
    use crate::robots::Agents;

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
        let open = || SaidOfStatuses::new("'4xx' = 'allow'".parse().unwrap());
        let said = |of: SaidOfStatuses| of.of(&record).0.last;
        assert_eq!(said(open().with_answers_of(&policy)), Some(Partition::Allowed));
        assert_eq!(said(open()), Some(Partition::Deferred), "no answers");
        assert_eq!(said(open().with_answers_of(&others.policy().unwrap())), Some(Partition::Deferred), "other answers");
        assert_eq!(said(SaidOfStatuses::new(Statuses::default())), None);
    }
}
