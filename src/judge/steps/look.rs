//! Step 3: checks whether the entry of a slot is that of the URL's origin.
//!
//! URLs are appended to two lists without a branch. This takes 39 instructions a line and no mispredicted branch.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{Append, BATCH, Space};
use crate::judge::text_urls::Readable;
use crate::policy::Lookup;

/// Step 3.
pub(in crate::judge) struct LookStep<'a, 'p> {
    pub space: &'a mut Space,
    pub lookup: Lookup<'p>,
    pub urls: &'a Readable<'a>,
}

impl Kernel for LookStep<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let LookStep { space, lookup, urls } = self;
        let [mut known, mut untidy] = [&mut space.known, &mut space.untidy].map(|list| Append::to(&mut list.items));
        let looks = &urls.looks[..urls.count().min(BATCH)];
        #[expect(clippy::needless_range_loop, reason = "an iterator takes 27 instructions a line more")]
        for url in 0..looks.len() {
            let entry = lookup.entry(space.slots[url] as usize);
            let is_same = entry.has_beginning(space.first[url], u64::from(space.lengths[url]))
                & (I::differences(entry.rest(), &space.rest[url]) == 0);
            // A URL without a path counts as not plain.
            let is_tidy = (looks[url] == 0) & (space.paths[url] < space.ends[url]);
            known.push_if(is_same & is_tidy, url as u8);
            untidy.push_if(is_same & !is_tidy, url as u8);
        }
        (space.known.count, space.untidy.count) = (known.count, untidy.count);
        space.unknown.count = 0;
        if space.known.count + space.untidy.count < looks.len() {
            space.list_unknown(looks.len());
        }
    }
}

impl Space {
    /// Lists the URLs that are in neither list. There are rarely any, and appending them in the loop takes 5 instructions a
    /// line.
    #[cold]
    fn list_unknown(&mut self, count: usize) {
        let mut is_listed = [false; BATCH];
        for &url in self.known.items().iter().chain(self.untidy.items()) {
            is_listed[usize::from(url)] = true;
        }
        let mut unknown = Append::to(&mut self.unknown.items);
        for (url, is_listed) in is_listed.into_iter().enumerate().take(count) {
            unknown.push_if(!is_listed, url as u8);
        }
        self.unknown.count = unknown.count;
    }
}
