//! Step 6: the fronts of the automata, which let only a few paths pass to the walk.
//!
//! First a Bloom filter finds the paths that may begin with a prefix, one in six. These are probed for prefixes. Then two
//! fifths of all paths, those for which triples may decide, are probed for triples. Each probe has a loop of its own, so that
//! none takes an unpredictable branch. This takes 138 instructions and 0.3 mispredicted branches a line, 14 to 18 ns; without
//! the Bloom filter it took 8 more, and 3 ns. 3.6 % of the paths pass.

use crate::automaton::front;
use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{Append, BATCH, Item, Space};
use crate::judge::text_urls::Readable;
use crate::judge::view::Judge;

/// Step 6.
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
