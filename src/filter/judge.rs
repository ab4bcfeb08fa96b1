//! The verdicts of many URLs.
//!
//! [`Judge::judge`] is the batch interface: lines in, outcomes out. A batch goes through the policy in steps, each for
//! all lines before the next, so that the cache misses of one step overlap: origins are cut and hashed, slots asked
//! for, records asked for, automata asked for, paths walked. What the first step does not surely know, lines that are
//! not plain or whose origin is not found as it stands, goes the slow way, one by one ([`Judge::judge_slowly`]); the
//! slow way alone would give the same outcomes.

use std::borrow::Cow;

use super::decision::{Choices, Decision, Decisions};
use super::outcome::{Outcome, Partition, Reason};
use crate::automaton::{self, Scratch, Walk};
use crate::origin;
use crate::pattern::Verdict;
use crate::policy::{self, Crawler, Group, Groups, Index, Policy};
use crate::rule_set::is_always_allowed;

/// A policy with the operator's choices, ready to judge.
#[derive(Debug)]
pub struct Judge<'p> {
    policy: &'p Policy,
    index: Index<'p>,
    groups: Groups<'p>,
    decisions: Decisions,
}

/// What judging needs besides; one for each thread, used again and again.
#[derive(Debug, Default)]
pub struct Bench {
    scratch: Scratch,
    cuts: Vec<Cut>,
    /// URLs with a segment `.` or `..`, which were matched as written.
    pub dot_segments: u64,
    /// URLs whose path was brought into normal form first.
    pub normalised: u64,
}

/// A line between two steps.
#[derive(Debug, Clone, Copy)]
struct Cut {
    hash: u64,
    /// Where the origin ends; 0: the slow way.
    end: u32,
    /// The candidate record; 0: the origin is not in the index as it stands.
    candidate: u32,
    row: u32,
    /// The group to walk in, where the decision is to walk.
    group: Option<Group>,
    /// Whether the origin is that of the line before.
    again: bool,
    decision: Decision,
    walk: Walk,
}

const SLOW: Cut = Cut {
    hash: 0,
    end: 0,
    candidate: 0,
    row: 0,
    group: None,
    again: false,
    decision: Decision::Fixed(Outcome::new(Partition::Invalid, Reason::Empty)),
    walk: Walk::NONE,
};

/// A line for [`Judge::judge`].
#[derive(Debug, Clone, Copy)]
pub struct Url<'l> {
    /// The line, without its LF.
    pub line: &'l [u8],
    /// Whether every octet of it is surely one that a path may have as it stands: no control, blank, `#`, `%`, nor any
    /// other that an encoding changes, and no `/.`. When in doubt, `false`: it only takes longer.
    pub plain: bool,
}

