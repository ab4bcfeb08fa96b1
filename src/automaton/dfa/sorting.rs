//! Sorts segments by their bytes, and finds how many bytes neighbours have in common.
//!
//! Segments are compared by keys, seven bytes and a count in one word, so that sorting reads no text. Segments with equal keys
//! that are longer are sorted again by their next seven bytes. The bytes that neighbours have in common follow from their keys.
//! This takes 2 ms for 31,847 real patterns; sorting by comparing slices took 7.

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

/// How many bytes two different keys have in common.
#[inline]
fn in_common(a: u64, b: u64) -> u32 {
    ((a ^ b).leading_zeros() / 8).min((a & 0xff) as u32).min((b & 0xff) as u32)
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
