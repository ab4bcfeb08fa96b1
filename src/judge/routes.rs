//! Routes: the decision for each origin under the operator's choices, computed before any URL is seen.

use super::decision::{Decision, Decisions};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Class, Lookup, LookupEntry as Entry};

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

/// The routes of a matcher.
pub(super) struct Routes {
    pub all: Box<[Route; 256]>,
    /// The decision of each number; `None` if the number is unused, or a class for which times decide.
    decisions: [Option<Decision>; 256],
}

impl Routes {
    /// The routes of the classes of origins.
    pub fn new(decisions: [Option<Decision>; 256]) -> Routes {
        // Without times, a pause never ends.
        let paused = Route::new(Decision::Fixed(Outcome::new(Partition::Deferred, Reason::Paused)));
        Routes { all: Box::new(decisions.map(|decision| decision.map_or(paused, Route::new))), decisions }
    }

    /// For each slot, the number of its origin's route, taking times into account.
    pub fn of_slots(&mut self, lookup: &Lookup<'_>, decisions: &Decisions) -> Vec<u8> {
        let number = |entry: &Entry| match self.decisions[usize::from(entry.class())] {
            Some(_) => entry.class(),
            None if entry.is_free() => 0,
            None => self.number_of(decisions.of(&lookup.record(entry))),
        };
        lookup.entries().iter().map(number).collect()
    }

    /// The number of a decision that depends on times. It uses the numbers of classes that do not exist, from the highest down;
    /// decisions and classes together are fewer than the numbers.
    fn number_of(&mut self, decision: Decision) -> u8 {
        if let Some(number) = self.decisions.iter().position(|&other| other == Some(decision)) {
            return number as u8;
        }
        let number = (0..=u8::MAX).rev().find(|&number| self.is_unused(number)).expect("fewer than 256 decisions");
        self.decisions[usize::from(number)] = Some(decision);
        self.all[usize::from(number)] = Route::new(decision);
        number
    }

    fn is_unused(&self, number: u8) -> bool {
        Class::from_number(number).is_none() && self.decisions[usize::from(number)].is_none()
    }
}
