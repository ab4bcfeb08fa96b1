//! The second engine: forward-only cursors, whose cost is bounded for any set of patterns.
//!
//! A glob matches greedily: each segment at its first place after the previous one. So a pattern needs one cursor: the
//! segment it waits for, which only moves forward. Patterns that begin with the same segments share cursors: these are
//! the nodes of a trie over segments (`segment_trie`). One scanner for all segments (an Aho-Corasick automaton, in the
//! records of `table`) reports where each segment ends. When a node is reached there, it queues its children at their
//! segments. Queues are in order of arrival, so nodes that cannot match yet, because their segment would overlap the
//! previous one, come after all nodes that can.
//!
//! The bound: every node is reached once, and a segment is examined only where a node waits for it. Segments that end
//! together are suffixes of one another. They are numbered along heavy paths (`segment_trie`), so the segments that
//! nodes wait for are bits in few ranges of a bitmap. The crate aho-corasick cannot replace this: it lists all matches
//! of every state when it is built, which is quadratic for such segments (`a` to `a` 500 times, and one long run of
//! `a`: 500 KiB of robots.txt, 125 million entries; here 500 bits). The tests compare with that crate.
//!
//! When the path ends, the segments before a `$` are looked up among its suffixes.
//!
//! A walk is total, like a walk through a [DFA](super::dfa::walk): whatever the words are, it reads nothing else, and
//! ends. An offset outside a table counts as missing, and the verdict of a walk with more steps than a compiled
//! automaton can need is "blocked".
//!
//! ```text
//! automaton  head | scanner's records | initial bitmap | segments, and one more | nodes, and one more | dollars
//! segment    length, head and what is above it (suffixes), node of an anchored prefix, node that waits from the start,
//!            node that waits from after the first slash, first dollar
//! node       segment, priority accepted, best priority below, first child
//! dollar     node or NONE for the whole path, priority
//! ```

use super::dfa::build::{Arena, Builder};
use super::dfa::contexts::StateId;
use super::dfa::globs::Segments;
use super::dfa::table::Layout;
use super::dfa::walk::{BROKEN, Observer, walk};
use super::head::{Compiled, ENGINE, ENGINE_CURSORS, Engine, START, word, word_if_any};
use super::priorities::{self, Priority};
use super::segment_trie::{AFTER_SLASH, AT_START, Dollar, NONE, Node, SegmentTrie, Suffixes};
use crate::rules::{Patterns, Verdict};

// The head, after the engine and the scanner's start: where the parts begin, and the best priorities.
pub(crate) const BITMAP: usize = 2;
const SEGMENTS: usize = 3;
const NODES: usize = 4;
const DOLLARS: usize = 5;
const TOP_ALLOWED: usize = 6;
const TOP_BLOCKED: usize = 7;
/// The records of the scanner are counted from here.
pub(crate) const SCANNER: usize = 8;

const SEGMENT_WORDS: usize = 7;
const NODE_WORDS: usize = 4;
const DOLLAR_WORDS: usize = 2;

/// Compiles patterns for this engine; appends the automaton to `words`.
pub(crate) fn compile(patterns: &Patterns, arena: &mut Arena, layout: &mut Layout, words: &mut Vec<u32>) -> Compiled {
    let priorities = priorities::priorities(patterns);
    let trie = SegmentTrie::new(patterns, &priorities);
    let scanner = Scanner::new(patterns, &trie, arena, layout);
    let top =
        |blocked: Priority| priorities.iter().copied().filter(|priority| priority % 2 == blocked).max().unwrap_or(0);

    let mut out = vec![0; SCANNER];
    out[ENGINE] = ENGINE_CURSORS;
    out[START] = scanner.records[START];
    out[TOP_ALLOWED] = top(0);
    out[TOP_BLOCKED] = top(1);
    out.extend_from_slice(&scanner.records);
    let tables = Tables::new(&trie, &scanner.suffixes);
    out[BITMAP] = out.len() as u32;
    out.extend(tables.bitmap());
    out[SEGMENTS] = out.len() as u32;
    out.extend(tables.segments(&trie));
    out[NODES] = out.len() as u32;
    out.extend(tables.nodes());
    out[DOLLARS] = out.len() as u32;
    out.extend(tables.dollars.iter().flat_map(|dollar| [dollar.node, dollar.priority]));
    words.append(&mut out);
    Compiled { engine: Engine::Cursors, states: scanner.states, work: scanner.work }
}

