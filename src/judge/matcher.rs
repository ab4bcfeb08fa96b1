//! Judging URLs by a policy, for one of its crawlers.
//!
//! [`Judge::judge_all`] takes many URLs through the [hot path](super::batch). What that does not surely know, and single
//! URLs, go the slow way, [`Judge::judge_line`]; the slow way alone would give the same outcomes.

use std::borrow::Cow;

use super::decision::{Choices, Decision, Decisions};
use super::scratch::Scratch;
use crate::automaton::{self, front};
use crate::origin;
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Class, Crawler, Groups, Lookup, LookupEntry as Entry, Policy, Record};
use crate::rules::Verdict;
use crate::rules::chosen::is_always_allowed;

/// A policy with the operator's choices, ready to judge.
#[derive(Debug)]
pub struct Judge<'p> {
    policy: &'p Policy,
    lookup: Lookup<'p>,
    groups: Groups<'p>,
    /// Whether the entries of the table name the automata of this crawler.
    is_inline: bool,
    decisions: Decisions,
    /// By route number: the classes of origins come first, then what times decide.
    routes: Box<[Route; 256]>,
    /// By slot, the number of the origin's route; empty where the entry's class says it.
    timed: Vec<u8>,
}

/// What an origin comes to, ready to be looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    /// Whether the automaton decides, where a group applies.
    pub walks: bool,
    /// The outcome where no automaton decides.
    pub settled: Outcome,
    /// The outcomes where the automaton allows, and where it blocks.
    pub outcomes: [Outcome; 2],
}

impl Route {
    fn new(decision: Decision) -> Route {
        let settled = decision.without_group();
        match decision {
            Decision::Fixed(outcome) => Route { walks: false, settled, outcomes: [outcome; 2] },
            Decision::Walk(reason) => Route {
                walks: true,
                settled,
                outcomes: [decision.if_allowed(), Outcome::new(Partition::Blocked, reason)],
            },
        }
    }
}

/// The routes of a run.
struct Routes {
    routes: Box<[Route; 256]>,
    /// What each number stands for; `None` where it is a class whose origins times decide, or none.
    decisions: [Option<Decision>; 256],
}

impl Routes {
    /// Those of the classes of origins.
    fn new(decisions: [Option<Decision>; 256]) -> Routes {
        // Where times are not looked at, a pause has no end.
        let paused = Route::new(Decision::Fixed(Outcome::new(Partition::Deferred, Reason::Paused)));
        Routes { routes: Box::new(decisions.map(|decision| decision.map_or(paused, Route::new))), decisions }
    }

    /// By slot, the number of the route of its origin, where times are looked at.
    fn of_slots(&mut self, lookup: &Lookup<'_>, decisions: &Decisions) -> Vec<u8> {
        let number = |entry: &Entry| match self.decisions[usize::from(entry.class())] {
            Some(_) => entry.class(),
            None if entry.is_free() => 0,
            None => self.number_of(decisions.of(&lookup.record(entry))),
        };
        lookup.entries().iter().map(number).collect()
    }

    /// The number of what a time has decided. Numbers of classes that occur nowhere are taken for it from the end; there are
    /// fewer decisions and classes together than numbers.
    fn number_of(&mut self, decision: Decision) -> u8 {
        if let Some(number) = self.decisions.iter().position(|&other| other == Some(decision)) {
            return number as u8;
        }
        let number = (0..=u8::MAX).rev().find(|&number| self.is_unused(number)).expect("fewer than 256 decisions");
        self.decisions[usize::from(number)] = Some(decision);
        self.routes[usize::from(number)] = Route::new(decision);
        number
    }

    fn is_unused(&self, number: u8) -> bool {
        Class::from_number(number).is_none() && self.decisions[usize::from(number)].is_none()
    }
}

