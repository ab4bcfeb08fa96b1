//! The table of a DFA: states as records of 32-bit words, and how they are written. [`walk`](super::walk) reads them.
//!
//! ```text
//! record   header | default, if explicit | output, if any | run:    target, if explicit; bytes in words of 4
//!                 | filter, if a root                     | narrow: bytes in 1 or 2 words, a target each
//!                                                         | wide:   a bitmap of 8 words, its rank word, a target each
//! header   bits 0-1 kind, 2 blocked if the path ends at the record, 3 blocked if it ends within the run,
//!          4-6 default, 7 has an output, 8-9 target of a run, 10-31 how many bytes (run) or targets (narrow, wide)
//! target   0 settled as allowed, 1 settled as blocked, else where the record of the state begins
//!          (run: settled as allowed, settled as blocked, or explicit)
//! default  where bytes without a target go: settled as allowed, settled as blocked, here (the byte is used up), or
//!          another record, which is asked about the same byte: explicit, or the automaton's main root
//! ```
//!
//! Targets below the first record are verdicts, so "settled" is one comparison. A record that stays on most bytes is the root
//! of its context; all others default to a record of shorter progress, as failure links do, so that a walk takes at most two
//! steps a byte in total.

use super::build::{Arena, Builder, Edges, Link, OverBudget, State};
use super::contexts::StateId;
use super::filter::{self, FILTER_WORDS};
use crate::automaton::head::{MAIN_ROOT, START, START_AFTER_SLASH};
use crate::automaton::priorities::{self, Priority};
use crate::rules::Verdict;

/// A target: a verdict, or where a record begins.
pub(crate) type Target = u32;

/// Targets below this are verdicts; the words that they cannot point to hold the automaton's head.
pub(crate) const FIRST_RECORD: u32 = 4;

pub(crate) const KIND_MASK: u32 = 3;
pub(crate) const RUN: u32 = 0;
pub(crate) const NARROW: u32 = 1;
const WIDE: u32 = 2;
pub(crate) const END_BLOCKED: u32 = 1 << 2;
pub(crate) const MIDDLE_BLOCKED: u32 = 1 << 3;
pub(crate) const DEFAULT_SHIFT: u32 = 4;
pub(crate) const DEFAULT_MASK: u32 = 7;
pub(crate) const DEFAULT_HERE: u32 = 2;
pub(crate) const DEFAULT_EXPLICIT: u32 = 3;
pub(crate) const DEFAULT_MAIN_ROOT: u32 = 4;
pub(crate) const HAS_OUTPUT: u32 = 1 << 7;
pub(crate) const RUN_TARGET_SHIFT: u32 = 8;
pub(crate) const RUN_TARGET_MASK: u32 = 3;
pub(crate) const RUN_TARGET_EXPLICIT: u32 = 2;
pub(crate) const COUNT_SHIFT: u32 = 10;

/// The most bytes of a run; longer ones are split.
pub(super) const LONGEST_RUN: u32 = u32::MAX >> COUNT_SHIFT;

/// The most targets of a narrow record.
const NARROW_MOST: usize = 8;
/// The words of a wide record's bitmap, with its rank word.
pub(crate) const WIDE_WORDS: usize = 9;

/// The target for a verdict.
pub(crate) fn settled(verdict: Verdict) -> Target {
    u32::from(verdict == Verdict::Blocked)
}

/// The verdict of a settled target.
#[inline]
pub(crate) fn verdict_of(target: Target) -> Verdict {
    if target == 0 { Verdict::Allowed } else { Verdict::Blocked }
}

/// How many words hold the bytes of a narrow record with `count` targets.
#[inline]
pub(crate) fn narrow_byte_words(count: usize) -> usize {
    if count <= 4 { 1 } else { 2 }
}

/// The states that walks can reach, and the positions of their records; reused.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    /// All states that are not settled, those nearest to the start first.
    records: Vec<StateRecord>,
    /// By state: its target, or one of the marks below.
    targets: Vec<Target>,
    /// The states at the start of a walk, and after a first `/`.
    starts: [StateId; 2],
}

/// The fields of a state's record, before it is written.
#[derive(Debug, Clone, Copy)]
struct StateRecord {
    state: StateId,
    fail: Link,
    /// Its length in words, without an explicit default or an output.
    words: u32,
}

/// A state not reached so far.
const UNREACHED: Target = Target::MAX;
/// A state that was reached and is not settled; its record has no position yet.
const REACHED: Target = Target::MAX - 1;

impl Layout {
    /// How many states are reachable and not settled.
    pub fn states(&self) -> usize {
        self.records.len()
    }