/// The automaton that finds all segments.
struct Scanner {
    records: Vec<u32>,
    suffixes: Suffixes,
    states: usize,
    work: usize,
}

impl Scanner {
    /// Here each segment is a separate pattern, `*segment$`, that waits forever: the DFA of all these patterns is an
    /// Aho-Corasick automaton, of linear size.
    fn new(patterns: &Patterns, trie: &SegmentTrie, arena: &mut Arena, layout: &mut Layout) -> Scanner {
        arena.globs.clear();
        let ranges = trie.segments.iter().flat_map(|range| [(0, 0), (range.start as u32, range.end as u32)]);
        let ranges: Vec<(u32, u32)> = ranges.collect();
        (0..ranges.len() as u32).step_by(2).for_each(|first| arena.globs.add(1, true, first..first + 2));
        let segments = Segments { text: patterns.text(), ranges: &ranges };
        let mut builder = Builder::new(segments, arena, usize::MAX);
        layout.reach(&mut builder).expect("without a budget");
        let (outputs, parents) = outputs(&builder, trie.segments.len());
        let lengths: Vec<usize> = trie.segments.iter().map(|range| range.len()).collect();
        let suffixes = Suffixes::new(&parents, &lengths);
        let output = |state: StateId| match outputs[state as usize] {
            NONE => None,
            segment => Some(suffixes.number[segment as usize]),
        };
        let mut records = Vec::new();
        layout.write(&builder, output, &mut records);
        Scanner { records, states: layout.states(), work: builder.work(), suffixes }
    }
}

/// For each state, the longest segment that ends there; for each segment, the longest other segment that is a suffix of it.
fn outputs(builder: &Builder<'_>, segments: usize) -> (Vec<u32>, Vec<u32>) {
    let mut outputs: Vec<u32> = Vec::with_capacity(builder.states().len());
    let mut parents = vec![NONE; segments];
    for (id, state) in builder.states().iter().enumerate() {
        // The target of a failure link is older than the state.
        let shorter = state.fail.get().map_or(NONE, |fail| outputs[fail as usize]);
        outputs.push(match builder.completed(id as StateId) {
            Some(segment) => {
                parents[segment as usize / 2] = shorter;
                segment / 2
            }
            None => shorter,
        });
    }
    (outputs, parents)
}

/// Segments, nodes and dollars, renumbered for the automaton.
struct Tables<'t> {
    suffixes: &'t Suffixes,
    nodes: Vec<Node>,
    /// Sorted by segment.
    dollars: Vec<Dollar>,
}

