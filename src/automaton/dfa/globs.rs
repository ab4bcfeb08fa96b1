//! Ranked globs, as lists of segments with a `*` between each two.

use std::ops::Range;

use super::sorting::{Segment, Sorting};
use crate::automaton::priorities::{NO_MATCH, Priority};

/// How a glob continues after a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Then {
    /// It has matched, whatever follows.
    Accepts,
    /// It has matched if the path ends here.
    Ends,
    /// It waits for this item.
    Waits(u32),
}

/// The end of a glob's first segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct First {
    pub priority: Priority,
    pub then: Then,
}

/// A segment that is waited for: any but the first of a glob. Items are numbered in byte order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct GlobItem {
    /// Where its bytes begin in the text.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
    /// The priority of its glob.
    pub priority: Priority,
    pub then: Then,
    /// Its number among all segments.
    pub segment: u32,
}

/// A glob: its priority, whether its last segment must reach the end of the path, and its range of segments.
#[derive(Debug, Clone, Copy)]
struct Glob {
    priority: Priority,
    anchored: bool,
    first: u32,
    end: u32,
}

/// Globs, whose segments are ranges of a text, and the order of their segments.
#[derive(Debug, Default)]
pub(crate) struct Globs {
    globs: Vec<Glob>,
    /// The best of all priorities.
    pub best: Priority,
    /// How many segments are not the first of their glob.
    rests: usize,
    /// The items, by segment number.
    item_of: Vec<u32>,
    pub items: Vec<GlobItem>,
}

/// A text, and the ranges of it that are segments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segments<'a> {
    pub text: &'a [u8],
    /// Where each begins and ends.
    pub ranges: &'a [(u32, u32)],
}

impl Segments<'_> {
    /// The segment of this number, to be sorted under an `id`.
    fn numbered(&self, number: u32, id: u32) -> Segment {
        let (start, end) = self.ranges[number as usize];
        Segment { start, len: end - start, id }
    }
}

impl Globs {
    pub fn clear(&mut self) {
        self.globs.clear();
        self.best = NO_MATCH;
        self.rests = 0;
    }

    /// Adds a glob of these segments; there must be at least one.
    pub fn add(&mut self, priority: Priority, anchored: bool, segments: Range<u32>) {
        self.best = self.best.max(priority);
        self.rests += segments.len() - 1;
        self.globs.push(Glob { priority, anchored, first: segments.start, end: segments.end });
    }

    /// Sorts and links all segments but the first ones.
    pub fn make_items(&mut self, segments: Segments<'_>, sorting: &mut Sorting) {
        self.items.clear();
        if self.rests == 0 {
            return;
        }
        let rests = self.globs.iter().flat_map(|glob| glob.first + 1..glob.end);
        sorting.sort(segments.text, rests.map(|number| segments.numbered(number, number)));
        self.item_of.resize(segments.ranges.len(), 0);
        for (number, entry) in sorting.entries().iter().enumerate() {
            let Segment { start, len, id: segment } = entry.segment;
            self.item_of[segment as usize] = number as u32;
            self.items.push(GlobItem { start, len, priority: NO_MATCH, then: Then::Accepts, segment });
        }
        for glob in &self.globs {
            for segment in glob.first + 1..glob.end {
                let then = self.then(glob, segment);
                let item = &mut self.items[self.item_of[segment as usize] as usize];
                (item.priority, item.then) = (glob.priority, then);
            }
        }
    }

    /// Sorts the first segments, and appends the continuation of each to `firsts`, in that order.
    pub fn sort_firsts(&self, segments: Segments<'_>, sorting: &mut Sorting, firsts: &mut Vec<First>) {
        let numbered = self.globs.iter().zip(0..).map(|(glob, number)| segments.numbered(glob.first, number));
        sorting.sort(segments.text, numbered);
        firsts.extend(sorting.entries().iter().map(|entry| {
            let glob = &self.globs[entry.segment.id as usize];
            First { priority: glob.priority, then: self.then(glob, glob.first) }
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
