//! Patterns as a trie over their segments, for the second engine: patterns with a common beginning share cursors.
//!
//! The segments that end together with a given segment are its suffixes; they form a path to the root of a tree.
//! Segments are numbered so that such a path consists of few ranges: a node's *heavy* child is the child with the most
//! nodes below it, and numbers run along heavy children. A path to the root leaves a heavy path at most log2(n) times,
//! because the subtree at least doubles each time.

use hashbrown::HashMap;
use std::ops::Range;

use super::priorities::{NO_MATCH, Priority};
use crate::rules::Patterns;

/// No node, no segment.
pub(crate) const NONE: u32 = u32::MAX;

/// The node that every path reaches at its start, for patterns that begin with `*`.
pub(super) const AT_START: u32 = 0;
/// The node that every path reaches after its first byte, for patterns that begin with `/*`.
pub(crate) const AFTER_SLASH: u32 = 1;

/// The first segments of some pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// The node without the last segment; [`NONE`] for the two that are always reached, and after an anchored prefix.
    pub parent: u32,
    /// The last segment.
    pub segment: u32,
    /// The best priority of the patterns that end here.
    pub accepts: Priority,
    /// The best priority of the patterns that go through here.
    pub top: Priority,
}

/// A pattern's last segment, before its `$`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dollar {
    /// The node before that segment; [`NONE`] if the segment is the whole pattern.
    pub node: u32,
    pub segment: u32,
    pub priority: Priority,
}

/// The trie. Parents come before their children, and children of one parent are adjacent, in the order of the parents.
pub(super) struct SegmentTrie {
    /// Each distinct segment, as a range of the patterns' text.
    pub segments: Vec<Range<usize>>,
    pub nodes: Vec<Node>,
    pub dollars: Vec<Dollar>,
}

impl SegmentTrie {
    /// The trie of all patterns that can change a verdict, with their priorities.
    pub fn new(patterns: &Patterns, priorities: &[Priority]) -> SegmentTrie {
        let always = Node { parent: NONE, segment: NONE, accepts: NO_MATCH, top: NO_MATCH };
        let mut growing = Growing {
            patterns,
            ids: HashMap::new(),
            children: HashMap::new(),
            trie: SegmentTrie { segments: Vec::new(), nodes: vec![always; 2], dollars: Vec::new() },
        };
        for (pattern, &priority) in patterns.all().iter().zip(priorities) {
            if priority != NO_MATCH {
                let segments: Vec<Range<usize>> = patterns.segments(pattern).collect();
                growing.insert(&segments, pattern.anchored, priority);
            }
        }
        let mut trie = growing.trie;
        trie.group_children();
        trie
    }

    /// Renumbers the nodes so that parents come before their children, and children of one parent are adjacent.
    fn group_children(&mut self) {
        let mut children = vec![Vec::new(); self.nodes.len()];
        // The two that are always reached come first, and then those without a parent.
        let mut order = Vec::new();
        for (id, node) in self.nodes.iter().enumerate() {
            if node.parent == NONE { &mut order } else { &mut children[node.parent as usize] }.push(id);
        }
        let mut place = vec![0; self.nodes.len()];
        let mut at = 0;
        while let Some(&id) = order.get(at) {
            place[id] = at as u32;
            order.append(&mut children[id]);
            at += 1;
        }
        let moved = |id: u32| if id == NONE { NONE } else { place[id as usize] };
        let node = |id: &usize| Node { parent: moved(self.nodes[*id].parent), ..self.nodes[*id] };
        self.nodes = order.iter().map(node).collect();
        self.dollars.iter_mut().for_each(|dollar| dollar.node = moved(dollar.node));
    }
}

struct Growing<'p> {
    patterns: &'p Patterns,
    ids: HashMap<&'p [u8], u32>,
    children: HashMap<(u32, u32), u32>,
    trie: SegmentTrie,
}

impl Growing<'_> {
    fn insert(&mut self, segments: &[Range<usize>], anchored: bool, priority: Priority) {
        let (last, before) = segments.split_last().expect("a pattern has a segment");
        if before.is_empty() && anchored {
            // The whole path. No path is empty, so a lone `$` matches nothing.
            if !last.is_empty() {
                let segment = self.segment(last);
                self.trie.dollars.push(Dollar { node: NONE, segment, priority });
            }
            return;
        }
        let (first, rest) = segments.split_first().expect("a pattern has a segment");
        let mut node = match &self.patterns.text()[first.clone()] {
            b"" => AT_START,
            b"/" => AFTER_SLASH,
            _ => self.child(NONE, first),
        };
        self.raise(node, priority);
        let cursors = rest.len() - usize::from(anchored);
        for segment in &rest[..cursors] {
            node = self.child(node, segment);
            self.raise(node, priority);
        }
        if anchored {
            let segment = self.segment(last);
            self.trie.dollars.push(Dollar { node, segment, priority });
        } else {
            let accepts = &mut self.trie.nodes[node as usize].accepts;
            *accepts = priority.max(*accepts);
        }
    }

    fn raise(&mut self, node: u32, priority: Priority) {
        let top = &mut self.trie.nodes[node as usize].top;
        *top = priority.max(*top);
    }

    fn segment(&mut self, range: &Range<usize>) -> u32 {
        let segments = &mut self.trie.segments;
        *self.ids.entry(&self.patterns.text()[range.clone()]).or_insert_with(|| {
            segments.push(range.clone());
            segments.len() as u32 - 1
        })
    }

    fn child(&mut self, parent: u32, range: &Range<usize>) -> u32 {
        let segment = self.segment(range);
        let nodes = &mut self.trie.nodes;
        *self.children.entry((parent, segment)).or_insert_with(|| {
            nodes.push(Node { parent, segment, accepts: NO_MATCH, top: NO_MATCH });
            nodes.len() as u32 - 1
        })
    }
}

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