impl<'t> Tables<'t> {
    fn new(trie: &SegmentTrie, suffixes: &'t Suffixes) -> Tables<'t> {
        let renumber = |segment: u32| if segment == NONE { NONE } else { suffixes.number[segment as usize] };
        let nodes = trie.nodes.iter().map(|node| Node { segment: renumber(node.segment), ..*node }).collect();
        let mut dollars: Vec<Dollar> =
            trie.dollars.iter().map(|dollar| Dollar { segment: renumber(dollar.segment), ..*dollar }).collect();
        dollars.sort_by_key(|dollar| dollar.segment);
        Tables { suffixes, nodes, dollars }
    }

    /// Nodes that wait from the beginning: after an anchored prefix, at the start of the path, after the first slash.
    fn initial(&self) -> impl Iterator<Item = (usize, u32, &Node)> {
        self.nodes.iter().enumerate().skip(2).filter_map(|(id, node)| match node.parent {
            NONE => Some((3, id as u32, node)),
            AT_START => Some((4, id as u32, node)),
            AFTER_SLASH => Some((5, id as u32, node)),
            _ => None,
        })
    }

    /// The segments that are waited for at the start of the path.
    fn bitmap(&self) -> Vec<u32> {
        let mut bitmap = vec![0; self.suffixes.number.len().div_ceil(32)];
        for (_, _, node) in self.initial() {
            bitmap[node.segment as usize / 32] |= 1 << (node.segment % 32);
        }
        bitmap
    }

    fn segments(&self, trie: &SegmentTrie) -> Vec<u32> {
        let count = self.suffixes.number.len();
        let mut words = vec![NONE; (count + 1) * SEGMENT_WORDS];
        for (segment, range) in trie.segments.iter().enumerate() {
            words[self.suffixes.number[segment] as usize * SEGMENT_WORDS] = range.len() as u32;
        }
        for (number, words) in (0..).zip(words.chunks_exact_mut(SEGMENT_WORDS)) {
            if number < count {
                words[1] = self.suffixes.head[number];
                words[2] = self.suffixes.above_head[number];
            }
            words[6] = self.dollars.partition_point(|dollar| (dollar.segment as usize) < number) as u32;
        }
        for (word, id, node) in self.initial() {
            words[node.segment as usize * SEGMENT_WORDS + word] = id;
        }
        words
    }

    fn nodes(&self) -> Vec<u32> {
        let count = self.nodes.len() as u32;
        // Nodes are in the order of their parents; a node without children gets those of the next node: an empty range.
        let is_before = |other: &Node, id: u32| other.parent == NONE || other.parent < id;
        let first_child = |id: u32| self.nodes.partition_point(|other| is_before(other, id)) as u32;
        let words = |(id, node): (u32, &Node)| [node.segment, node.accepts, node.top, first_child(id)];
        let sentinel = [NONE, 0, 0, count];
        (0..).zip(&self.nodes).flat_map(words).chain(sentinel).collect()
    }
}

/// Memory for a walk with this engine; one for each thread, reused.
#[derive(Debug, Default)]
pub struct Scratch {
    /// Entries of other epochs count as absent, so nothing has to be cleared between paths.
    epoch: u32,
    nodes: Vec<NodeState>,
    segments: Vec<SegmentState>,
    waiting: Vec<u32>,
}

#[derive(Debug, Default, Clone, Copy)]
struct NodeState {
    reached: u32,
    /// Where the node was reached; before that, where its parent was reached.
    since: u32,
    /// The next node in the queue of its segment.
    next: u32,
}

#[derive(Debug, Default, Clone, Copy)]
struct SegmentState {
    epoch: u32,
    first: u32,
    last: u32,
    seen: bool,
    seen_after_slash: bool,
}

impl Scratch {
    fn begin(&mut self, nodes: usize, waiting: &[u32]) {
        if self.epoch == u32::MAX {
            *self = Scratch::default();
        }
        self.epoch += 1;
        if self.nodes.len() < nodes {
            self.nodes.resize(nodes, NodeState::default());
        }
        let segments = 32 * waiting.len();
        if self.segments.len() < segments {
            self.segments.resize(segments, SegmentState::default());
        }
        self.waiting.clear();
        self.waiting.extend(waiting.iter().map(|word| u32::from_le(*word)));
    }
}

/// The most heavy paths from a segment to its shortest suffix: the subtree at least doubles with each.
const MOST_HEAVY_PATHS: usize = 33;

/// The verdict of an automaton of this engine on a path in normal form.
#[inline(always)]
pub(crate) fn verdict(words: &[u32], text: &[u8], from: usize, scratch: &mut Scratch) -> Verdict {
    let path = &text[from..];
    let place = |at: usize| word(words, at) as usize;
    let part = |at: usize, end: usize| words.get(place(at)..place(end)).unwrap_or_default();
    let (segments, nodes) = (part(SEGMENTS, NODES), part(NODES, DOLLARS));
    let dollars = words.get(place(DOLLARS)..).unwrap_or_default();
    let node_count = nodes.len() / NODE_WORDS;
    if node_count <= AFTER_SLASH as usize {
        return BROKEN;
    }
    scratch.begin(node_count, part(BITMAP, SEGMENTS));
    let mut run = CursorRun {
        segments,
        nodes,
        dollars,
        top: [word(words, TOP_ALLOWED), word(words, TOP_BLOCKED)],
        from,
        path_len: path.len() as u32,
        slash: path.first() == Some(&b'/'),
        best: 0,
        last: None,
        steps: nodes.len() + dollars.len(),
        scratch,
    };
    run.always_reached();
    if !run.decided() {
        let _ = walk(&words[SCANNER..], word(words, START), text, from, &mut run);
        run.end_of_path();
    }
    if run.steps == 0 { BROKEN } else { priorities::verdict(run.best) }
}

struct CursorRun<'w, 's> {
    segments: &'w [u32],
    nodes: &'w [u32],
    dollars: &'w [u32],
    /// The best priority that allows, and the best that blocks.
    top: [Priority; 2],
    /// Where the path begins in the text.
    from: usize,
    path_len: u32,
    slash: bool,
    best: Priority,
    /// The longest segment that ended last, and where it ended.
    last: Option<(u32, u32)>,
    /// How many more nodes and dollars may be examined. Each is examined at most once, so in a compiled automaton there
    /// is always one left.
    steps: usize,
    scratch: &'s mut Scratch,
}

impl Observer for CursorRun<'_, '_> {
    const LISTENS: bool = true;

