//! Step 1: the key of each URL, which is its first 40 bytes up to the end of its authority.
//!
//! With the copying of outcomes it takes 39 instructions a line.

use crate::judge::isa::{Isa, Kernel};
use crate::judge::space::{BATCH, NO_KEY, Space};
use crate::judge::text_urls::Readable;

/// The most bytes of a key.
const WHOLE_KEY: u32 = 40;

/// Step 1.
pub(in crate::judge) struct KeyStep<'a> {
    pub space: &'a mut Space,
    pub urls: &'a Readable<'a>,
}

impl Kernel for KeyStep<'_> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self) {
        let KeyStep { space, urls } = self;
        let count = urls.count().min(BATCH);
        let (starts, ends) = (&urls.starts[..count], &urls.ends[..count]);
        for url in 0..count {
            let (start, end) = (starts[url], ends[url] - urls.gap);
            // SAFETY: the URL is readable, so at least 40 bytes of the text come after its start.
            let key = unsafe { I::key(urls.text.as_ptr().add(start as usize), (end - start) as usize) };
            space.first[url] = key.first;
            let [a, b, c, d] = key.rest;
            space.rest[url] = [a.to_le(), b.to_le(), c.to_le(), d.to_le()];
            // A key that fills all its bytes may be longer.
            space.lengths[url] = if key.length <= (end - start).min(WHOLE_KEY - 1) { key.length } else { NO_KEY };
            space.paths[url] = start.wrapping_add(key.length);
            space.ends[url] = end;
        }
    }
}
