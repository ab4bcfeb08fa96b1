//! Step 7: the walks of the paths that passed, and the slow way for all URLs that are left.
//!
//! 3.6 % of the lines walk. That takes 29 instructions and 0.4 mispredicted branches a line; the call, with its test for AVX2,
//! is 1.3 of them. The slow way takes 9 instructions a line.

use crate::automaton::{self, front};
use crate::judge::scratch::Scratch;
use crate::judge::space::{NO_KEY, Space};
use crate::judge::text_urls::Readable;
use crate::judge::view::Judge;
use crate::rules::Verdict;

impl Space {
    /// Step 7.
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