    fn output(&mut self, output: u32, at: usize) -> bool {
        let end = (at - self.from) as u32;
        self.last = Some((output, end));
        for (head, number) in heavy_paths(self.segments, output) {
            self.waiting_in(head, number, end);
        }
        !self.decided()
    }
}

/// The heavy paths from a segment to its shortest suffix: where each begins and ends.
fn heavy_paths(segments: &[u32], number: u32) -> impl Iterator<Item = (u32, u32)> {
    let path = |number: u32| {
        let segment = segments.get(number as usize * SEGMENT_WORDS..)?.first_chunk::<SEGMENT_WORDS>()?;
        Some((word(segment, 1), number, word(segment, 2)))
    };
    let paths = std::iter::successors(path(number), move |&(_, _, above)| path(above));
    paths.take(MOST_HEAVY_PATHS).map(|(head, number, _)| (head, number))
}

impl CursorRun<'_, '_> {
    /// A word of a segment; [`NONE`] if there is no such segment.
    fn segment(&self, number: u32, word: usize) -> u32 {
        word_if_any(self.segments, number as usize * SEGMENT_WORDS + word).unwrap_or(NONE)
    }

    /// A word of a node; 0 if there is no such node, which is never reached then.
    fn node(&self, id: u32, word: usize) -> u32 {
        word_if_any(self.nodes, id as usize * NODE_WORDS + word).unwrap_or(0)
    }

    /// Whether one more node or dollar may be examined.
    fn step(&mut self) -> bool {
        self.steps = self.steps.saturating_sub(1);
        self.steps > 0
    }

    /// Where a segment that ends at `end` began.
    fn start_of(&self, number: u32, end: u32) -> u32 {
        end.saturating_sub(self.segment(number, 0))
    }

    /// Whether nothing can change the verdict any more.
    fn decided(&self) -> bool {
        self.best > self.top[usize::from(self.best.is_multiple_of(2))]
            || self.top[usize::from(self.best.is_multiple_of(2))] == 0
    }

    /// Reaches the two nodes that need no segment.
    fn always_reached(&mut self) {
        for (id, since) in [(AT_START, 0), (AFTER_SLASH, 1)] {
            if id == AT_START || self.slash {
                let epoch = self.scratch.epoch;
                self.scratch.nodes[id as usize] = NodeState { reached: epoch, since, next: NONE };
                self.best = self.best.max(self.node(id, 1));
            }
        }
    }

    /// All segments numbered from `head` to `number` end at `end`: handles the segments that nodes wait for.
    fn waiting_in(&mut self, head: u32, number: u32, end: u32) {
        for word in head / 32..=number / 32 {
            let Some(&(mut bits)) = self.scratch.waiting.get(word as usize) else { return };
            if word == head / 32 {
                bits &= u32::MAX << (head % 32);
            }
            if word == number / 32 {
                bits &= u32::MAX >> (31 - number % 32);
            }
            while bits != 0 {
                self.segment_ends(word * 32 + bits.trailing_zeros(), end);
                bits &= bits - 1;
            }
        }
    }

    fn segment_state(&mut self, number: u32) -> &mut SegmentState {
        let epoch = self.scratch.epoch;
        let state = &mut self.scratch.segments[number as usize];
        if state.epoch != epoch {
            *state = SegmentState { epoch, first: NONE, last: NONE, seen: false, seen_after_slash: !self.slash };
        }
        state
    }

