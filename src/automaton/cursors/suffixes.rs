//! Heavy paths: a numbering of segments in which the suffixes of any segment form few ranges.
//!
//! The segments that end where a given one ends are those that are its suffixes, a path to the root of a tree. A node's *heavy*
//! child is the one with the most nodes below it; numbers run along heavy children. A path to the root leaves a heavy path at
//! most log2(n) times, because the subtree at least doubles each time.

use super::segment_trie::NONE;

/// The numbering.
pub(super) struct Suffixes {
    /// The number of each segment.
    pub number: Vec<u32>,
    /// By number: the number of the shortest segment on the same heavy path.
    pub head: Vec<u32>,
    /// By number: the number of the longest suffix of that head, or [`NONE`].
    pub above_head: Vec<u32>,
}

impl Suffixes {
    /// Numbers segments, given their lengths and, for each, the longest of the others that is a suffix of it, or [`NONE`].
    pub fn new(parent: &[u32], lengths: &[usize]) -> Suffixes {
        let count = parent.len();
        let mut by_length: Vec<u32> = (0..count as u32).collect();
        by_length.sort_by_key(|&segment| lengths[segment as usize]);
        let mut below = vec![1u32; count];
        let mut heavy = vec![NONE; count];
        // Longer segments first: a parent is shorter than its children.
        for &segment in by_length.iter().rev() {
            let up = parent[segment as usize];
            if up != NONE {
                below[up as usize] += below[segment as usize];
                let best = &mut heavy[up as usize];
                if *best == NONE || below[*best as usize] < below[segment as usize] {
                    *best = segment;
                }
            }
        }
        let mut numbered =
            Suffixes { number: vec![NONE; count], head: vec![NONE; count], above_head: vec![NONE; count] };
        let mut next = 0;
        // Shorter segments first: the parent of a head already has its number.
        for &top in &by_length {
            let up = parent[top as usize];
            if up != NONE && heavy[up as usize] == top {
                continue;
            }
            let head = next;
            let above = if up == NONE { NONE } else { numbered.number[up as usize] };
            let mut segment = top;
            while segment != NONE {
                numbered.number[segment as usize] = next;
                numbered.head[next as usize] = head;
                numbered.above_head[next as usize] = above;
                next += 1;
                segment = heavy[segment as usize];
            }
        }
        numbered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_are_ranges() {
        // a, aa, aaa, baa, x, and cbaa.
        let parent = [NONE, 0, 1, 1, NONE, 3];
        let lengths = [1, 2, 3, 3, 1, 4];
        let numbered = Suffixes::new(&parent, &lengths);
        for segment in 0..parent.len() {
            let mut expected = Vec::new();
            let mut up = segment as u32;
            while up != NONE {
                expected.push(numbered.number[up as usize]);
                up = parent[up as usize];
            }
            let mut found = Vec::new();
            let mut number = numbered.number[segment];
            while number != NONE {
                let head = numbered.head[number as usize];
                found.extend((head..=number).rev());
                number = numbered.above_head[number as usize];
            }
            assert_eq!(found, expected, "segment {segment}");
        }
        let mut all = numbered.number.clone();
        all.sort_unstable();
        assert_eq!(all, [0, 1, 2, 3, 4, 5]);
    }
}
