//! Finds the causes of blocked lines: they are judged again, and each is explained.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use super::top_keys::TopKeys;
use crate::judge::explain::Explainer;
use crate::judge::matcher::Matcher;
use crate::judge::scratch::Scratch;
use crate::judge::view::Judge;
use crate::origin;
use crate::outcome::{Partition, Reason};
use crate::policy::{Crawler, Policy};
use crate::rules::chosen::KeptRule;
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
            let mut chunk = Counter::new(&matcher);
            let mut blocked = Blocked::default();
            urls.iter().for_each(|url| chunk.count(url, &mut blocked));
            chunk.finish(&mut blocked);
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

/// Counts the causes that blocked the lines of one chunk. Text is copied once per origin and rule, not once per line.
struct Counter<'p> {
    judge: Judge<'p>,
    explainer: Explainer,
    origins: HashMap<&'p [u8], Origin>,
    scratch: Scratch,
}

/// The causes that blocked the lines of one origin.
struct Origin {
    name: String,
    /// The key is the reason and the line of the rule, or 0 if no rule decided.
    deciders: BTreeMap<(Reason, u32), OfLine>,
}

/// The rules on a line of a robots.txt, usually one, with the number of lines that each blocked; `None` is no rule.
type OfLine = Vec<(Option<KeptRule>, u64)>;

impl<'p> Counter<'p> {
    fn new(matcher: &'p Matcher) -> Counter<'p> {
        Counter {
            judge: matcher.view(),
            explainer: matcher.explainer(),
            origins: HashMap::new(),
            scratch: Scratch::default(),
        }
    }

    fn count(&mut self, url: &[u8], blocked: &mut Blocked) {
        blocked.lines += 1;
        let outcome = self.judge.judge_line(url, &mut self.scratch);
        let url = origin::trimmed(url);
        let found = origin::of(url).ok().filter(|_| outcome.partition() == Partition::Blocked);
        let Some((origin, end)) = found else {
            blocked.not_blocked += 1;
            return;
        };
        let reason = outcome.reason();
        let Some(record) = self.judge.policy().lookup().get(origin.as_bytes()) else {
            let origin = origin.into_owned();
            blocked.deciders.add(Decider::Reason(reason), 1, || DecidingPlace { origin: origin.clone(), line: 0 });
            blocked.origins.add(origin, 1, || ());
            return;
        };
        let rule = self.explainer.explain_path(&record, &origin::path(&url[end..])).rule;
        let new = || Origin { name: origin.into_owned(), deciders: BTreeMap::new() };
        let of_origin = self.origins.entry(record.origin).or_insert_with(new);
        let of_line = of_origin.deciders.entry((reason, rule.as_ref().map_or(0, |rule| rule.line))).or_default();
        match of_line.iter_mut().find(|(known, _)| known.as_ref() == rule.as_deref()) {
            Some((_, lines)) => *lines += 1,
            None => of_line.push((rule.map(Cow::into_owned), 1)),
        }
    }

    /// Adds the counts of this chunk.
    fn finish(self, blocked: &mut Blocked) {
        let mut origins: Vec<Origin> = self.origins.into_values().collect();
        origins.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for Origin { name, deciders } in origins {
            let mut of_origin = 0;
            for ((reason, line), of_line) in deciders {
                for (rule, lines) in of_line {
                    let decider = match rule {
                        Some(rule) => Decider::Rule(rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec()),
                        None => Decider::Reason(reason),
                    };
                    blocked.deciders.add(decider, lines, || DecidingPlace { origin: name.clone(), line });
                    of_origin += lines;
                }
            }
            blocked.origins.add(name, of_origin, || ());
        }
    }
}
