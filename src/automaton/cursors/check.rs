//! Checks the tables of the second [engine](super::engine), but for its scanner, whose walk is total.
//!
//! A walk ends because every node is reached at most once: from a single place among the segments, or as a child of a single
//! parent that comes before it.

use super::engine::{BITMAP, DOLLAR_WORDS, DOLLARS, NODE_WORDS, NODES, SCANNER, SEGMENT_WORDS, SEGMENTS};
use super::segment_trie::{BEHIND_SLASH, NONE};
use crate::automaton::damage::Damage;
use crate::automaton::dfa::table::FIRST_RECORD;
use crate::automaton::head::word;

/// The most heavy paths from a segment to its shortest suffix: the subtree at least doubles with each.
const MOST_HEAVY_PATHS: u32 = 33;

/// Checks that words are an automaton of the second engine.
pub(in crate::automaton) fn check(words: &[u32]) -> Result<(), Damage> {
    let parts = Parts::read(words)?;
    let mut reached = vec![false; parts.node_count];
    parts.check_segments(&mut reached)?;
    parts.check_nodes(&mut reached)?;
    parts.check_dollars()
}

struct Parts<'w> {
    words: &'w [u32],
    segment_count: usize,
    node_count: usize,
    dollar_count: usize,
}

impl Parts<'_> {
    fn read(words: &[u32]) -> Result<Parts<'_>, Damage> {
        if words.len() < SCANNER {
            return Damage::at(words.len(), "it has no head");
        }
        let place = |at: usize| word(words, at) as usize;
        let [bitmap, segments, nodes, dollars] = [BITMAP, SEGMENTS, NODES, DOLLARS].map(place);
        let places = [SCANNER + FIRST_RECORD as usize, bitmap, segments, nodes, dollars, words.len()];
        if !places.is_sorted() {
            return Damage::at(BITMAP, "its parts are not in order");
        }
        let lengths = [segments - bitmap, nodes - segments, dollars - nodes, words.len() - dollars];
        let [bitmap_words, segment_words, node_words, dollar_words] = lengths;
        let (all_segments, all_nodes) = (segment_words / SEGMENT_WORDS, node_words / NODE_WORDS);
        let is_whole = segment_words % SEGMENT_WORDS + node_words % NODE_WORDS + dollar_words % DOLLAR_WORDS == 0;
        // Each table has one entry after the last; two nodes always exist.
        if !is_whole || all_segments == 0 || all_nodes <= BEHIND_SLASH as usize + 1 {
            return Damage::at(BITMAP, "its parts are not whole tables");
        }
        let (segment_count, node_count) = (all_segments - 1, all_nodes - 1);
        if bitmap_words != segment_count.div_ceil(32) {
            return Damage::at(BITMAP, "its bitmap does not fit its segments");
        }
        Ok(Parts { words, segment_count, node_count, dollar_count: dollar_words / DOLLAR_WORDS })
    }

    /// The position of a word of a segment, node or dollar, and its value.
    fn entry(&self, part: usize, number: usize, size: usize, place: usize) -> (usize, u32) {
        let at = word(self.words, part) as usize + number * size + place;
        (at, word(self.words, at))
    }

    fn segment(&self, number: usize, place: usize) -> (usize, u32) {
        self.entry(SEGMENTS, number, SEGMENT_WORDS, place)
    }

    fn node(&self, id: usize, place: usize) -> (usize, u32) {
        self.entry(NODES, id, NODE_WORDS, place)
    }

    fn check_segments(&self, reached: &mut [bool]) -> Result<(), Damage> {
        let mut paths = vec![0; self.segment_count];
        let mut dollar = 0;
        for number in 0..=self.segment_count {
            let (at, first_dollar) = self.segment(number, 6);
            if first_dollar < dollar || first_dollar as usize > self.dollar_count {
                return Damage::at(at, "its dollars are not in order");
            }
            dollar = first_dollar;
            if number == self.segment_count {
                break;
            }
            let ((at, head), (_, above)) = (self.segment(number, 1), self.segment(number, 2));
            if head as usize > number || (above != NONE && above >= head) {
                return Damage::at(at, "its suffixes are not in order");
            }
            paths[number] = if above == NONE { 1 } else { paths[above as usize] + 1 };
            if paths[number] > MOST_HEAVY_PATHS {
                return Damage::at(at, "its suffixes form too many paths");
            }
            for (at, id) in [3, 4, 5].map(|place| self.segment(number, place)) {
                if id != NONE {
                    reach(at, id, reached)?;
                }
            }
        }
        Ok(())
    }

    fn check_nodes(&self, reached: &mut [bool]) -> Result<(), Damage> {
        let mut before = 0;
        for id in 0..=self.node_count {
            let (at, first_child) = self.node(id, 3);
            if first_child < before || first_child as usize > self.node_count {
                return Damage::at(at, "its children are not in order");
            }
            before = first_child;
            if id <= BEHIND_SLASH as usize || id == self.node_count {
                continue;
            }
            let (_, after) = self.node(id + 1, 3);
            if first_child as usize <= id && first_child < after {
                return Damage::at(at, "a child comes before its parent");
            }
            (first_child..after.min(self.node_count as u32)).try_for_each(|child| reach(at, child, reached))?;
            let (at, segment) = self.node(id, 0);
            if segment as usize >= self.segment_count {
                return Damage::at(at, "unknown segment");
            }
        }
        Ok(())
    }

    fn check_dollars(&self) -> Result<(), Damage> {
        for number in 0..self.dollar_count {
            let (at, node) = self.entry(DOLLARS, number, DOLLAR_WORDS, 0);
            if node != NONE && node as usize >= self.node_count {
                return Damage::at(at, "unknown node");
            }
        }
        Ok(())
    }
}

/// Notes that the word at `at` reaches a node.
fn reach(at: usize, id: u32, reached: &mut [bool]) -> Result<(), Damage> {
    match reached.get_mut(id as usize) {
        Some(seen @ false) if id > BEHIND_SLASH => *seen = true,
        _ => return Damage::at(at, "it leads to no node, or to one that is reached twice"),
    }
    Ok(())
}
