//! Routes: what each origin comes to under the operator's choices, worked out before any URL is seen.

use super::decision::{Decision, Decisions};
use crate::outcome::{Outcome, Partition, Reason};
use crate::policy::{Class, Lookup, LookupEntry as Entry};

/// The route of an origin's lines, ready to be looked up.
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
    /// The decision of each number; `None` where it is a class whose origins times decide, or none.
    decisions: [Option<Decision>; 256],
}

impl Routes {
    /// Those of the classes of origins.
    pub fn new(decisions: [Option<Decision>; 256]) -> Routes {
        // Where times are not looked at, a pause has no end.
        let paused = Route::new(Decision::Fixed(Outcome::new(Partition::Deferred, Reason::Paused)));
        Routes { all: Box::new(decisions.map(|decision| decision.map_or(paused, Route::new))), decisions }
    }

    /// By slot, the number of the route of its origin, where times are looked at.
    pub fn of_slots(&mut self, lookup: &Lookup<'_>, decisions: &Decisions) -> Vec<u8> {
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
        self.all[usize::from(number)] = Route::new(decision);
        number
    }

    fn is_unused(&self, number: u8) -> bool {
        Class::from_number(number).is_none() && self.decisions[usize::from(number)].is_none()
    }
}
