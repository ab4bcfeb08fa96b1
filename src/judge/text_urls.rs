//! URLs to judge together, as places in a text.

use super::lines::Lines;
use crate::automaton::front;
use std::ops::Deref;

/// Bytes after a URL that are read, though their values do not matter. URLs nearer to the end of the text go the slow way.
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
    /// The URLs in the text that these places are in.
    pub fn urls<'u>(&'u self, text: &'u [u8]) -> Urls<'u> {
        Urls { text, starts: &self.starts, ends: &self.ends, gap: 0, second_looks: &self.second_looks }
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
    /// Whether each URL needs a second look: 0 if it is [plain](super::lines), 1 if it is not or in doubt, which only takes
    /// longer.
    pub second_looks: &'u [u8],
}

impl<'u> Urls<'u> {
    /// The lines of a text, or of a text that goes on after them.
    pub fn of_lines(text: &'u [u8], lines: &'u Lines) -> Urls<'u> {
        let starts = lines.starts();
        Urls { text, starts, ends: &starts[1..], gap: 1, second_looks: lines.second_looks() }
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
        // This loop has no branch; the one that stops early is only for the end of the text.
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
