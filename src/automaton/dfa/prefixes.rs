//! The first segments of all globs, as a trie.
//!
//! They are anchored at the start of the path, so the segments in progress are those below one place of the trie, and
//! no state has to list them. Each node has the best priorities below it, so dead and settled subtrees are recognised
//! without a visit. Most groups consist only of first segments (59 % of real files have no `*` at all).

use super::globs::{First, Globs, Segments, Sorting, Then};

use crate::automaton::priorities::{NO_MATCH, Priority, opposite};

/// A node of the trie: where first segments end or diverge.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    /// Where the bytes of a segment that passes through here begin in the text.
    text: u32,
    /// How many bytes lead here.
    depth: u32,
    /// The number of nodes in its subtree, including itself; descendants come after their ancestors.
    size: u32,
    /// The globs whose first segment ends here: a range of [`Prefixes::firsts`].
    ends: Ends,
    /// The best priorities of those globs: of those that accept, of those that wait, and of those that must reach the end of
    /// the path here.
    accepts: Priority,
    waits: Priority,
    end: Priority,
    /// The best priorities that allow and that block, of everything still in progress after the node.
    after: [Priority; 2],
    /// The best priorities that allow and that block, including globs whose first segment ends here.
    all: [Priority; 2],
}

/// A range of [`Prefixes::firsts`].
#[derive(Debug, Clone, Copy, Default)]
struct Ends {
    from: u32,
    to: u32,
}

/// A place in the trie: `depth` bytes after its root, at `node` or on the way there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TriePlace {
    node: u32,
    pub depth: u32,
}

impl TriePlace {
    /// Before the first byte.
    pub const START: TriePlace = TriePlace { node: 0, depth: 0 };

    /// An earlier place on the way to the same node, with nothing diverging in between.
    pub fn at_depth(self, depth: u32) -> TriePlace {
        TriePlace { depth, ..self }
    }
}

/// The first segments that are live at a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Live {
    /// Whether any are in progress.
    pub any: bool,
    /// Whether they can change the verdict.
    pub opposite: bool,
    /// The best priority of those that match if the path ends here.
    pub end: Priority,
}

/// First segments that are complete.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Complete<'p> {
    /// The best priority of those that accept, and of those that wait.
    pub accepts: Priority,
    pub waits: Priority,
    pub firsts: &'p [First],
}

/// The trie; its nodes are in byte order, parents before their children.
#[derive(Debug, Default)]
pub(crate) struct Prefixes {
    nodes: Vec<Node>,
    firsts: Vec<First>,
    open: Vec<Open>,
}

/// A node that may still get children, and how many nodes there were before the first of its subtree.
#[derive(Debug, Clone, Copy)]
struct Open {
    node: Node,
    before: u32,
}

impl Prefixes {
    /// Builds the trie of the first segments, from the last to the first, so that a node comes after its descendants; reversing
    /// all nodes then puts it before them.
    pub fn build(&mut self, segments: Segments<'_>, globs: &Globs, sorting: &mut Sorting) {
        self.nodes.clear();
        self.firsts.clear();
        globs.sort_firsts(segments, sorting, &mut self.firsts);
        let (entries, common) = (sorting.entries(), sorting.common());
        self.nodes.reserve(2 * entries.len() + 1);
        self.open.push(Open { node: Node::new(0, 0), before: 0 });
        let mut end = entries.len();
        let mut shared = 0;
        while end > 0 {
            let segment = entries[end - 1].segment;
            let mut start = end - 1;
            // None before it in the order is longer and begins with it, so these are equal.
            while start > 0 && common[start] == segment.len {
                start -= 1;
            }
            self.close_below(shared);
            if segment.len > shared {
                self.open.push(Open { node: Node::new(segment.start, segment.len), before: self.nodes.len() as u32 });
            }
            let node = &mut self.open.last_mut().expect("a node is open").node;
            node.ends_with(Ends { from: start as u32, to: end as u32 }, &self.firsts);
            (end, shared) = (start, common[start]);
        }
        self.close_below(0);
        let Open { mut node, .. } = self.open.pop().expect("the root is open");
        node.size = self.nodes.len() as u32 + 1;
        self.nodes.push(node);
        self.nodes.reverse();
    }

    /// The number of nodes.
    pub fn count(&self) -> usize {
        self.nodes.len()
    }

