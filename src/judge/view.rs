//! A matcher as the hot path sees it: borrowed, so that no step has to count references.

use super::decision::{Choices, Decisions};
use super::routes::{Route, Routes};
use crate::policy::{Crawler, Groups, Lookup, Policy};

/// A policy and the decisions computed from the operator's choices.
pub(super) struct OwnedJudge {
    pub policy: Policy,
    pub crawler: Crawler,
    decisions: Decisions,
    routes: Box<[Route; 256]>,
    timed: Vec<u8>,
    /// The origins that layers over the policy change.
    over: Option<Box<OwnedJudge>>,
}

impl OwnedJudge {
    pub fn new(policy: Policy, crawler: Crawler, choices: Choices) -> OwnedJudge {
        let decisions = Decisions::new(choices, policy.dialect());
        let mut routes = Routes::new(decisions.by_class());
        // A pass over all entries, needed only for times: 20 ms for a million origins.
        let has_times = choices.has_times() || policy.statistics().overridden > 0;
        let timed = if has_times { routes.of_slots(&policy.lookup(), &decisions) } else { Vec::new() };
        let over = policy.changed().map(|changed| Box::new(OwnedJudge::new(changed.clone(), crawler.clone(), choices)));
        OwnedJudge { policy, crawler, decisions, routes: routes.all, timed, over }
    }

    /// Whether an origin that is not in the slot of its hash is not in the policy.
    pub fn is_all_in_slots(&self) -> bool {
        self.policy.lookup().is_all_in_slots()
    }

    /// The parts of the policy that judging reads.
    pub fn view(&self) -> Judge<'_> {
        Judge {
            policy: &self.policy,
            lookup: self.policy.lookup(),
            groups: self.policy.groups(&self.crawler),
            is_inline: self.crawler.is_first_column(),
            decisions: &self.decisions,
            routes: &self.routes,
            timed: &self.timed,
            over: self.over.as_deref(),
        }
    }
}

/// The parts of a policy that judging reads.
#[derive(Clone)]
pub struct Judge<'p> {
    pub(super) policy: &'p Policy,
    pub(super) lookup: Lookup<'p>,
    pub(super) groups: Groups<'p>,
    /// Whether the entries of the table name this crawler's automata.
    pub(super) is_inline: bool,
    pub(super) decisions: &'p Decisions,
    /// By route number: first the classes of origins, then decisions that depend on times.
    pub(super) routes: &'p [Route; 256],
    /// For each slot, the number of the origin's route; empty if the entry's class says it.
    pub(super) timed: &'p [u8],
    /// What judges the origins that layers over the policy change.
    pub(super) over: Option<&'p OwnedJudge>,
}

impl<'p> Judge<'p> {
    /// The route of the origin in a slot, and the place of the automaton that decides; 0 if none does.
    #[inline(always)]
    pub(crate) fn route(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        let number = if self.timed.is_empty() { entry.class() } else { self.timed[slot] };
        let automaton = if self.is_inline { entry.automaton() } else { self.groups.automaton_of(entry.row()) };
        (self.routes[usize::from(number)], automaton)
    }

    /// Whether an entry has all that [`Judge::route`] needs.
    #[inline(always)]
    pub(crate) fn entries_suffice(&self) -> bool {
        self.is_inline && self.timed.is_empty()
    }

    /// [`Judge::route`], if [`Judge::entries_suffice`].
    #[inline(always)]
    pub(crate) fn route_of_entry(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        (self.routes[usize::from(entry.class())], entry.automaton())
    }

    /// Prefetches what [`Judge::route`] reads besides the entry.
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

    /// Prefetches the first bytes of an automaton.
    #[inline(always)]
    pub(crate) fn prefetch_automaton(&self, place: u32) {
        self.groups.prefetch_automaton(place);
    }

    /// The policy.
    pub fn policy(&self) -> &'p Policy {
        self.policy
    }
}
