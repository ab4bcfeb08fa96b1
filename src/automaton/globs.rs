//! What is determinised: ranked globs, as lists of segments with a `*` between each two.

use super::bands::Band;
use super::sorting::Sorting;

/// What comes behind a segment of a glob.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Then {
    /// Nothing: the glob has matched, whatever follows.
    Accepts,
    /// Nothing, if the path ends there.
    Ends,
    /// The wait for this item.
    Waits(u32),
}

/// The end of the first segment of a glob.
#[derive(Debug, Clone, Copy)]
pub(super) struct First {
    pub band: Band,
    pub then: Then,
}

/// A segment that is waited for: any but the first of a glob. Items are numbered in the order of their octets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item {
    /// Where its octets begin in the text.
    pub start: u32,
    /// How many there are.
    pub len: u32,
    /// The band of its glob.
    pub band: Band,
    pub then: Then,
    /// Its number among all segments, in the order in which they were added.
    pub segment: u32,
}

/// A glob: its band, whether its last segment must reach the end of the path, and its range of segments.
#[derive(Debug, Clone, Copy)]
struct Glob {
    band: Band,
    anchored: bool,
    first: u32,
    end: u32,
}

/// Globs, and the orders of their segments.
#[derive(Debug, Default)]
pub(super) struct Globs {
    globs: Vec<Glob>,
    /// Start and length of each segment.
    segments: Vec<(u32, u32)>,
    /// The items by the numbers of their segments.
    item_of: Vec<u32>,
    pub items: Vec<Item>,
}

impl Globs {
    pub fn clear(&mut self) {
        self.globs.clear();
        self.segments.clear();
    }

    /// Adds a glob; `segments` are ranges of the text, at least one.
    pub fn add(&mut self, band: Band, anchored: bool, segments: impl Iterator<Item = std::ops::Range<usize>>) {
        let first = self.segments.len() as u32;
        self.segments.extend(segments.map(|range| (range.start as u32, range.len() as u32)));
        self.globs.push(Glob { band, anchored, first, end: self.segments.len() as u32 });
    }

    /// Sorts and links all segments but the first ones.
    pub fn make_items(&mut self, text: &[u8], sorting: &mut Sorting) {
        self.items.clear();
        if self.segments.len() == self.globs.len() {
            return;
        }
        let rests = self.globs.iter().flat_map(|glob| glob.first + 1..glob.end);
        sorting.sort(
            text,
            rests.map(|segment| {
                let (start, len) = self.segments[segment as usize];
                (start, len, segment)
            }),
        );
        self.item_of.resize(self.segments.len(), 0);
        for (number, entry) in sorting.entries().iter().enumerate() {
            self.item_of[entry.id as usize] = number as u32;
            let (start, len, segment) = (entry.start, entry.len, entry.id);
            self.items.push(Item { start, len, band: 0, then: Then::Accepts, segment });
        }
        for glob in &self.globs {
            for segment in glob.first + 1..glob.end {
                let then = self.then(glob, segment);
                let item = &mut self.items[self.item_of[segment as usize] as usize];
                (item.band, item.then) = (glob.band, then);
            }
        }
    }

    /// Sorts the first segments, and appends what comes behind each to `firsts`, in their order.
    pub fn sort_firsts(&self, text: &[u8], sorting: &mut Sorting, firsts: &mut Vec<First>) {
        let segment = |(number, glob): (usize, &Glob)| {
            let (start, len) = self.segments[glob.first as usize];
            (start, len, number as u32)
        };
        sorting.sort(text, self.globs.iter().enumerate().map(segment));
        firsts.extend(sorting.entries().iter().map(|entry| {
            let glob = &self.globs[entry.id as usize];
            First { band: glob.band, then: self.then(glob, glob.first) }
        }));
    }

    fn then(&self, glob: &Glob, segment: u32) -> Then {
        match (segment + 1 == glob.end, glob.anchored) {
            (true, false) => Then::Accepts,
            (true, true) => Then::Ends,
            (false, _) => Then::Waits(self.item_of[segment as usize + 1]),
        }
    }
}