    /// Finds all states that a walk can reach; the builder makes them on the way.
    ///
    /// # Errors
    ///
    /// [`OverBudget`] when the builder's budget is spent, or will be.
    pub fn reach(&mut self, builder: &mut Builder<'_>) -> Result<(), OverBudget> {
        self.records.clear();
        self.targets.clear();
        let start = builder.start()?;
        let mut after_slash = start;
        if !builder.state(start).settled {
            builder.expand(start)?;
            after_slash = builder.next(start, b'/')?;
        }
        self.starts = [start, after_slash];
        self.targets.resize(builder.states().len(), UNREACHED);
        self.visit(builder, after_slash);
        let mut at = 0;
        loop {
            if at == self.records.len() {
                // Few paths begin at the start proper, so its record comes after all others.
                self.visit(builder, start);
            }
            let Some(&StateRecord { state, fail, .. }) = self.records.get(at) else { return Ok(()) };
            let edges = builder.expand(state)?;
            // Most often one, so a loop takes less time than a call.
            for _ in self.targets.len()..builder.states().len() {
                self.targets.push(UNREACHED);
            }
            // Most bytes go to the failure link, so its record should be near.
            if let Some(fail) = fail.get() {
                self.visit(builder, fail);
            }
            let payload = match edges {
                Edges::Run { len, target, .. } => {
                    usize::from(self.visit(builder, target) >= FIRST_RECORD) + (len as usize).div_ceil(4)
                }
                Edges::Branch { start, end } => {
                    let edges = builder.edges(start, end);
                    for edge in edges {
                        self.visit(builder, edge.target);
                    }
                    match edges.len() {
                        count if count <= NARROW_MOST => narrow_byte_words(count) + count,
                        count => WIDE_WORDS + count,
                    }
                }
                Edges::Unknown => unreachable!("expanded above"),
            };
            let filter = if fail.get().is_none() { FILTER_WORDS } else { 0 };
            self.records[at].words = (1 + filter + payload) as u32;
            at += 1;
            builder.foresee(at, self.records.len())?;
        }
    }

    /// Notes that a state can be reached; returns its target, as far as known.
    #[inline]
    fn visit(&mut self, builder: &Builder<'_>, state: StateId) -> Target {
        let target = &mut self.targets[state as usize];
        if *target == UNREACHED {
            let &State { settled: is_settled, fail, .. } = builder.state(state);
            if is_settled {
                *target = settled(priorities::verdict(builder.best(state)));
            } else {
                *target = REACHED;
                self.records.push(StateRecord { state, fail, words: 0 });
            }
        }
        *target
    }

    /// Appends an automaton of the reached states, its head and then its records, to `words`. `output` gives the output of a
    /// state, for the scanner of the second engine.
    pub fn write(&mut self, builder: &Builder<'_>, output: impl Fn(StateId) -> Option<u32>, words: &mut Vec<u32>) {
        let main_root = self.records.iter().find(|record| record.fail.get().is_none()).map(|record| record.state);
        let mut next = FIRST_RECORD;
        for record in &self.records {
            self.targets[record.state as usize] = next;
            let explicit = self.default(record.fail, main_root) == DEFAULT_EXPLICIT;
            next += record.words + u32::from(explicit) + u32::from(output(record.state).is_some());
        }
        let base = words.len();
        words.reserve(next as usize);
        words.extend([0; FIRST_RECORD as usize]);
        words[base + MAIN_ROOT] = main_root.map_or(0, |root| self.targets[root as usize]);
        words[base + START] = self.targets[self.starts[0] as usize];
        words[base + START_AFTER_SLASH] = self.targets[self.starts[1] as usize];
        let writer = Writer { builder, layout: self, main_root };
        for record in &self.records {
            debug_assert_eq!(words.len() - base, self.targets[record.state as usize] as usize);
            writer.record(record.state, output(record.state), words);
        }
    }

    /// For each state of the arena, where its record was written, the priority of a path that ends there, and the priority that
    /// is reached whatever follows.
    pub fn priorities(&self, arena: &Arena) -> impl Iterator<Item = (Target, (Priority, Priority))> {
        self.records.iter().map(|record| {
            let &State { context, end, .. } = &arena.states[record.state as usize];
            (self.targets[record.state as usize], (end, arena.contexts.get(context).best))
        })
    }

