//! Ranked globs, as lists of segments with a `*` between each two, and the order of their segments.
//!
//! Segments are compared by keys, seven bytes and a count in one word, so that sorting reads no text. Longer segments
//! with equal keys are sorted again by their next seven bytes.

use std::ops::Range;

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

/// A segment of a glob. Items are numbered in byte order: first segments, which begin with the path, and then those
/// that globs can wait for.
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
    /// The items, by segment number.
    item_of: Vec<u32>,
    pub items: Vec<GlobItem>,
    /// How many of them are first segments.
    pub firsts: u32,
}

/// A text, and the ranges of it that are segments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segments<'a> {
    pub text: &'a [u8],
    /// Where each begins and ends.
    pub ranges: &'a [(u32, u32)],
}

impl Globs {
    pub fn clear(&mut self) {
        self.globs.clear();
        self.best = NO_MATCH;
    }

    /// Adds a glob of these segments; there must be at least one.
    pub fn add(&mut self, priority: Priority, anchored: bool, segments: Range<u32>) {
        self.best = self.best.max(priority);
        self.globs.push(Glob { priority, anchored, first: segments.start, end: segments.end });
    }

    /// Sorts and links all segments.
    pub fn make_items(&mut self, segments: Segments<'_>, sorting: &mut Sorting) {
        self.items.clear();
        self.item_of.resize(segments.ranges.len(), 0);
        sorting.sort(segments, self.globs.iter().map(|glob| glob.first));
        self.number(sorting);
        self.firsts = self.items.len() as u32;
        sorting.sort(segments, self.globs.iter().flat_map(|glob| glob.first + 1..glob.end));
        self.number(sorting);
        for glob in &self.globs {
            for segment in glob.first..glob.end {
                let then = self.then(glob, segment);
                let item = &mut self.items[self.item_of[segment as usize] as usize];
                (item.priority, item.then) = (glob.priority, then);
            }
        }
    }

    /// Appends the items of sorted segments.
    fn number(&mut self, sorting: &Sorting) {
        for &KeyedSegment { start, len, number: segment, .. } in &sorting.entries {
            self.item_of[segment as usize] = self.items.len() as u32;
            self.items.push(GlobItem { start, len, priority: NO_MATCH, then: Then::Accepts, segment });
        }
    }

    fn then(&self, glob: &Glob, segment: u32) -> Then {
        match (segment + 1 == glob.end, glob.anchored) {
            (true, false) => Then::Accepts,
            (true, true) => Then::Ends,
            (false, _) => Then::Waits(self.item_of[segment as usize + 1]),
        }
    }
}

/// How many bytes a key holds.
const KEY_BYTES: u32 = 7;
/// The count in the key of a segment that continues after it.
const GOES_ON: u64 = KEY_BYTES as u64 + 1;

/// A segment, with its current key.
#[derive(Debug, Clone, Copy)]
struct KeyedSegment {
    key: u64,
    /// Where its bytes begin in the text.
    start: u32,
    /// How many bytes it has.
    len: u32,
    number: u32,
}

/// Entries that are equal so far.
#[derive(Debug)]
struct Equal {
    from: u32,
    to: u32,
    /// How many bytes they have in common.
    depth: u32,
}

/// Segments to be sorted, or sorted.
#[derive(Debug, Default)]
pub(crate) struct Sorting {
    entries: Vec<KeyedSegment>,
    /// Ranges still to be sorted by their next bytes; reused.
    open: Vec<Equal>,
}

impl Sorting {
    /// Takes the segments of these numbers, and sorts them by their bytes.
    fn sort(&mut self, segments: Segments<'_>, numbers: impl Iterator<Item = u32>) {
        self.entries.clear();
        self.entries.extend(numbers.map(|number| {
            let (start, end) = segments.ranges[number as usize];
            KeyedSegment { key: 0, start, len: end - start, number }
        }));
        self.open.push(Equal { from: 0, to: self.entries.len() as u32, depth: 0 });
        while let Some(equal) = self.open.pop() {
            self.sort_next(segments.text, equal);
        }
    }

    /// Sorts entries by the key after the bytes they have in common.
    fn sort_next(&mut self, text: &[u8], Equal { from, to, depth }: Equal) {
        let entries = &mut self.entries[from as usize..to as usize];
        for KeyedSegment { key: next, start, len, .. } in &mut *entries {
            *next = key(text, *start + depth, *len - depth);
        }
        // Often all are equal, and nearly always the file has them in some order already.
        if !entries.is_sorted_by_key(|entry| entry.key) {
            entries.sort_unstable_by_key(|entry| entry.key);
        }
        let mut from = from;
        for equal in entries.chunk_by(|one, other| one.key == other.key) {
            let to = from + equal.len() as u32;
            if equal.len() > 1 && equal[0].key & 0xff == GOES_ON {
                self.open.push(Equal { from, to, depth: depth + KEY_BYTES });
            }
            from = to;
        }
    }
}

/// The next bytes of a segment that has `left` more from `at` on, the first byte highest, with their number in the lowest byte.
#[inline]
fn key(text: &[u8], at: u32, left: u32) -> u64 {
    let at = at as usize;
    let bytes = match text[at..].first_chunk::<8>() {
        Some(chunk) => u64::from_be_bytes(*chunk),
        None => {
            let mut chunk = [0; 8];
            chunk[..text.len() - at].copy_from_slice(&text[at..]);
            u64::from_be_bytes(chunk)
        }
    };
    let unused = 64 - 8 * left.min(KEY_BYTES);
    bytes & u64::MAX.checked_shl(unused).unwrap_or(0) | u64::from(left).min(GOES_ON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// These segments in sorted order.
    fn sorted(segments: &[Vec<u8>]) -> Vec<Vec<u8>> {
        let mut end = 0;
        let in_text = segments.iter().map(|segment| {
            let start = end;
            end += segment.len() as u32;
            (start, end)
        });
        let ranges: Vec<(u32, u32)> = in_text.collect();
        let mut sorting = Sorting::default();
        let text = &segments.concat();
        sorting.sort(Segments { text, ranges: &ranges }, 0..ranges.len() as u32);
        sorting.entries.iter().map(|entry| segments[entry.number as usize].clone()).collect()
    }

    #[test]
    fn segments_are_sorted_as_slices_are() {
        let mut rng = Rng(3);
        let mut dice = |bound| rng.below(bound);
        for _ in 0..2000 {
            let long = [3, 9, 30][dice(3)];
            let mut segments: Vec<Vec<u8>> =
                (0..dice(12)).map(|_| (0..dice(long)).map(|_| [0, b'a', 0xff][dice(3)]).collect()).collect();
            let found = sorted(&segments);
            segments.sort();
            assert_eq!(found, segments);
        }
    }
}
