//! The lines of a run, read again to find by origin what decided on them.
//!
//! Blocked and deferred lines are always read. Allowed lines, which are the most, are read only if the operator's
//! choices or overrides allowed some of them.

use hashbrown::HashMap;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};

use super::top_keys::TopKeys;
use crate::error::run::Error;
use crate::formats::memory::prefetch;
use crate::judge::explain::Explainer;
use crate::judge::matcher::Matcher;
use crate::origin;
use crate::outcome::{Partition, Reason};
use crate::output::form::OutputMode;
use crate::output::receipt::Receipt;
use crate::policy::{Crawler, OriginState, Policy, Ruling};
use crate::robots::Rule;
use crate::run::stored::{StoredRun, reread};

/// The number of bytes of a rule that are kept; rules that differ only after them count as one.
const LONGEST_RULE: usize = 200;

/// The most lines of the next origin that are fetched from memory while those of one are explained.
const PREFETCHED: usize = 8;

/// The reasons for which a line of an unreachable origin may be allowed, or a line of an origin with an override.
const ALLOWED_BY_OPERATOR: [Reason; 7] = [
    Reason::Unreachable,
    Reason::Incomplete,
    Reason::LastGood,
    Reason::LongUnreachable,
    Reason::HtmlPage,
    Reason::Stale,
    Reason::Override,
];

/// The partitions to read of each crawler of a run, which this policy explains. Allowed lines are those of origins that are
/// unreachable or overridden; these are the same for all crawlers, so they are read of the first.
pub(super) fn partitions(receipt: &Receipt, policy: &Policy) -> Vec<Vec<Partition>> {
    let names = receipt.splits().partitions();
    let allowed = names.get(Partition::Allowed as usize).and_then(|name| receipt.partitions.get(name));
    let by_operator = |name: &str| ALLOWED_BY_OPERATOR.iter().any(|reason| reason.name() == name);
    let is_replaced = || policy.records().any(|(_, record)| record.ruling == Some(Ruling::RobotsTxt));
    let is_asked = allowed.is_some_and(|part| part.reasons.keys().any(|name| by_operator(name))) || is_replaced();
    let of_crawler = |place| {
        let first = [Partition::Blocked, Partition::Deferred].into_iter();
        first.chain((place == 0 && is_asked).then_some(Partition::Allowed)).collect()
    };
    (0..receipt.splits().by_one_policy()).map(of_crawler).collect()
}

/// What decided on the lines of one crawler that were read again.
#[derive(Debug, Clone, Default)]
pub(crate) struct RereadLines {
    /// Blocked lines.
    pub blocked: u64,
    /// Blocked and deferred lines that this policy does not block or defer.
    pub elsewhere: [u64; Partition::COUNT],
    /// Blocked and deferred lines by origin.
    pub costs: TopKeys<Cost, ()>,
    /// Blocked lines of each decider, with an example of where it decided.
    pub deciders: TopKeys<Decider, DecidingPlace>,
    /// Lines by origin, of those that an override decides on.
    pub overridden: TopKeys<String, OriginState>,
    /// Lines by origin, of those that are unreachable and not overridden.
    pub unreachable: TopKeys<String, OriginState>,
}

/// Whose lines cannot be fetched, and why.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Cost {
    pub origin: String,
    pub partition: Partition,
    pub reason: Reason,
}

/// The cause of a blocked line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Decider {
    /// A `Disallow` rule with this value, in any robots.txt.
    Rule(Vec<u8>),
    /// No rule, but the state of the origin or the operator's override.
    Reason(Reason),
}

impl Decider {
    fn of(rule: Option<Rule<'_>>, reason: Reason) -> Decider {
        let kept = |rule: Rule<'_>| rule.value[..rule.value.len().min(LONGEST_RULE)].to_vec();
        rule.map_or(Decider::Reason(reason), |rule| Decider::Rule(kept(rule)))
    }
}

/// A place where a line was decided.
#[derive(Debug, Clone)]
pub(crate) struct DecidingPlace {
    pub origin: String,
    /// The line of the robots.txt; 0 if no rule decided.
    pub line: u32,
}

/// A line of those that are read again.
struct LineOfOrigin<'u> {
    /// The number of the origin, in the order in which they come, if it is spelled in canonical form; otherwise of the URL.
    origin: u32,
    url: &'u [u8],
}