    /// Closes all open nodes of more than `depth` bytes, so that a node of exactly that depth is the last open one.
    fn close_below(&mut self, depth: u32) {
        while let Some(&Open { mut node, before }) = self.open.last().filter(|open| open.node.depth > depth) {
            self.open.pop();
            node.size = self.nodes.len() as u32 + 1 - before;
            self.nodes.push(node);
            if self.open.last().is_none_or(|open| open.node.depth < depth) {
                self.open.push(Open { node: Node::new(node.text, depth), before });
            }
            let parent = &mut self.open.last_mut().expect("the root is open").node;
            for parity in 0..2 {
                parent.after[parity] = parent.after[parity].max(node.all[parity]);
                parent.all[parity] = parent.all[parity].max(node.all[parity]);
            }
        }
    }

    /// The globs whose first segments are complete at `place`.
    #[inline]
    pub fn complete(&self, place: TriePlace) -> Complete<'_> {
        let node = &self.nodes[place.node as usize];
        if place.depth < node.depth {
            return Complete { accepts: NO_MATCH, waits: NO_MATCH, firsts: &[] };
        }
        let firsts = &self.firsts[node.ends.from as usize..node.ends.to as usize];
        Complete { accepts: node.accepts, waits: node.waits, firsts }
    }

    /// The first segments still live at `place` that are better than `best`.
    #[inline]
    pub fn live(&self, place: TriePlace, best: Priority) -> Live {
        let node = &self.nodes[place.node as usize];
        let here = place.depth == node.depth;
        let priorities = if here { node.after } else { node.all };
        let (same, other) =
            if opposite(best, 0) { (priorities[1], priorities[0]) } else { (priorities[0], priorities[1]) };
        Live { any: same.max(other) > best, opposite: other > best, end: if here { node.end } else { NO_MATCH } }
    }

    /// A place one byte after `place` where something better than `best` continues: the first such place, or the next after
    /// `previous`.
    #[inline]
    pub fn next_after(&self, place: TriePlace, best: Priority, previous: Option<TriePlace>) -> Option<TriePlace> {
        let node = &self.nodes[place.node as usize];
        if place.depth < node.depth {
            return previous.is_none().then_some(TriePlace { node: place.node, depth: place.depth + 1 });
        }
        let mut child = match previous {
            None => place.node + 1,
            Some(previous) => previous.node + self.nodes[previous.node as usize].size,
        };
        while child < place.node + node.size {
            let next = &self.nodes[child as usize];
            if next.all[0].max(next.all[1]) > best {
                return Some(TriePlace { node: child, depth: place.depth + 1 });
            }
            child += next.size;
        }
        None
    }

    /// How far the trie continues from `place` before anything better than `best` completes or diverges.
    #[inline]
    pub fn straight_on(&self, place: TriePlace, best: Priority) -> TriePlace {
        let mut here = place;
        loop {
            let node = &self.nodes[here.node as usize];
            if here.depth < node.depth {
                here.depth = node.depth;
                if node.accepts.max(node.waits).max(node.end) > best {
                    return here;
                }
            }
            match self.next_after(here, best, None) {
                Some(next) if self.next_after(here, best, Some(next)).is_none() => here.node = next.node,
                _ => return here,
            }
        }
    }

    /// Where the bytes after `place`, if any, are in the text; the bytes that lead to it come before them.
    pub fn text_at(&self, place: TriePlace) -> u32 {
        self.nodes[place.node as usize].text + place.depth
    }
}

impl Node {
    fn new(text: u32, depth: u32) -> Node {
        let (accepts, waits, end) = (NO_MATCH, NO_MATCH, NO_MATCH);
        Node {
            text,
            depth,
            size: 1,
            ends: Ends::default(),
            accepts,
            waits,
            end,
            after: [NO_MATCH; 2],
            all: [NO_MATCH; 2],
        }
    }

    fn ends_with(&mut self, ends: Ends, firsts: &[First]) {
        self.ends = ends;
        for &First { priority, then } in &firsts[ends.from as usize..ends.to as usize] {
            let parity = priority as usize % 2;
            self.all[parity] = self.all[parity].max(priority);
            match then {
                Then::Accepts => self.accepts = self.accepts.max(priority),
                Then::Waits(_) => self.waits = self.waits.max(priority),
                Then::Ends => {
                    self.end = self.end.max(priority);
                    self.after[parity] = self.after[parity].max(priority);
                }
            }
        }
    }
}