impl<'p> Judge<'p> {
    /// Judges by `policy` for a crawler of it, and by `choices` where it says nothing definite.
    pub fn new(policy: &'p Policy, crawler: &'p Crawler, choices: Choices) -> Judge<'p> {
        let decisions = Decisions::new(choices, policy.dialect());
        Judge { policy, index: policy.index(), groups: policy.groups(crawler), decisions }
    }

    /// Judges a batch of lines; `outcomes` gets one outcome for each, in their order.
    ///
    /// A batch of 64 lines or so is best: large enough to overlap cache misses, small enough to stay in cache.
    pub fn judge(&self, urls: &[Url<'_>], outcomes: &mut Vec<Outcome>, bench: &mut Bench) {
        let mut cuts = std::mem::take(&mut bench.cuts);
        self.cut(urls, &mut cuts);
        self.find(urls, &mut cuts);
        self.decide(urls, &mut cuts);
        self.choose(&mut cuts);
        self.begin(urls, &mut cuts);
        outcomes.clear();
        outcomes.extend(urls.iter().zip(&cuts).map(|(url, cut)| match (cut.decision, cut.group) {
            _ if cut.end == 0 => self.judge_slowly(url.line, bench),
            (Decision::Walk(reason), Some(group)) => {
                let automaton = self.groups.automaton(group);
                let verdict = automaton::finish(automaton, url.line, cut.walk, &mut bench.scratch);
                self.outcome(verdict, &url.line[cut.end as usize..], reason)
            }
            (decision, _) => decision.without_group(),
        }));
        bench.cuts = cuts;
    }

    /// Step one: where the origins end, and their slots.
    fn cut(&self, urls: &[Url<'_>], cuts: &mut Vec<Cut>) {
        cuts.clear();
        let index = self.index;
        let (mut before, mut before_hash): (&[u8], u64) = (b"", 0);
        cuts.extend(urls.iter().map(|url| {
            let Some(end) = url.plain.then(|| origin::cut(url.line)).flatten() else {
                before = b"";
                return SLOW;
            };
            let key = &url.line[..end];
            let hash = policy::hash(key);
            if hash == before_hash && key == before {
                return Cut { end: end as u32, again: true, ..SLOW };
            }
            (before, before_hash) = (key, hash);
            index.prefetch(hash);
            Cut { hash, end: end as u32, ..SLOW }
        }));
    }

    /// Step two: their records.
    fn find(&self, urls: &[Url<'_>], cuts: &mut [Cut]) {
        debug_assert_eq!(urls.len(), cuts.len());
        for cut in cuts.iter_mut().filter(|cut| cut.end != 0 && !cut.again) {
            cut.candidate = self.index.candidate(cut.hash);
        }
    }

    /// Step three: what the records come to, and their rows.
    fn decide(&self, urls: &[Url<'_>], cuts: &mut [Cut]) {
        let mut before = SLOW;
        for (url, cut) in urls.iter().zip(cuts) {
            if cut.end == 0 {
                continue;
            }
            if cut.again {
                *cut = before;
                continue;
            }
            let key = &url.line[..cut.end as usize];
            let index = self.index;
            let found = match cut.candidate {
                0 => None,
                candidate => index.confirmed(candidate, key).or_else(|| index.get(key)),
            };
            match found {
                Some(record) => {
                    cut.decision = self.decisions.of(&record);
                    cut.row = record.row;
                    if let Decision::Walk(_) = cut.decision {
                        self.groups.prefetch(record.row);
                    }
                }
                None if origin::is_surely_canonical(key) => {
                    cut.decision = Decision::Fixed(self.decisions.unfetched);
                }
                None => *cut = SLOW,
            }
            before = *cut;
        }
    }

    /// Step four: the groups, and their automata.
    fn choose(&self, cuts: &mut [Cut]) {
        for cut in cuts.iter_mut().filter(|cut| cut.end != 0 && matches!(cut.decision, Decision::Walk(_))) {
            cut.group = self.groups.of(cut.row);
            if let Some(group) = cut.group {
                self.groups.prefetch_automaton(group);
            }
        }
    }

    /// Step five: the first records of the automata, and what comes behind them.
    fn begin(&self, urls: &[Url<'_>], cuts: &mut [Cut]) {
        for (url, cut) in urls.iter().zip(cuts) {
            if let (Some(group), 1..) = (cut.group, cut.end) {
                let automaton = self.groups.automaton(group);
                cut.walk = automaton::begin(automaton, url.line, cut.end as usize);
                policy::prefetch(automaton, cut.walk.next_word());
            }
        }
    }

    /// The outcome of a verdict on a path in normal form.
    #[inline]
    fn outcome(&self, verdict: Verdict, path: &[u8], reason: Reason) -> Outcome {
        match verdict {
            Verdict::Allowed => Outcome::new(Partition::Allowed, reason),
            Verdict::Blocked if is_always_allowed(path, self.policy.dialect()) => {
                Outcome::new(Partition::Allowed, Reason::RobotsTxt)
            }
            Verdict::Blocked => Outcome::new(Partition::Blocked, reason),
        }
    }

    /// The outcome of any line, without its LF.
    pub fn judge_slowly(&self, line: &[u8], bench: &mut Bench) -> Outcome {
        let line = origin::trimmed(line);
        let (origin, rest) = match self.origin_of(line) {
            Ok((origin, end)) => (origin, &line[end..]),
            Err(reason) => return reason.into(),
        };
        let path = origin::path(rest);
        bench.dot_segments += u64::from(origin::has_dot_segment(&path));
        let Some(record) = self.index.get(origin.as_bytes()) else { return self.decisions.unfetched };
        match (self.decisions.of(&record), self.groups.of(record.row)) {
            (Decision::Walk(reason), Some(group)) => {
                let normal = self.policy.dialect().encoding.path(&path);
                bench.normalised += u64::from(matches!(normal, Cow::Owned(_)));
                let automaton = self.groups.automaton(group);
                self.outcome(automaton::verdict(automaton, &normal, &mut bench.scratch), &normal, reason)
            }
            (decision, _) => decision.without_group(),
        }
    }

    /// The origin of a trimmed line in canonical form, and where it ends in the line.
    pub(super) fn origin_of<'l>(&self, line: &'l [u8]) -> Result<(Cow<'l, str>, usize), origin::InvalidUrl> {
        if let Some(end) = origin::cut(line) {
            let key = &line[..end];
            if self.index.get(key).is_some() || origin::is_surely_canonical(key) {
                let key = std::str::from_utf8(key).map_err(|_| origin::InvalidUrl::Host)?;
                return Ok((Cow::Borrowed(key), end));
            }
        }
        origin::canonical(line).map(|(origin, end)| (Cow::Owned(origin), end))
    }

    /// The policy.
    pub fn policy(&self) -> &'p Policy {
        self.policy
    }
}
