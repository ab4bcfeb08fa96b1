//! Finds the causes of blocked lines: they are judged again, and each is explained.

use std::borrow::Cow;

use super::top_keys::TopKeys;
use crate::judge::explain::Explainer;
use crate::judge::matcher::Matcher;
use crate::judge::scratch::Scratch;
use crate::judge::view::Judge;
use crate::origin;
use crate::outcome::{Partition, Reason};
use crate::policy::{Crawler, Policy};
use crate::run::reread::reread;
use crate::run::stored::StoredRun;
use crate::run::verify::VerifyError;

/// The number of bytes of a rule that are kept; rules that differ only after them count as one.
const LONGEST_RULE: usize = 200;

/// The causes that blocked the lines of one crawler.
#[derive(Debug, Clone, Default)]
pub(crate) struct Blocked {
    /// Blocked lines that were read.
    pub lines: u64,
    /// Lines that this policy does not block.
    pub not_blocked: u64,
    /// Lines of each origin.
    pub origins: TopKeys<String, ()>,
    /// Lines of each decider, with an example of where it decided.
    pub deciders: TopKeys<Decider, DecidingPlace>,
}

/// The cause of a blocked line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decider {
    /// A `Disallow` rule with this value, in any robots.txt.
    Rule(Vec<u8>),
    /// No rule, but the state of the origin or the operator's override.
    Reason(Reason),
}

/// A place where a line was decided.
#[derive(Debug, Clone)]
pub(crate) struct DecidingPlace {
    pub origin: String,
    /// The line of the robots.txt; 0 if no rule decided.
    pub line: u32,
}

impl Blocked {
    /// Finds the causes that blocked the lines of a crawler, under the choices of the run.
    pub fn read(run: StoredRun<'_>, place: usize, crawler: &Crawler, policy: &Policy) -> Result<Blocked, VerifyError> {
        let matcher = Matcher::new(policy, crawler.clone(), run.receipt.options.choices);
        let of = |urls: &[Cow<'_, [u8]>]| {
            let (judge, explainer) = (matcher.view(), matcher.explainer());
            let mut counter = Counter { judge, explainer, scratch: Scratch::default() };
            let mut blocked = Blocked::default();
            urls.iter().for_each(|url| counter.count(url, &mut blocked));
            blocked
        };
        reread(run, place, Partition::Blocked, of, Blocked::append)
    }

    fn append(&mut self, later: &Blocked) {
        self.lines += later.lines;
        self.not_blocked += later.not_blocked;
        self.origins.append(&later.origins);
        self.deciders.append(&later.deciders);
    }
}

/// Counts the causes that blocked lines.
struct Counter<'p> {
    judge: Judge<'p>,
    explainer: Explainer,
    scratch: Scratch,
}

impl Counter<'_> {
    fn count(&mut self, url: &[u8], blocked: &mut Blocked) {
        blocked.lines += 1;
        let outcome = self.judge.judge_line(url, &mut self.scratch);
        let url = origin::trimmed(url);
        let found = origin::of(url).ok().filter(|_| outcome.partition() == Partition::Blocked);
        let Some((origin, _)) = found else {
            blocked.not_blocked += 1;
            return;
        };
        // A copy first: a file that is mapped may change.
        let origin = origin.into_owned();
        let origin = String::from_utf8_lossy(&origin).into_owned();
        let rule = self.explainer.explain(url).rule;
        let line = rule.as_ref().map_or(0, |rule| rule.line);
        let decider = match rule {
            Some(rule) => Decider::Rule(rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec()),
            None => Decider::Reason(outcome.reason()),
        };
        blocked.deciders.add(decider, || DecidingPlace { origin: origin.clone(), line });
        blocked.origins.add(origin, || ());
    }
}