    /// Where bytes without a target of their own go, as a header says it; if explicit, to the record of the failure link.
    fn default(&self, fail: Link, main_root: Option<StateId>) -> u32 {
        match fail.get().map(|fail| (fail, self.targets[fail as usize])) {
            None => DEFAULT_HERE,
            Some((_, settled)) if settled < FIRST_RECORD => settled,
            Some((fail, _)) if Some(fail) == main_root => DEFAULT_MAIN_ROOT,
            Some(_) => DEFAULT_EXPLICIT,
        }
    }
}

struct Writer<'b, 'a> {
    builder: &'b Builder<'a>,
    layout: &'b Layout,
    /// The root that most records default to.
    main_root: Option<StateId>,
}

impl Writer<'_, '_> {
    fn target(&self, state: StateId) -> Target {
        self.layout.targets[state as usize]
    }

    fn record(&self, id: StateId, output: Option<u32>, words: &mut Vec<u32>) {
        let state = self.builder.state(id);
        let at = words.len();
        words.push(0);
        let default = self.layout.default(state.fail, self.main_root);
        if let (DEFAULT_EXPLICIT, Some(fail)) = (default, state.fail.get()) {
            words.push(self.target(fail));
        }
        if let Some(output) = output {
            words.push(output);
        }
        if state.fail.get().is_none() {
            push_bytes(&filter::new(self.builder.waited_for(id).collect()), words);
        }
        let payload = match state.edges {
            Edges::Run { text, len, target } => self.run(state.fail, self.builder.run(text, len), target, words),
            Edges::Branch { start, end } => self.branch(start, end, words),
            Edges::Unknown => unreachable!("only expanded states are written"),
        };
        let end = if priorities::verdict(state.end) == Verdict::Blocked { END_BLOCKED } else { 0 };
        words[at] = payload | end | default << DEFAULT_SHIFT | if output.is_some() { HAS_OUTPUT } else { 0 };
    }

    /// Writes the payload of a run; returns its part of the header.
    fn run(&self, fail: Link, bytes: &[u8], target: StateId, words: &mut Vec<u32>) -> u32 {
        let fail = fail.get().expect("a root is a branch");
        let middle = priorities::verdict(self.builder.state(fail).end);
        let code = match self.target(target) {
            target if target < FIRST_RECORD => target,
            target => {
                words.push(target);
                RUN_TARGET_EXPLICIT
            }
        };
        push_bytes(bytes, words);
        let blocked = if middle == Verdict::Blocked { MIDDLE_BLOCKED } else { 0 };
        RUN | blocked | code << RUN_TARGET_SHIFT | (bytes.len() as u32) << COUNT_SHIFT
    }

    /// Writes the payload of a branch; returns its part of the header.
    fn branch(&self, start: u32, end: u32, words: &mut Vec<u32>) -> u32 {
        let edges = self.builder.edges(start, end);
        let count = edges.len();
        let kind = if count <= NARROW_MOST {
            // Unused lanes repeat an existing byte, so that they are never found first.
            let first = edges.first().map_or(0, |edge| edge.byte);
            let lanes = edges.iter().zip((0..).step_by(8));
            let bytes = lanes.fold(u64::from_ne_bytes([first; 8]), |bytes, (edge, shift)| {
                bytes ^ u64::from(edge.byte ^ first) << shift
            });
            words.push(bytes as u32);
            if narrow_byte_words(count) == 2 {
                words.push((bytes >> 32) as u32);
            }
            NARROW
        } else {
            let mut bitmap = [0u32; 8];
            for edge in edges {
                bitmap[usize::from(edge.byte >> 5)] |= 1 << (edge.byte & 31);
            }
            words.extend(bitmap);
            words.push(rank_word(&bitmap));
            WIDE
        };
        for edge in edges {
            words.push(self.target(edge.target));
        }
        kind | (count as u32) << COUNT_SHIFT
    }
}

/// How many bits are set before the second, third and fourth pair of the bitmap's words, one byte each (the first byte is 0;
/// the counts are at most 192).
fn rank_word(bitmap: &[u32; 8]) -> u32 {
    let mut before = 0;
    let mut word = 0;
    for (pair, words) in bitmap.chunks_exact(2).enumerate() {
        word |= before << (8 * pair);
        before += words[0].count_ones() + words[1].count_ones();
    }
    word
}

/// Appends bytes in memory order, the last word padded with zeros.
#[inline]
fn push_bytes(bytes: &[u8], words: &mut Vec<u32>) {
    let mut chunks = bytes.chunks_exact(4);
    words.extend(chunks.by_ref().map(|chunk| u32::from_le_bytes(chunk.try_into().expect("four bytes"))));
    let rest = chunks.remainder();
    if !rest.is_empty() {
        words.push(rest.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)));
    }
}