    fn segment_ends(&mut self, number: u32, end: u32) {
        let start = self.start_of(number, end);
        let mut state = *self.segment_state(number);
        if !state.seen {
            state.seen = true;
            if start == 0 {
                self.reach(self.segment(number, 3), end);
            }
            self.reach(self.segment(number, 4), end);
        }
        if !state.seen_after_slash && start >= 1 {
            state.seen_after_slash = true;
            self.reach(self.segment(number, 5), end);
        }
        // Reaching a node can queue others here, after those already queued.
        let queued = self.segment_state(number);
        (queued.seen, queued.seen_after_slash) = (state.seen, state.seen_after_slash);
        loop {
            let first = self.segment_state(number).first;
            if first == NONE || self.scratch.nodes[first as usize].since > start || !self.step() {
                break;
            }
            self.segment_state(number).first = self.scratch.nodes[first as usize].next;
            self.reach(first, end);
        }
        let after_slash = self.segment(number, 5) != NONE;
        let state = self.segment_state(number);
        if state.first == NONE && (state.seen_after_slash || !after_slash) {
            self.scratch.waiting[number as usize / 32] &= !(1 << (number % 32));
        }
    }

    /// Reaches a node, whose segments are complete at `end`.
    fn reach(&mut self, id: u32, end: u32) {
        if id == NONE || self.node(id, 2) <= self.best {
            return;
        }
        let epoch = self.scratch.epoch;
        let state = &mut self.scratch.nodes[id as usize];
        (state.reached, state.since) = (epoch, end);
        self.best = self.best.max(self.node(id, 1));
        for child in self.node(id, 3)..self.node(id + 1, 3) {
            if !self.step() {
                return;
            }
            if self.node(child, 2) > self.best {
                self.queue(child, end);
            }
        }
    }

    /// Makes a node wait for its segment from `since` on.
    fn queue(&mut self, id: u32, since: u32) {
        let number = self.node(id, 0);
        let Some(waiting) = self.scratch.waiting.get_mut(number as usize / 32) else { return };
        *waiting |= 1 << (number % 32);
        let state = &mut self.scratch.nodes[id as usize];
        (state.since, state.next) = (since, NONE);
        let queue = self.segment_state(number);
        let last = std::mem::replace(&mut queue.last, id);
        if queue.first == NONE {
            queue.first = id;
        } else {
            self.scratch.nodes[last as usize].next = id;
        }
    }

    /// Handles the segments before a `$` that end with the path.
    fn end_of_path(&mut self) {
        let Some((number, end)) = self.last else { return };
        if end != self.path_len {
            return;
        }
        for suffix in heavy_paths(self.segments, number).flat_map(|(head, number)| head..=number) {
            self.dollars_of(suffix, end);
        }
    }

    fn dollars_of(&mut self, number: u32, end: u32) {
        let start = self.start_of(number, end);
        let count = (self.dollars.len() / DOLLAR_WORDS) as u32;
        for dollar in self.segment(number, 6)..self.segment(number + 1, 6).min(count) {
            if !self.step() {
                return;
            }
            let at = dollar as usize * DOLLAR_WORDS;
            let (node, priority) = (word(self.dollars, at), word(self.dollars, at + 1));
            let holds = match node {
                NONE => start == 0,
                node => {
                    let state = self.scratch.nodes.get(node as usize);
                    state.is_some_and(|state| state.reached == self.scratch.epoch && state.since <= start)
                }
            };
            if holds {
                self.best = self.best.max(priority);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::compile::compiled;
    use crate::automaton::verdict;

    #[test]
    fn a_walk_ends_though_a_node_waits_twice() {
        // Whatever one word says, such as that the children of one node are also another's.
        let intact = compiled("-/*a*x -/*b*y -/*c*z", 0);
        let scratch = &mut Scratch::default();
        let mut broken = 0;
        for at in 0..intact.len() {
            for number in 0..24u32 {
                let mut words = intact.clone();
                words[at] = number.to_le();
                for path in [&b"/acz"[..], b"/abxyz", b"/bcz"] {
                    broken += usize::from(verdict(&words, path, scratch) != verdict(&intact, path, scratch));
                }
            }
        }
        assert!(broken > 0);
    }

    #[test]
    fn without_the_first_two_nodes_all_is_blocked() {
        let mut words = compiled("-/*a*x", 0);
        assert_eq!(verdict(&words, b"/", &mut Scratch::default()), Verdict::Allowed);
        words[DOLLARS] = (word(&words, NODES) + NODE_WORDS as u32).to_le();
        assert_eq!(verdict(&words, b"/", &mut Scratch::default()), BROKEN);
    }
}
