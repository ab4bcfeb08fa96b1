//! Step 5: what the origins come to for a crawler, and which automata decide.
//!
//! 32 instructions a line and no mispredicted branch, for a crawler whose automata the entries name and where no time decides.

use crate::judge::routes::Route;
use crate::judge::space::{Append, Item, Space};
use crate::judge::view::Judge;

impl Space {
    /// Step 5.
    #[inline(always)]
    pub(in crate::judge) fn route(&mut self, judge: &Judge<'_>) {
        if judge.entries_suffice() {
            self.route_by(judge, |slot| judge.route_of_entry(slot));
        } else {
            for &url in self.known.items() {
                judge.prefetch_route(self.slots[usize::from(url)] as usize);
            }
            self.route_by(judge, |slot| judge.route(slot));
        }
    }

    #[inline(always)]
    pub(in crate::judge) fn route_by(&mut self, judge: &Judge<'_>, route: impl Fn(usize) -> (Route, u32)) {
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
