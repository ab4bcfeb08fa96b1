//! The URLs of a batch of lines.

use super::super::judge::Url;
use super::super::lines::{self, Line};
use super::{Found, Layout, Reason};

/// Where the URLs of a batch are; used for one batch after the other.
#[derive(Debug, Default)]
pub(in crate::filter) struct Located {
    places: Vec<Place>,
    decoded: Vec<u8>,
    /// Lines that have no URL, by their number in the batch.
    pub flaws: Vec<(usize, Reason)>,
}

/// Where a URL is, in the chunk or among what was decoded.
#[derive(Debug, Clone, Copy)]
struct Place {
    start: usize,
    end: usize,
    is_decoded: bool,
}

impl Located {
    /// Finds the URLs of lines of a chunk.
    pub fn locate(&mut self, layout: &Layout, chunk: &[u8], lines: &[Line]) {
        let Located { places, decoded, flaws } = self;
        places.clear();
        decoded.clear();
        flaws.clear();
        places.extend(lines.iter().enumerate().map(|(number, line)| {
            let start = line.start as usize;
            match layout.find(&chunk[start..line.end as usize], decoded) {
                Ok(Found::Within(place)) => {
                    Place { start: start + place.start, end: start + place.end, is_decoded: false }
                }
                Ok(Found::Decoded(place)) => Place { start: place.start, end: place.end, is_decoded: true },
                Err(reason) => {
                    flaws.push((number, reason));
                    Place { start, end: start, is_decoded: false }
                }
            }
        }));
    }

    /// The URLs that were found; a line without one has an empty one.
    pub fn urls<'u>(&'u self, chunk: &'u [u8]) -> Vec<Url<'u>> {
        let url = |place: &Place| {
            let text = if place.is_decoded { &self.decoded } else { chunk };
            let line = &text[place.start..place.end];
            Url { line, plain: lines::is_plain(line) }
        };
        self.places.iter().map(url).collect()
    }
}
