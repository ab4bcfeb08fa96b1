//! The URLs of the lines of a chunk.
//!
//! If the whole line is the URL, as in most lists, only the lines have to be found. Fields of lines are located one by
//! one. A URL that cannot be judged in place is stored *apart*: a URL that had to be decoded, or the URL of a line that
//! begins with a byte order mark.

use serde::{Deserialize, Serialize};
use std::ops::{Deref, Range};

use super::lines::{Lines, is_plain};
use crate::automaton::front;
use crate::input::chunks::Chunk;
use crate::input::layout::{Found, has_tab_inside};
use crate::outcome::Reason;

/// The lines of a chunk and their URLs, in a worker's memory that is reused for each chunk.
#[derive(Debug, Default)]
pub(crate) struct LineUrls {
    lines: Lines,
    /// Whether the URLs are the lines; otherwise `places` has them.
    is_whole: bool,
    /// Whether lines with a tab inside have no URL. This type does not search for tabs: the slow way detects them.
    refuses_tabs: bool,
    places: Places,
    decoded: Vec<u8>,
    apart: Vec<Apart>,
    flaws: Vec<(usize, Reason)>,
}

/// A URL that cannot be judged in place.
#[derive(Debug, Clone)]
struct Apart {
    line: usize,
    /// Its range, in the text or in the decoded bytes.
    place: Range<usize>,
    is_decoded: bool,
}

impl LineUrls {
    /// Finds the lines of a chunk, and their URLs.
    ///
    /// # Panics
    ///
    /// If the chunk is longer than 4 GiB.
    pub fn find(&mut self, chunk: &Chunk<'_>) {
        self.lines.find(chunk.text());
        self.is_whole = chunk.layout.is_whole();
        self.refuses_tabs = chunk.layout.refuses_tabs();
        self.decoded.clear();
        self.apart.clear();
        self.flaws.clear();
        if !self.is_whole {
            self.locate(chunk);
        } else if chunk.bom_len > 0 && self.lines.count() > 0 {
            let end = self.lines.line(chunk.text(), 0).len();
            let place = chunk.bom_len.min(end)..end;
            if chunk.layout.refuses_tabs() && has_tab_inside(&self.lines.line(chunk.text(), 0)[place.clone()]) {
                self.flaws.push((0, Reason::Tab));
            }
            self.apart.push(Apart { line: 0, place, is_decoded: false });
        }
        self.flaws.extend(chunk.flaws().iter().map(|&(line, reason)| (line as usize, reason)));
    }

    /// Finds the URLs of lines of fields.
    fn locate(&mut self, chunk: &Chunk<'_>) {
        let LineUrls { lines, places: Places { starts, ends, second_looks }, decoded, apart, flaws, .. } = self;
        starts.clear();
        ends.clear();
        second_looks.clear();
        for line in 0..lines.count() {
            let text = lines.line(chunk.text(), line);
            // The line may have changed after its mark was found.
            let mark = if line == 0 { chunk.bom_len.min(text.len()) } else { 0 };
            let text = &text[mark..];
            let start = lines.starts()[line] as usize + mark;
            let (place, look) = match chunk.layout.find(text, decoded) {
                Ok(Found::Within(place)) => {
                    let look = lines.second_looks()[line] == 1 && !is_plain(&text[place.clone()]);
                    (start + place.start..start + place.end, look)
                }
                Ok(Found::Decoded(place)) => {
                    apart.push(Apart { line, place, is_decoded: true });
                    (start..start, true)
                }
                Err(reason) => {
                    flaws.push((line, reason));
                    (start..start, true)
                }
            };
            starts.push(place.start as u32);
            ends.push(place.end as u32);
            second_looks.push(look.into());
        }
    }

    /// The lines.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The URLs. Entries of lines without a URL, or with a URL that is apart, are meaningless.
    #[inline]
    pub fn urls<'u>(&'u self, text: &'u [u8]) -> Urls<'u> {
        match self.is_whole {
            true => Urls { refuses_tabs: self.refuses_tabs, ..Urls::of_lines(text, &self.lines) },
            false => self.places.urls(text),
        }
    }

    /// The lines without a URL, by line number, and why.
    pub fn flaws(&self) -> &[(usize, Reason)] {
        &self.flaws
    }

    /// The URLs that are apart, with their lines.
    pub fn apart<'u>(&'u self, text: &'u [u8]) -> impl Iterator<Item = (usize, &'u [u8])> {
        self.apart.iter().map(move |apart| (apart.line, self.text_of(apart, text)))
    }

    /// Whether a line has no URL because it has a tab inside.
    #[inline]
    pub fn is_refused(&self, text: &[u8], line: usize) -> bool {
        self.refuses_tabs && self.lines.second_looks()[line] == 1 && has_tab_inside(self.url(text, line))
    }

    /// The URL of a line; empty if it has none.
    #[inline]
    pub fn url<'u>(&'u self, text: &'u [u8], line: usize) -> &'u [u8] {
        match self.apart.binary_search_by_key(&line, |apart| apart.line) {
            Ok(place) => self.text_of(&self.apart[place], text),
            Err(_) => self.urls(text).get(line),
        }
    }

    /// Whether the URL of a line is apart.
    pub fn is_apart(&self, line: usize) -> bool {
        self.apart.binary_search_by_key(&line, |apart| apart.line).is_ok()
    }

    fn text_of<'u>(&'u self, apart: &Apart, text: &'u [u8]) -> &'u [u8] {
        let text = if apart.is_decoded { &self.decoded } else { text };
        &text[apart.place.clone()]
    }
}

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

// URLs to judge together, as places in a text.

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
