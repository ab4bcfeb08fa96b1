//! URLs to judge together, as places in a text.

use crate::automaton::front;

/// So many bytes after a URL are read, though they do not matter. What ends nearer to the end of the text goes the slow way.
pub(super) const PADDING: usize = 128;
const _: () = assert!(PADDING >= front::PADDING + 32);

/// URLs within a text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Urls<'u> {
    /// The text that holds them.
    pub text: &'u [u8],
    /// Where each begins.
    pub starts: &'u [u32],
    /// Where each ends, plus [`Urls::gap`]; as many.
    pub ends: &'u [u32],
    /// How much is to be taken from an end: 1 for lines, which end where the next one begins, but for the LF.
    pub gap: u32,
    /// Whether each needs a second look: 0 where it is [plain](super::lines). When in doubt, 1: it only takes longer.
    pub looks: &'u [u8],
}

impl<'u> Urls<'u> {
    /// How many there are.
    pub fn count(&self) -> usize {
        self.looks.len()
    }

    /// Those from one up to another, of which all can be read with [`PADDING`] bytes after them; none if the first cannot.
    #[inline(always)]
    pub(super) fn readable(&self, from: usize, to: usize) -> Urls<'u> {
        let (starts, ends) = (&self.starts[from..to], &self.ends[from..to]);
        let last = self.text.len().checked_sub(PADDING);
        let is_readable = |(&start, &end): (&u32, &u32)| {
            let end = end.wrapping_sub(self.gap);
            (start <= end) & last.is_some_and(|last| end as usize <= last)
        };
        // Without a branch in the loop; one that stops early is for the end of the text.
        let all = starts.iter().zip(ends).fold(true, |all, url| all & is_readable(url));
        let count = if all { to - from } else { starts.iter().zip(ends).take_while(|&url| is_readable(url)).count() };
        Urls { starts: &starts[..count], ends: &ends[..count], looks: &self.looks[from..from + count], ..*self }
    }

    /// A URL.
    pub fn get(&self, url: usize) -> &'u [u8] {
        &self.text[self.starts[url] as usize..(self.ends[url] - self.gap) as usize]
    }
}
