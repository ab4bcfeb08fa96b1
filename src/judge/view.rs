//! A matcher in the form that the hot path reads: borrowed, so that no step has to count references.

use std::sync::Arc;

use super::choices::Choices;
use super::decision::{Decision, DecisionTable};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Crawler, Groups, Lookup, LookupEntry as Entry, Policy};

/// A policy and the decisions computed from the operator's choices, for one of its crawlers.
#[derive(Clone)]
pub(super) struct Judge {
    pub policy: Policy,
    pub crawler: Crawler,
    decided: Arc<JudgeParts>,
}

/// The decisions, which are the same for all crawlers.
struct JudgeParts {
    decisions: DecisionTable,
    routes: Box<[Route; 256]>,
    by_slot: Vec<u8>,
    /// Whether decisions depend on the time.
    has_times: bool,
    /// The origins that layers over the policy change.
    over: Option<Box<Judge>>,
}

impl Judge {
    pub fn new(policy: Policy, crawler: Crawler, choices: Choices) -> Judge {
        let decisions = DecisionTable::new(choices, &policy);
        let part = |policy, over| Judge::of_part(policy, crawler.clone(), decisions.clone(), over);
        let over = policy.changed().map(|changed| Box::new(part(changed.clone(), None)));
        part(policy, over)
    }

    /// The judge of a policy's origins, except those that `over` judges.
    fn of_part(policy: Policy, crawler: Crawler, decisions: DecisionTable, over: Option<Box<Judge>>) -> Judge {
        let has_times = decisions.choices.has_times() || policy.statistics().overridden > 0;
        let asks_records = has_times || !decisions.choices.statuses.is_empty();
        let (routes, by_slot) = routes(&policy, &decisions, asks_records);
        let decided = Arc::new(JudgeParts { decisions, routes, by_slot, has_times, over });
        Judge { policy, crawler, decided }
    }

    /// The same for another crawler of the policy.
    pub fn answering_for(&self, crawler: Crawler) -> Judge {
        Judge { crawler, ..self.clone() }
    }

    /// Whether decisions depend on the time.
    pub fn depends_on_time(&self) -> bool {
        self.decided.has_times || self.decided.over.as_ref().is_some_and(|over| over.depends_on_time())
    }

    /// Whether an origin that is not in the slot of its hash is not in the policy.
    pub fn is_all_in_slots(&self) -> bool {
        self.policy.lookup().is_all_in_slots()
    }

    /// The parts of the policy that judging reads.
    pub fn view(&self) -> JudgeView<'_> {
        let JudgeParts { decisions, routes, by_slot, over, .. } = &*self.decided;
        JudgeView {
            policy: &self.policy,
            lookup: self.policy.lookup(),
            groups: self.policy.groups(&self.crawler),
            decisions,
            routes,
            by_slot,
            over: over.as_deref(),
        }
    }
}

/// The parts of a policy that judging reads.
#[derive(Clone)]
pub struct JudgeView<'p> {
    pub(super) policy: &'p Policy,
    pub(super) lookup: Lookup<'p>,
    pub(super) groups: Groups<'p>,
    pub(super) decisions: &'p DecisionTable,
    /// The routes by number: those of the classes of origins or, if times or statuses decide, all that there are.
    pub(super) routes: &'p [Route; 256],
    /// For each slot, the number of the origin's route; empty if the entry's class is this number.
    pub(super) by_slot: &'p [u8],
    /// The judge of the origins that layers over the policy change.
    pub(super) over: Option<&'p Judge>,
}

impl<'p> JudgeView<'p> {
    /// The same view for the crawler with these columns; no column stands for most crawlers of each row.
    pub(super) fn answered_by(&self, columns: &'p [usize]) -> JudgeView<'p> {
        JudgeView { groups: self.groups.answered_by(columns), ..self.clone() }
    }

    /// The route of the origin in a slot, and the place of the automaton that decides; 0 if none does.
    #[inline(always)]
    pub(crate) fn route(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        let number = if self.by_slot.is_empty() { entry.class() } else { self.by_slot[slot] };
        let is_of_most = self.groups.are_in(entry.set());
        let automaton = if is_of_most { entry.automaton() } else { self.groups.automaton_of(entry.row()) };
        (self.routes[usize::from(number)], automaton)
    }

    /// Whether an entry has all that [`JudgeView::route`] needs.
    #[inline(always)]
    pub(crate) fn entries_suffice(&self) -> bool {
        self.by_slot.is_empty() && self.groups.entries_name_automata()
    }

    /// [`JudgeView::route`], if [`JudgeView::entries_suffice`].
    #[inline(always)]
    pub(crate) fn route_of_entry(&self, slot: usize) -> (Route, u32) {
        let entry = self.lookup.entry(slot);
        (self.routes[usize::from(entry.class())], entry.automaton())
    }

    /// Prefetches what [`JudgeView::route`] reads besides the entry.
    #[inline(always)]
    pub(crate) fn prefetch_route(&self, slot: usize) {
        let entry = self.lookup.entry(slot);
        if entry.set() != 0 {
            self.groups.prefetch(entry.row());
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

// Routes: the decision for each origin under the operator's choices, computed before any URL is seen.

/// The route of an origin's lines, ready to be looked up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    /// Whether the automaton decides, if a group applies.
    pub walks: bool,
    /// The outcome if no automaton decides.
    pub settled: Outcome,
    /// The outcomes if the automaton allows, and if it blocks.
    pub outcomes: [Outcome; 2],
}

impl Route {
    pub(super) fn new(decision: Decision) -> Route {
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

/// The routes by number and, for each slot, the number of its origin's route. Unless this `asks_records`, which takes a pass over all
/// entries and is needed only for times and statuses, the class of an origin is its number.
fn routes(policy: &Policy, decisions: &DecisionTable, asks_records: bool) -> (Box<[Route; 256]>, Vec<u8>) {
    let by_class = decisions.by_class();
    // Without times, a pause never ends.
    let paused = Decision::Fixed(Outcome::new(Partition::Deferred, Reason::Paused));
    let mut routes = Box::new(by_class.map(|decision| Route::new(decision.unwrap_or(paused))));
    if !asks_records {
        return (routes, Vec::new());
    }
    let (lookup, mut known) = (policy.lookup(), Vec::<Decision>::new());
    let number = |entry: &Entry| {
        let decision = match by_class[usize::from(entry.class())] {
            Some(decision) => decision,
            None if entry.is_free() => paused,
            None => decisions.of(&lookup.record(entry)),
        };
        let place = known.iter().position(|other| *other == decision).unwrap_or_else(|| {
            routes[known.len()] = Route::new(decision);
            known.push(decision);
            known.len() - 1
        });
        place as u8
    };
    let by_slot = lookup.entries().iter().map(number).collect();
    (routes, by_slot)
}