impl<'p> Judge<'p> {
    /// Judges by `policy` for a crawler of it, and by `choices` where it says nothing definite.
    pub fn new(policy: &'p Policy, crawler: &'p Crawler, choices: Choices) -> Judge<'p> {
        let decisions = Decisions::new(choices, policy.dialect());
        let (lookup, groups) = (policy.lookup(), policy.groups(crawler));
        let mut routes = Routes::new(decisions.by_class());
        // A pass over all entries, which only times need: 20 ms for a million origins.
        let has_times = choices.has_times() || policy.statistics().overridden > 0;
        let timed = if has_times { routes.of_slots(&lookup, &decisions) } else { Vec::new() };
        Judge { policy, lookup, groups, is_inline: crawler.is_first_column(), decisions, routes: routes.routes, timed }
    }

    /// The look-up table.
    #[inline(always)]
    pub(crate) fn lookup(&self) -> Lookup<'p> {
        self.lookup
    }

    /// What the origin in a slot comes to, and the place of the automaton that decides; 0 where none does.
    #[inline(always)]
    pub(crate) fn route(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        let number = if self.timed.is_empty() { entry.class() } else { self.timed[slot] };
        let automaton = if self.is_inline { entry.automaton() } else { self.groups.automaton_of(entry.row()) };
        (self.routes[usize::from(number)], automaton)
    }

    /// Whether an entry says all that [`Judge::route`] has to know.
    #[inline(always)]
    pub(crate) fn entries_suffice(&self) -> bool {
        self.is_inline && self.timed.is_empty()
    }

    /// [`Judge::route`] where [`Judge::entries_suffice`].
    #[inline(always)]
    pub(crate) fn route_of_entry(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        (self.routes[usize::from(entry.class())], entry.automaton())
    }

    /// Asks for what [`Judge::route`] reads besides the entry; only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_route(&self, slot: usize) {
        if !self.is_inline {
            self.groups.prefetch(self.lookup.entry(slot).row());
        }
    }

    /// The item of the automaton at a place.
    #[inline(always)]
    pub(crate) fn automaton(&self, place: u32) -> &'p [u8] {
        self.groups.item_at(place)
    }

    /// Asks for the first bytes of an automaton; only a hint.
    #[inline(always)]
    pub(crate) fn prefetch_automaton(&self, place: u32) {
        self.groups.prefetch_automaton(place);
    }

    /// The outcome of a path in normal form that the automaton blocks, where that is `outcome`.
    #[inline]
    pub(crate) fn blocked(&self, path: &[u8], outcome: Outcome) -> Outcome {
        if is_always_allowed(path, self.policy.dialect()) {
            Outcome::new(Partition::Allowed, Reason::RobotsTxt)
        } else {
            outcome
        }
    }

    /// The outcome of any line, without its LF.
    pub fn judge_line(&self, line: &[u8], scratch: &mut Scratch) -> Outcome {
        let line = origin::trimmed(line);
        let (origin, rest) = match self.origin_of(line) {
            Ok((origin, end)) => (origin, &line[end..]),
            Err(reason) => return reason.into(),
        };
        let path = origin::path(rest);
        scratch.dot_segments += u64::from(origin::has_dot_segment(&path));
        let Some(record) = self.lookup.get(origin.as_bytes()) else { return self.decisions.unfetched };
        let route = Route::new(self.decisions.of(&record));
        self.judge_path(route, self.groups.automaton_of(record.row), &path, scratch)
    }

    /// The outcome of what follows the origin in a line, where that is the one in a slot.
    #[inline(never)]
    pub(crate) fn judge_rest(&self, slot: usize, rest: &[u8], scratch: &mut Scratch) -> Outcome {
        let end = rest.len() - rest.iter().rev().take_while(|&&byte| byte <= b' ').count();
        let path = origin::path(&rest[..end]);
        scratch.dot_segments += u64::from(origin::has_dot_segment(&path));
        let (route, automaton) = self.route(slot);
        self.judge_path(route, automaton, &path, scratch)
    }

    /// The outcome of a path as it stands in a URL, where the automaton decides if there is one.
    fn judge_path(&self, route: Route, automaton: u32, path: &[u8], scratch: &mut Scratch) -> Outcome {
        if !route.walks || automaton == 0 {
            return route.settled;
        }
        let [allowed, blocked] = route.outcomes;
        let automaton = front::words(self.automaton(automaton));
        let encoding = self.policy.dialect().encoding;
        // Most are settled before the first byte that a normal form could change.
        let kept = encoding.kept(path);
        if kept < path.len() && automaton::settled_by(automaton, &path[..kept]) == Some(Verdict::Allowed) {
            return allowed;
        }
        let normal = encoding.path(path);
        scratch.normalised += u64::from(matches!(normal, Cow::Owned(_)));
        match automaton::verdict(automaton, &normal, &mut scratch.walk) {
            Verdict::Allowed => allowed,
            Verdict::Blocked => self.blocked(&normal, blocked),
        }
    }

    /// The origin of a trimmed line in canonical form, and where it ends in the line.
    pub(crate) fn origin_of<'l>(&self, line: &'l [u8]) -> Result<(Cow<'l, str>, usize), origin::InvalidUrl> {
        if let Some(end) = origin::authority_end(line) {
            let key = &line[..end];
            if self.lookup.get(key).is_some() || origin::is_surely_canonical(key) {
                let key = std::str::from_utf8(key).map_err(|_| origin::InvalidUrl::Host)?;
                return Ok((Cow::Borrowed(key), end));
            }
        }
        origin::canonical(line).map(|(origin, end)| (Cow::Owned(origin), end))
    }

    /// What a record comes to.
    pub(super) fn decision(&self, record: &Record<'_>) -> Decision {
        self.decisions.of(record)
    }

    /// The groups that apply to the crawler.
    pub(super) fn groups(&self) -> &Groups<'p> {
        &self.groups
    }

    /// The policy.
    pub fn policy(&self) -> &'p Policy {
        self.policy
    }
}