/// Lines, those whose origins are spelled alike together, and in their order.
fn by_origin<'u>(urls: &'u [Cow<'_, [u8]>]) -> Vec<LineOfOrigin<'u>> {
    let mut numbers: HashMap<&[u8], u32> = HashMap::new();
    let line_of = |url: &'u Cow<'_, [u8]>| {
        let url = origin::trimmed(url);
        let next = numbers.len() as u32;
        let origin = numbers.entry(origin::canonical_cut(url).map_or(url, |end| &url[..end])).or_insert(next);
        LineOfOrigin { origin: *origin, url }
    };
    let mut lines: Vec<LineOfOrigin<'_>> = urls.iter().map(line_of).collect();
    lines.sort_by_key(|line| line.origin);
    lines
}

/// Whether a trimmed URL is an invalid line that cannot be told from blocked ones by the columns of its file: those of `--blocked-for`
/// have no verdict.
fn is_hidden_invalid(receipt: &Receipt) -> impl Fn(&[u8]) -> bool {
    let invalid = receipt.partitions.iter().filter(|(name, _)| name.starts_with(Partition::Invalid.name()));
    let with_tabs = invalid.map(|(_, part)| part).any(|part| part.reasons.contains_key(Reason::Tab.name()));
    let are_there = receipt.options.form == OutputMode::BlockedFor;
    move |url| are_there && (origin::split(url).is_err() || with_tabs && url.contains(&b'\t'))
}

impl RereadLines {
    /// Reads these partitions of a crawler under the choices of the run; adds to `read` the lines that were read.
    pub fn read(
        run: StoredRun<'_>,
        (place, crawler): (usize, &Crawler),
        partitions: &[Partition],
        policy: &Policy,
        read: &AtomicU64,
    ) -> Result<RereadLines, Error> {
        let matcher = Matcher::new(policy, crawler.clone(), run.receipt.options.choices);
        let is_hidden = is_hidden_invalid(run.receipt);
        let mut all = RereadLines::default();
        for &partition in partitions {
            let of = |urls: &[Cow<'_, [u8]>]| {
                let (mut found, mut explainer) = (RereadLines::default(), matcher.explainer());
                // Lines of one origin are explained by one look-up. The examples are those of the origins that come first.
                let mut lines = by_origin(urls);
                if partition == Partition::Blocked {
                    lines.retain(|line| !is_hidden(line.url));
                    found.blocked += lines.len() as u64;
                }
                let mut origins = lines.chunk_by(|one, other| one.origin == other.origin).peekable();
                while let Some(same) = origins.next() {
                    let next = origins.peek().copied().unwrap_or_default();
                    next.iter().take(PREFETCHED).for_each(|line| prefetch(line.url, 0));
                    found.count(same, partition, &matcher, &mut explainer);
                }
                read.fetch_add(urls.len() as u64, Ordering::Relaxed);
                found
            };
            all.append(reread(run, place, partition, of, RereadLines::append)?);
        }
        Ok(all)
    }

    /// Blocked and deferred lines of each origin.
    pub fn by_origin(&self) -> HashMap<&str, u64> {
        let mut lines = HashMap::new();
        self.costs.iter().for_each(|(cost, times)| *lines.entry(&*cost.origin).or_default() += times);
        lines
    }

    fn append(&mut self, later: RereadLines) {
        self.blocked += later.blocked;
        self.elsewhere.iter_mut().zip(later.elsewhere).for_each(|(lines, later)| *lines += later);
        self.costs.append(later.costs);
        self.deciders.append(later.deciders);
        self.overridden.append(later.overridden);
        self.unreachable.append(later.unreachable);
    }

    /// Counts lines of one origin that the run put into a partition.
    fn count(
        &mut self,
        lines: &[LineOfOrigin<'_>],
        partition: Partition,
        matcher: &Matcher,
        explainer: &mut Explainer,
    ) {
        let Some(first) = lines.first() else { return };
        // Besides, whatever the partition: origins that an override decides on, a ruling or a pause that is not over, and those whose
        // server failed.
        let kind = explainer.basis(first.url).and_then(|(decision, state)| {
            let is_paused = decision.if_allowed().reason() == Reason::Paused;
            match state.operator_override.ruling {
                None if !is_paused => state.origin_status.is_unreachable().then_some((&mut self.unreachable, state)),
                _ => Some((&mut self.overridden, state)),
            }
        });
        if partition == Partition::Allowed && kind.is_none() {
            return;
        }
        let Some(origin) = origin_of(first.url) else {
            // It has one, unless the file has changed.
            self.elsewhere[partition as usize] += lines.len() as u64;
            return;
        };
        // The state of an origin decides on all of its deferred lines. Each other line may have a rule of its own.
        let (asked, times) =
            if partition == Partition::Deferred { (&lines[..1], lines.len() as u64) } else { (lines, 1) };
        let mut by_place = BTreeMap::<(u32, Reason), (Decider, u64)>::new();
        for LineOfOrigin { url, .. } in asked {
            let blocking = if partition == Partition::Blocked { explainer.blocking(url) } else { None };
            let (outcome, rule) = blocking.unwrap_or_else(|| (matcher.judge(url), None));
            // The `/robots.txt` that is always allowed is so whatever the origin.
            if outcome.partition() == partition && outcome.reason() != Reason::RobotsTxt {
                let place = (rule.map_or(0, |rule| rule.line), outcome.reason());
                by_place.entry(place).or_insert_with(|| (Decider::of(rule, outcome.reason()), 0)).1 += times;
            } else if partition != Partition::Allowed {
                self.elsewhere[partition as usize] += times;
            }
        }
        let counted = by_place.values().map(|(_, times)| times).sum();
        if let Some((of_kind, state)) = kind.filter(|_| counted > 0) {
            of_kind.add(origin.clone(), counted, || state);
        }
        for ((line, reason), (decider, times)) in by_place {
            if partition == Partition::Blocked {
                self.deciders.add(decider, times, || DecidingPlace { origin: origin.clone(), line });
            }
            if partition != Partition::Allowed {
                self.costs.add(Cost { origin: origin.clone(), partition, reason }, times, || ());
            }
        }
    }
}

fn origin_of(url: &[u8]) -> Option<String> {
    // A copy first: a file that is mapped may change.
    let origin = origin::split(url).ok()?.0.into_owned();
    let origin = String::from_utf8(origin.into_bytes());
    Some(origin.unwrap_or_else(|other| String::from_utf8_lossy(other.as_bytes()).into_owned()))
}
