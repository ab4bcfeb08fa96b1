//! Ranked globs, as lists of segments with a `*` between each two, and the order of their segments.
//!
//! Segments are compared by keys, seven bytes and a count in one word, so that sorting reads no text. Longer segments
//! with equal keys are sorted again by their next seven bytes. The keys of two neighbours also show how many bytes they
//! have in common.

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

/// The end of a glob's first segment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct First {
    pub priority: Priority,
    pub then: Then,
}

/// A segment that a glob can wait for: any but its first. Items are numbered in byte order.
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
    }

    /// Adds a glob of these segments; there must be at least one.
    pub fn add(&mut self, priority: Priority, anchored: bool, segments: Range<u32>) {
        self.best = self.best.max(priority);
        self.globs.push(Glob { priority, anchored, first: segments.start, end: segments.end });
    }

    /// Sorts and links all segments but the first ones.
    pub fn make_items(&mut self, segments: Segments<'_>, sorting: &mut Sorting) {
        self.items.clear();
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

/// How many bytes a key holds.
const KEY_BYTES: u32 = 7;
/// The count in the key of a segment that continues after it.
const GOES_ON: u64 = KEY_BYTES as u64 + 1;

/// A segment to be sorted.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Segment {
    /// Where its bytes begin in the text.
    pub start: u32,
    /// How many bytes it has.
    pub len: u32,
    /// The caller's number for it.
    pub id: u32,
}

/// A segment, with its current key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyedSegment {
    key: u64,
    pub segment: Segment,
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
    common: Vec<u32>,
    /// Ranges still to be sorted by their next bytes; reused.
    open: Vec<Equal>,
}

impl Sorting {
    /// The segments in sorted order.
    pub fn entries(&self) -> &[KeyedSegment] {
        &self.entries
    }

    /// How many bytes each segment has in common with the one before; 0 for the first.
    pub fn common(&self) -> &[u32] {
        &self.common
    }

    /// Takes these segments, and sorts them by their bytes in `text`.
    pub fn sort(&mut self, text: &[u8], segments: impl Iterator<Item = Segment>) {
        self.entries.clear();
        self.entries.extend(segments.map(|segment| KeyedSegment { key: 0, segment }));
        self.common.clear();
        self.common.resize(self.entries.len(), 0);
        self.open.push(Equal { from: 0, to: self.entries.len() as u32, depth: 0 });
        while let Some(equal) = self.open.pop() {
            self.sort_next(text, equal);
        }
    }

    /// Sorts entries by the key after the bytes they have in common.
    fn sort_next(&mut self, text: &[u8], Equal { from, to, depth }: Equal) {
        let entries = &mut self.entries[from as usize..to as usize];
        for KeyedSegment { key: next, segment } in &mut *entries {
            *next = key(text, segment.start + depth, segment.len - depth);
        }
        // Often all are equal, and nearly always the file has them in some order already.
        if !entries.is_sorted_by_key(|entry| entry.key) {
            entries.sort_unstable_by_key(|entry| entry.key);
        }
        let mut run = 0;
        for at in 1..=entries.len() {
            let before = entries[at - 1].key;
            match entries.get(at) {
                Some(entry) if entry.key == before => {
                    // If they continue, this is corrected when they are sorted again.
                    self.common[from as usize + at] = depth + (before & 0xff) as u32;
                    continue;
                }
                Some(entry) => self.common[from as usize + at] = depth + in_common(before, entry.key),
                None => {}
            }
            if at - run > 1 && before & 0xff == GOES_ON {
                self.open.push(Equal { from: from + run as u32, to: from + at as u32, depth: depth + KEY_BYTES });
            }
            run = at;
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

/// How many bytes a key has in common with a higher one, which is not shorter if it has all bytes of the first.
#[inline]
fn in_common(a: u64, b: u64) -> u32 {
    ((a ^ b).leading_zeros() / 8).min((a & 0xff) as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Rng;

    /// The segments of `text` in sorted order, with the number of bytes that each has in common with the one before.
    fn sorted(segments: &[&[u8]]) -> Vec<(Vec<u8>, u32)> {
        let text = segments.concat();
        let mut start = 0;
        let in_text = (0..).zip(segments).map(|(id, segment)| {
            let len = segment.len() as u32;
            start += len;
            Segment { start: start - len, len, id }
        });
        let mut sorting = Sorting::default();
        sorting.sort(&text, in_text);
        let bytes = |entry: &KeyedSegment| segments[entry.segment.id as usize].to_vec();
        sorting.entries().iter().map(bytes).zip(sorting.common().iter().copied()).collect()
    }

    #[test]
    fn segments_are_sorted_as_slices_are() {
        let mut rng = Rng(3);
        let mut dice = |bound| rng.below(bound);
        for _ in 0..2000 {
            let long = [3, 9, 30][dice(3)];
            let mut owned: Vec<Vec<u8>> =
                (0..dice(12)).map(|_| (0..dice(long)).map(|_| [0, b'a', 0xff][dice(3)]).collect()).collect();
            let found = sorted(&owned.iter().map(Vec::as_slice).collect::<Vec<_>>());
            owned.sort();
            let common = |at: usize| match at {
                0 => 0,
                _ => owned[at - 1].iter().zip(&owned[at]).take_while(|(a, b)| a == b).count() as u32,
            };
            let expected: Vec<_> = (0..owned.len()).map(|at| (owned[at].clone(), common(at))).collect();
            assert_eq!(found, expected);
        }
    }
}
