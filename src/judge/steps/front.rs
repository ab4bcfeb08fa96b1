//! Step 6: the fronts of the automata, which let a few paths pass to the walk.
//!
//! Prefixes are asked for of all paths, and then triples of the two fifths where they may decide: asking for both at once
//! takes half a mispredicted branch a line more. 154 instructions and 0.3 mispredicted branches a line; 3.6 % of the paths pass.

use crate::automaton::front;
use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{Append, Item, Space};
use crate::judge::text_urls::Urls;
use crate::judge::view::Judge;

/// Step 6.
pub(in crate::judge) struct Front<'a, 'p> {
    pub space: &'a mut Space,
    pub judge: &'a Judge<'p>,
    pub urls: &'a Urls<'a>,
}

impl Kernel for Front<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let Front { space, judge, urls } = self;
        let [mut asking, mut walks] = [&mut space.asking, &mut space.walks].map(|list| Append::to(&mut list.items));
        for (place, item) in space.items.items().iter().enumerate() {
            let automaton = judge.automaton(item.automaton);
            space.outcomes[usize::from(item.url)] = item.outcomes[usize::from(front::base_is_blocked(automaton))];
            // SAFETY: the automaton is an item of a checked image, and the path one of a URL that is readable.
            let found = unsafe { I::prefixes(automaton, path_of(urls.text, item)) };
            space.lanes[place] = found.lanes;
            walks.push_if(found.passes != 0, place as u8);
            asking.push_if((found.asks != 0) & (found.passes == 0), place as u8);
        }
        for &place in &asking.items[..asking.count] {
            let item = &space.items.items[usize::from(place)];
            // SAFETY: as above; these lanes ask for triples.
            let passes = unsafe {
                let path = path_of(urls.text, item);
                I::triples(judge.automaton(item.automaton), path, space.lanes[usize::from(place)])
            };
            walks.push_if(passes, place);
        }
        space.walks.count = walks.count;
    }
}

/// The path of an item, which lies within the text.
///
/// # Safety
///
/// Callers must ensure that the item was made of a readable URL of this text.
#[inline(always)]
unsafe fn path_of<'t>(text: &'t [u8], item: &Item) -> &'t [u8] {
    let (start, end) = (item.start as usize, item.end as usize);
    debug_assert!(start < end && end <= text.len());
    // SAFETY: a path begins after the key of its URL, and ends where the URL does or before.
    unsafe { text.get_unchecked(start..end) }
}
