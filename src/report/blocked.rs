//! What blocked the lines of `blocked.txt`: they are judged again, and each is explained.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use super::tops::Tops;
use crate::filter::{Bench, Judge, Partition, Reason, Receipt, VerifyError, reread};
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
    /// Lines of each decider, with a place where it decided.
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
            let mut chunk = Explainer { judge: &judge, crawler, origins: HashMap::new(), bench: Bench::default() };
            let mut blocked = Blocked::default();
            urls.iter().for_each(|url| chunk.count(url, &mut blocked));
            chunk.finish(&mut blocked);
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

/// Explains the lines of one chunk. Lines of one origin are often neighbours, so its rules are looked up once a chunk, and
/// text is copied once for each origin and rule, not for each line.
struct Explainer<'p> {
    judge: &'p Judge<'p>,
    crawler: &'p Crawler,
    origins: HashMap<&'p [u8], Origin>,
    bench: Bench,
}

/// What blocked the lines of one origin.
struct Origin {
    name: String,
    rules: Option<ChosenRules>,
    /// By the reason, and by the place of the rule in the file if one decided: how many lines.
    deciders: BTreeMap<(Reason, Option<usize>), u64>,
}

impl Explainer<'_> {
    fn count(&mut self, url: &[u8], blocked: &mut Blocked) {
        blocked.lines += 1;
        let outcome = self.judge.judge_slowly(url, &mut self.bench);
        let url = origin::trimmed(url);
        let found = self.judge.origin_of(url).ok().filter(|_| outcome.partition() == Partition::Blocked);
        let Some((origin, end)) = found else {
            blocked.not_blocked += 1;
            return;
        };
        let reason = outcome.reason();
        let Some(record) = self.judge.policy().index().get(origin.as_bytes()) else {
            let origin = origin.into_owned();
            blocked.deciders.add(Decider::Reason(reason), 1, || Place { origin: origin.clone(), line: 0 });
            blocked.origins.add(origin, 1, || ());
            return;
        };
        let of_origin = self.origins.entry(record.origin).or_insert_with(|| {
            let policy = self.judge.policy();
            let rules = policy.groups(self.crawler).of(record.row).map(|group| policy.rules(group));
            Origin { name: origin.into_owned(), rules, deciders: BTreeMap::new() }
        });
        let rule = of_origin.rule(&url[end..], reason);
        *of_origin.deciders.entry((reason, rule)).or_default() += 1;
    }

    /// Adds the counts of the chunk.
    fn finish(self, blocked: &mut Blocked) {
        let mut origins: Vec<Origin> = self.origins.into_values().collect();
        origins.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for Origin { name, rules, deciders } in origins {
            for ((reason, rule), lines) in &deciders {
                let rule = rule.and_then(|place| rules.as_ref()?.rules().get(place));
                let decider = match rule {
                    Some(rule) => Decider::Rule(rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec()),
                    None => Decider::Reason(*reason),
                };
                let line = rule.map_or(0, |rule| rule.line);
                blocked.deciders.add(decider, *lines, || Place { origin: name.clone(), line });
            }
            blocked.origins.add(name, deciders.values().sum(), || ());
        }
    }
}

impl Origin {
    /// The place of the rule that decided, if one did.
    fn rule(&self, rest: &[u8], reason: Reason) -> Option<usize> {
        if !matches!(reason, Reason::Rules | Reason::LastGood | Reason::Stale) {
            return None;
        }
        let rules = self.rules.as_ref()?;
        let rule = rules.explain(&origin::path(rest)).rule.filter(|rule| !rule.allow)?;
        rules.rules().iter().position(|other| std::ptr::eq(other, rule))
    }
}
