//! Steps 5 to 7: what a crawler may fetch of the known origins.

use crate::automaton::{self, front};
use crate::judge::isa::{Isa, Kernel};
use crate::judge::routes;
use crate::judge::scratch::Scratch;
use crate::judge::space::{Append, BATCH, Item, NO_KEY, Space};
use crate::judge::text_urls::Readable;
use crate::judge::view::Judge;
use crate::rules::Verdict;

/// Step 5: the routes of the origins for a crawler, and the automata that decide.
///
/// It takes 34 instructions a line and no mispredicted branch, for a crawler whose automata the entries name and if no time
/// decides; 65 for the other crawlers of a policy, whose automata are in the rows.
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

/// Step 6: the fronts of the automata, which let only a few paths pass to the walk.
///
/// First a Bloom filter finds the paths that may begin with a prefix, one in six. These are probed for prefixes. Then two
/// fifths of all paths, those for which triples may decide, are probed for triples. Each probe has a loop of its own, so that
/// none takes an unpredictable branch. This takes 138 instructions and 0.3 mispredicted branches a line, 14 to 18 ns; without
/// the Bloom filter it took 8 more, and 3 ns. 3.6 % of the paths pass.
pub(in crate::judge) struct FrontStep<'a, 'p> {
    pub space: &'a mut Space,
    pub judge: &'a Judge<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for FrontStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let FrontStep { space, judge, urls } = self;
        // Copies stay in registers; through references, the compiler loads them again after each store: 8 instructions a line.
        let (judge, text) = (judge.clone(), urls.text);
        let [mut probing, mut asking, mut walks] =
            [&mut space.probing, &mut space.asking, &mut space.walks].map(|list| Append::to(&mut list.items));
        space.lanes = [0; BATCH];
        for (place, item) in space.items.items().iter().enumerate() {
            let automaton = judge.automaton(item.automaton);
            let has_free_classes = front::has_free_classes(automaton);
            space.outcomes[usize::from(item.url)] = item.outcomes[usize::from(front::base_is_blocked(automaton))];
            // SAFETY: the automaton is an item of a checked image, and the path is that of a readable URL.
            let begins = unsafe { I::begins(automaton, path_of(text, item)) };
            probing.push_if(begins, place as u8);
            asking.push_if(!begins & has_free_classes, place as u8);
        }
        for &place in &probing.items[..probing.count] {
            let item = &space.items.items[usize::from(place)];
            // SAFETY: as above.
            let found = unsafe { I::prefixes(judge.automaton(item.automaton), path_of(text, item)) };
            space.lanes[usize::from(place)] = found.lanes;
            walks.push_if(found.passes != 0, place);
            asking.push_if((found.asks != 0) & (found.passes == 0), place);
        }
        for &place in &asking.items[..asking.count] {
            let item = &space.items.items[usize::from(place)];
            // SAFETY: as above; these lanes ask for triples.
            let passes = unsafe {
                let path = path_of(text, item);
                I::triples(judge.automaton(item.automaton), path, space.lanes[usize::from(place)])
            };
            walks.push_if(passes, place);
        }
        space.walks.count = walks.count;
    }
}

/// The path of an item, which is within the text.
///
/// # Safety
///
/// Callers must ensure that the item was made from a readable URL of this text.
#[inline(always)]
unsafe fn path_of<'t>(text: &'t [u8], item: &Item) -> &'t [u8] {
    let (start, end) = (item.start as usize, item.end as usize);
    debug_assert!(start < end && end <= text.len());
    // SAFETY: a path begins after the key of its URL, and ends where the URL does or before.
    unsafe { text.get_unchecked(start..end) }
}

impl Space {
    /// Step 7: the walks of the paths that passed, and the slow way for all URLs that are left.
    ///
    /// 3.6 % of the lines walk. That takes 29 instructions and 0.4 mispredicted branches a line; the call, with its test for AVX2,
    /// is 1.3 of them. The slow way takes 9 instructions a line.
    #[inline(always)]
    pub(in crate::judge) fn walk(&mut self, judge: &Judge<'_>, urls: &Readable<'_>, scratch: &mut Scratch) {
        for &place in self.walks.items() {
            let item = &self.items.items[usize::from(place)];
            let words = front::words(judge.automaton(item.automaton));
            let (text, start) = (&urls.text[..item.end as usize], item.start as usize);
            let [allowed, blocked] = item.outcomes;
            let outcome = match automaton::verdict_from(words, text, start, &mut scratch.walk) {
                Verdict::Allowed => allowed,
                Verdict::Blocked => judge.blocked(&text[start..], blocked),
            };
            self.outcomes[usize::from(item.url)] = outcome;
        }
    }

    /// Judges all other URLs, one by one.
    #[inline(always)]
    pub(in crate::judge) fn rest(&mut self, judge: &Judge<'_>, urls: &Readable<'_>, scratch: &mut Scratch) {
        for &url in self.untidy.items() {
            let place = usize::from(url);
            let rest = &urls.text[self.paths[place] as usize..self.ends[place] as usize];
            let (slot, kept) = (self.slots[place] as usize, self.kept[place] as usize);
            self.outcomes[place] = judge.judge_rest(slot, rest, kept, scratch);
        }
        for &url in self.unknown.items() {
            let place = usize::from(url);
            let length = self.lengths[place];
            // The key of a plain URL whose origin is not in the policy.
            let outcome = if urls.looks[place] == 0 && length != NO_KEY {
                judge.outcome_of_unknown(&urls.get(place)[..length as usize])
            } else {
                None
            };
            self.outcomes[place] = outcome.unwrap_or_else(|| judge.judge_line(urls.get(place), scratch));
        }
    }
}
