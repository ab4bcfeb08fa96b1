//! URLs to judge together, as places in a text, and what is odd about them.

use serde::{Deserialize, Serialize};
use std::ops::Deref;

use super::lines::Lines;
use crate::automaton::front;

/// Counts of odd URLs. Counts about paths include every URL with a valid origin, known or not.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlCounts {
    /// URLs with a tab inside, valid or not. In a fragment, a tab counts only if it makes the line invalid.
    pub tabs: u64,
    /// URLs whose path has a segment `.` or `..`.
    pub dot_segments: u64,
    /// URLs whose fetched path, by which they are judged, differs from the written one
    /// ([`UrlPath::rewrites`](crate::dialect::UrlPath::rewrites)).
    pub rewritten: u64,
    /// URLs whose path was converted to normal form. That is unnecessary if rules decide on the path before the first
    /// byte that would change.
    pub normalised: u64,
    /// URLs judged by the `www.` sibling of their origin.
    #[serde(default)]
    pub www_fallbacks: u64,
}

impl UrlCounts {
    /// Adds the counts of other URLs.
    pub fn add(&mut self, other: &UrlCounts) {
        self.tabs += other.tabs;
        self.dot_segments += other.dot_segments;
        self.rewritten += other.rewritten;
        self.normalised += other.normalised;
        self.www_fallbacks += other.www_fallbacks;
    }

    /// The counts of URLs that were judged for several crawlers. Only normalising depends on the automaton, and is summed: a path
    /// counts once for each automaton that needs it.
    pub fn of_crawlers(counts: impl IntoIterator<Item = UrlCounts>) -> UrlCounts {
        let mut counts = counts.into_iter();
        let first = counts.next().unwrap_or_default();
        let normalised = first.normalised + counts.map(|other| other.normalised).sum::<u64>();
        UrlCounts { normalised, ..first }
    }
}

/// How many bytes after a URL may be read, although their values do not matter. URLs nearer to the end of the text take
/// the slow way.
pub(super) const PADDING: usize = 128;
const _: () = assert!(PADDING >= front::PADDING + 32);

/// Where URLs are in a text, and whether each needs a second look, as in [`Urls`].
#[derive(Debug, Default)]
pub(super) struct Places {
    pub starts: Vec<u32>,
    pub ends: Vec<u32>,
    pub second_looks: Vec<u8>,
}

impl Places {
    /// Removes all places.
    pub fn clear(&mut self) {
        self.starts.clear();
        self.ends.clear();
        self.second_looks.clear();
    }

    /// Adds a URL, whose need of a second look is told later.
    #[inline]
    pub fn push(&mut self, start: usize, end: usize) {
        self.starts.push(start as u32);
        self.ends.push(end as u32);
    }

    /// The URLs in the text that these places are in.
    #[inline]
    pub fn urls<'u>(&'u self, text: &'u [u8]) -> Urls<'u> {
        Urls {
            text,
            starts: &self.starts,
            ends: &self.ends,
            gap: 0,
            second_looks: &self.second_looks,
            refuses_tabs: false,
        }
    }
}

/// URLs within a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Urls<'u> {
    /// The text that holds them.
    pub text: &'u [u8],
    /// Where each URL begins.
    pub starts: &'u [u32],
    /// Where each URL ends, plus [`Urls::gap`]; as many as `starts`.
    pub ends: &'u [u32],
    /// Subtracted from each end: 1 for lines, whose ends are the starts of the next lines, after the LF.
    pub gap: u32,
    /// Whether each URL needs a second look: 0 if it is [plain](super::lines), 1 if it is not, or in doubt, which only
    /// costs time.
    pub second_looks: &'u [u8],
    /// Whether a tab inside makes a URL invalid.
    pub refuses_tabs: bool,
}

impl<'u> Urls<'u> {
    /// The lines of a text; more text may follow them.
    pub fn of_lines(text: &'u [u8], lines: &'u Lines) -> Urls<'u> {
        let starts = lines.starts();
        Urls { text, starts, ends: &starts[1..], gap: 1, second_looks: lines.second_looks(), refuses_tabs: false }
    }

    /// The number of URLs.
    pub fn count(&self) -> usize {
        self.second_looks.len()
    }

    /// The URLs from `from` up to `to`, as far as all can be read with [`PADDING`] bytes after them; none if the first cannot.
    #[inline(always)]
    pub(super) fn readable(&self, from: usize, to: usize) -> Readable<'u> {
        let (starts, ends) = (&self.starts[from..to], &self.ends[from..to]);
        let last = self.text.len().checked_sub(PADDING);
        let is_readable = |(&start, &end): (&u32, &u32)| {
            let end = end.wrapping_sub(self.gap);
            (start <= end) & last.is_some_and(|last| end as usize <= last)
        };
        // This loop has no branch; the loop that stops early is only for the end of the text.
        let all = starts.iter().zip(ends).fold(true, |all, url| all & is_readable(url));
        let count = if all { to - from } else { starts.iter().zip(ends).take_while(|&url| is_readable(url)).count() };
        Readable(Urls {
            starts: &starts[..count],
            ends: &ends[..count],
            second_looks: &self.second_looks[from..from + count],
            ..*self
        })
    }

    /// A URL.
    #[inline]
    pub fn get(&self, url: usize) -> &'u [u8] {
        &self.text[self.starts[url] as usize..(self.ends[url] - self.gap) as usize]
    }
}

/// URLs that begin and end within their text, with [`PADDING`] bytes of it after each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Readable<'u>(Urls<'u>);

impl<'u> Deref for Readable<'u> {
    type Target = Urls<'u>;

    fn deref(&self) -> &Urls<'u> {
        &self.0
    }
}
