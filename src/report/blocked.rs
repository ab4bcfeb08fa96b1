//! What blocked the lines of `blocked.txt`: they are judged again, and each is explained.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use super::tops::Tops;
use crate::filter::{Bench, Judge, Outcome, Partition, Reason, Receipt, VerifyError, reread};
use crate::origin;
use crate::policy::{Crawler, Policy};
use crate::rule_set::ChosenRules;

/// So many octets of a rule are told apart.
const LONGEST_RULE: usize = 200;

/// What blocked the lines of one crawler.
#[derive(Debug, Clone, Default)]
pub(super) struct Blocked {
    /// Blocked lines that were read.
    pub lines: u64,
    /// Lines that this policy does not block.
    pub not_blocked: u64,
    /// Lines of each origin.
    pub origins: Tops<String, ()>,
    /// Lines of each decider, with the first place where it decided.
    pub deciders: Tops<Decider, Place>,
}

/// What blocked a line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Decider {
    /// A rule `Disallow` with this value, whichever robots.txt it is in.
    Rule(Vec<u8>),
    /// No rule, but what is known of the origin, or the operator's word.
    Reason(Reason),
}

/// Where something was decided.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub origin: String,
    /// The line of the robots.txt; 0 if no rule decided.
    pub line: u32,
}

impl Blocked {
    /// What blocked the lines of a crawler, by the run's own choices.
    pub fn read(
        (receipt, directory): (&Receipt, &Path),
        (place, crawler): (usize, &Crawler),
        policy: &Policy,
        threads: usize,
    ) -> Result<Blocked, VerifyError> {
        let judge = Judge::new(policy, crawler, receipt.options.choices);
        let of = |urls: &[Cow<'_, [u8]>]| {
            let mut chunk = Explainer { judge: &judge, crawler, rules: HashMap::new(), bench: Bench::default() };
            let mut blocked = Blocked::default();
            urls.iter().for_each(|url| chunk.count(url, &mut blocked));
            blocked
        };
        reread((receipt, directory), (place, Partition::Blocked), threads, of, Blocked::append)
    }

    fn append(&mut self, later: &Blocked) {
        self.lines += later.lines;
        self.not_blocked += later.not_blocked;
        self.origins.append(&later.origins);
        self.deciders.append(&later.deciders);
    }
}

/// Explains the lines of one chunk.
struct Explainer<'p> {
    judge: &'p Judge<'p>,
    crawler: &'p Crawler,
    /// The rules of each row of the policy that was met: lines of one origin are often neighbours.
    rules: HashMap<u32, Option<ChosenRules>>,
    bench: Bench,
}

impl Explainer<'_> {
    fn count(&mut self, url: &[u8], blocked: &mut Blocked) {
        blocked.lines += 1;
        let outcome = self.judge.judge_slowly(url, &mut self.bench);
        let url = origin::trimmed(url);
        let Ok((origin, end)) = origin::canonical(url) else {
            blocked.not_blocked += 1;
            return;
        };
        if outcome.partition() != Partition::Blocked {
            blocked.not_blocked += 1;
            return;
        }
        let (decider, number) = self.decider(&origin, &url[end..], outcome);
        blocked.deciders.add(decider, 1, || Place { origin: origin.clone(), line: number });
        blocked.origins.add(origin, 1, || ());
    }

    /// What decided, and its line.
    fn decider(&mut self, origin: &str, rest: &[u8], outcome: Outcome) -> (Decider, u32) {
        let reason = outcome.reason();
        let by_reason = (Decider::Reason(reason), 0);
        if !matches!(reason, Reason::Rules | Reason::LastGood | Reason::Stale) {
            return by_reason;
        }
        let policy = self.judge.policy();
        let Some(record) = policy.index().get(origin.as_bytes()) else { return by_reason };
        let rules = self.rules.entry(record.row);
        let rules = rules.or_insert_with(|| {
            let group = policy.groups(self.crawler).of(record.row)?;
            Some(policy.rules(group))
        });
        let explained = rules.as_ref().map(|rules| rules.explain(&origin::path(rest)));
        match explained.and_then(|explained| explained.rule).filter(|rule| !rule.allow) {
            Some(rule) => (Decider::Rule(rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec()), rule.line),
            None => by_reason,
        }
    }
}
