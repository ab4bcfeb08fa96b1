//! Step 5: the routes of the origins for a crawler, and the automata that decide.
//!
//! It takes 34 instructions a line and no mispredicted branch, for a crawler whose automata the entries name and if no time
//! decides; 65 for the other crawlers of a policy, whose automata are in the rows.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::routes;
use crate::judge::space::{Append, Item, Space};
use crate::judge::view::Judge;

/// Step 5.
pub(in crate::judge) struct RouteStep<'a, 'p> {
    pub space: &'a mut Space,
    pub judge: &'a Judge<'p>,
}

impl Kernel for RouteStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let RouteStep { space, judge } = self;
        if judge.entries_suffice() {
            space.route_by(judge, |slot| judge.route_of_entry(slot));
        } else {
            for &url in space.known.items() {
                judge.prefetch_route(space.slots[usize::from(url)] as usize);
            }
            space.route_by(judge, |slot| judge.route(slot));
        }
    }
}

impl Space {
    #[inline(always)]
    fn route_by(&mut self, judge: &Judge<'_>, route: impl Fn(usize) -> (routes::Route, u32)) {
        let mut items = Append::to(&mut self.items.items);
        for &url in self.known.items() {
            let place = usize::from(url);
            let (route, automaton) = route(self.slots[place] as usize);
            judge.prefetch_automaton(automaton);
            self.outcomes[place] = route.settled;
            let (start, end) = (self.paths[place], self.ends[place]);
            let item = Item { automaton, start, end, url, outcomes: route.outcomes };
            items.push_if((automaton != 0) & route.walks, item);
        }
        self.items.count = items.count;
    }
}
