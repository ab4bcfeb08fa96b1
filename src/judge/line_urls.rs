//! The URLs of the lines of a chunk.
//!
//! If the whole line is the URL, as in most lists, only the lines have to be found. Fields of lines are located one by
//! one. A URL that cannot be judged in place is stored *apart*: a URL that had to be decoded, or the URL of a line that
//! begins with a byte order mark.

use std::ops::Range;

use super::lines::{Lines, is_plain};
use super::urls::{Places, Urls};
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
        let LineUrls { lines, places, decoded, apart, flaws, .. } = self;
        places.clear();
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
            places.push(place.start, place.end);
            places.second_looks.push(look.into());
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
