//! Step 3: whether the entry of a slot is that of the URL's origin.
//!
//! URLs are appended to two lists without a branch.

use crate::judge::isa::Isa;
use crate::judge::space::{Append, BATCH, Space};
use crate::judge::text_urls::Urls;
use crate::policy::Lookup;

impl Space {
    /// Step 3.
    #[inline(always)]
    pub(in crate::judge) fn look<I: Isa>(&mut self, lookup: &Lookup<'_>, urls: &Urls<'_>) {
        let [mut known, mut untidy] = [&mut self.known, &mut self.untidy].map(|list| Append::to(&mut list.items));
        let looks = &urls.looks[..urls.count().min(BATCH)];
        #[expect(clippy::needless_range_loop, reason = "an iterator takes 27 instructions a line more")]
        for url in 0..looks.len() {
            let entry = lookup.entry(self.slots[url] as usize);
            let is_same = entry.has_beginning(self.first[url], u64::from(self.lengths[url]))
                & I::is_same_rest(entry.rest(), &self.rest[url]);
            // A path that is not written is one that is not plain.
            let is_tidy = (looks[url] == 0) & (self.paths[url] < self.ends[url]);
            known.push_if(is_same & is_tidy, url as u8);
            untidy.push_if(is_same & !is_tidy, url as u8);
        }
        (self.known.count, self.untidy.count) = (known.count, untidy.count);
        self.unknown.count = 0;
        if self.known.count + self.untidy.count < looks.len() {
            self.list_unknown(looks.len());
        }
    }

    /// Lists the URLs that are in neither list. Mostly there are none, and appending them in the loop takes 5 instructions a
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
