//! The table of a DFA: states as records of 32-bit words, and how they are written. [`walk`](super::walk) reads them.
//!
//! ```text
//! record   header | default, if explicit | output, if any | run:    target, octets in words of 4
//!                 | filter, if a root                     | narrow: octets in 1 or 2 words, a target each
//!                                                         | wide:   a bitmap of 8 words, its rank word, a target each
//! header   bits 0-1 kind, 2 blocked if the path ends at the record, 3 blocked if it ends within the run,
//!          4-5 default, 6 has an output, 8-31 how many octets (run) or targets (narrow, wide)
//! target   0 settled as allowed, 1 settled as blocked, else where the record of the state begins
//! default  where octets without a target go: settled as allowed, settled as blocked, here (the octet is used up), or
//!          another record, which is asked about the same octet
//! ```
//!
//! Targets below the first record are verdicts, so "settled" is one compare. A record that stays on most octets is the
//! root of its context; all others default to a record of shorter progress, as failure links do, so that a walk takes
//! at most two steps an octet in all.

use super::build::{Builder, Edges, OverBudget, StateId};
use super::filter::{self, FILTER_WORDS};
use super::{START, START_BEHIND_SLASH, bands};
use crate::pattern::Verdict;

/// A target: a verdict, or where a record begins.
pub(super) type Target = u32;

/// Targets below this are verdicts; the words that they cannot point to hold the automaton's head.
pub(super) const FIRST_RECORD: u32 = 3;

pub(super) const KIND_MASK: u32 = 3;
pub(super) const RUN: u32 = 0;
pub(super) const NARROW: u32 = 1;
pub(super) const WIDE: u32 = 2;
pub(super) const END_BLOCKED: u32 = 1 << 2;
pub(super) const MIDDLE_BLOCKED: u32 = 1 << 3;
pub(super) const DEFAULT_SHIFT: u32 = 4;
pub(super) const DEFAULT_MASK: u32 = 3;
pub(super) const DEFAULT_HERE: u32 = 2;
pub(super) const DEFAULT_EXPLICIT: u32 = 3;
pub(super) const HAS_OUTPUT: u32 = 1 << 6;
pub(super) const COUNT_SHIFT: u32 = 8;

/// The most targets of a narrow record.
pub(super) const NARROW_MOST: usize = 8;
/// The words of a wide record's bitmap, with its rank word.
pub(super) const WIDE_WORDS: usize = 9;

/// The target that says a verdict.
pub(super) fn settled(verdict: Verdict) -> Target {
    u32::from(verdict == Verdict::Blocked)
}

/// The verdict of a settled target.
#[inline]
pub(super) fn verdict_of(target: Target) -> Verdict {
    if target == 0 { Verdict::Allowed } else { Verdict::Blocked }
}

/// How many words hold the octets of a narrow record with `count` targets.
#[inline]
pub(super) fn narrow_octet_words(count: usize) -> usize {
    if count <= 4 { 1 } else { 2 }
}

/// The states that walks can reach.
pub(super) struct Reachable {
    /// Where a walk begins.
    pub start: StateId,
    /// Where it is behind a first `/`.
    pub behind_slash: StateId,
    /// All that are not settled, with their edges, those nearest to the start first.
    pub order: Vec<StateId>,
}

/// All unsettled states that a walk from `start` can reach.
///
/// # Errors
///
/// [`OverBudget`] when the builder's budget is spent.
pub(super) fn reachable(builder: &mut Builder<'_>, start: StateId) -> Result<Reachable, OverBudget> {
    let mut behind_slash = start;
    if !builder.states[start as usize].settled {
        builder.expand(start)?;
        behind_slash = builder.behind(start, b'/')?;
    }
    let mut order = Vec::new();
    let mut seen = vec![false; builder.states.len()];
    let mut queue = std::collections::VecDeque::from([behind_slash]);
    // Few paths begin at the start proper, so it stands behind all others.
    let mut last = Some(start);
    while let Some(state) = queue.pop_front().or_else(|| last.take()) {
        if seen.len() < builder.states.len() {
            seen.resize(builder.states.len(), false);
        }
        if builder.states[state as usize].settled || std::mem::replace(&mut seen[state as usize], true) {
            continue;
        }
        builder.expand(state)?;
        order.push(state);
        // Most octets go to the failure link: its record is to be near.
        queue.extend(builder.states[state as usize].fail);
        match builder.states[state as usize].edges {
            Edges::Run { target, .. } => queue.push_back(target),
            Edges::Branch { start, end } => {
                queue.extend(builder.edges[start as usize..end as usize].iter().map(|edge| edge.target));
            }
            Edges::Unknown => unreachable!("expanded above"),
        }
    }
    Ok(Reachable { start, behind_slash, order })
}

/// Writes reachable states as records behind an automaton's head. `output` says what a state puts out, for the scanner
/// of the second engine.
pub(super) fn write(builder: &Builder<'_>, reachable: &Reachable, output: &dyn Fn(StateId) -> Option<u32>) -> Vec<u32> {
    let mut offsets = vec![0; builder.states.len()];
    let mut next = FIRST_RECORD;
    for &state in &reachable.order {
        offsets[state as usize] = next;
        next += record_words(builder, state, output) as u32;
    }
    let writer = Writer { builder, offsets, output };
    let mut words = Vec::with_capacity(next as usize);
    words.resize(FIRST_RECORD as usize, 0);
    words[START] = writer.target(reachable.start);
    words[START_BEHIND_SLASH] = writer.target(reachable.behind_slash);
    for &state in &reachable.order {
        debug_assert_eq!(words.len(), writer.offsets[state as usize] as usize);
        writer.record(state, &mut words);
    }
    words
}

/// How many words the record of a state takes.
fn record_words(builder: &Builder<'_>, state: StateId, output: &dyn Fn(StateId) -> Option<u32>) -> usize {
    let explicit = builder.states[state as usize].fail.is_some_and(|fail| !builder.states[fail as usize].settled);
    let filter = if builder.states[state as usize].fail.is_none() { FILTER_WORDS } else { 0 };
    let head = 1 + usize::from(explicit) + usize::from(output(state).is_some()) + filter;
    head + match builder.states[state as usize].edges {
        Edges::Run { len, .. } => 1 + (len as usize).div_ceil(4),
        Edges::Branch { start, end } => match (end - start) as usize {
            count if count <= NARROW_MOST => narrow_octet_words(count) + count,
            count => WIDE_WORDS + count,
        },
        Edges::Unknown => unreachable!("only expanded states are written"),
    }
}

struct Writer<'b, 'a> {
    builder: &'b Builder<'a>,
    offsets: Vec<u32>,
    output: &'b dyn Fn(StateId) -> Option<u32>,
}

impl Writer<'_, '_> {
    fn target(&self, state: StateId) -> Target {
        if self.builder.states[state as usize].settled {
            settled(bands::verdict(self.builder.best(state)))
        } else {
            self.offsets[state as usize]
        }
    }

    fn record(&self, id: StateId, words: &mut Vec<u32>) {
        let state = &self.builder.states[id as usize];
        let mut header = 0;
        if bands::verdict(state.end) == Verdict::Blocked {
            header |= END_BLOCKED;
        }
        let mut explicit = None;
        header |= match state.fail.map(|fail| (fail, self.target(fail))) {
            None => DEFAULT_HERE << DEFAULT_SHIFT,
            Some((_, target)) if target < FIRST_RECORD => target << DEFAULT_SHIFT,
            Some((_, target)) => {
                explicit = Some(target);
                DEFAULT_EXPLICIT << DEFAULT_SHIFT
            }
        };
        let output = (self.output)(id);
        if output.is_some() {
            header |= HAS_OUTPUT;
        }
        let at = words.len();
        words.push(0);
        words.extend(explicit);
        words.extend(output);
        if state.fail.is_none() {
            push_octets(&filter::new(self.builder.waited_for(id)), words);
        }
        words[at] = header
            | match state.edges {
                Edges::Run { text, len, target } => {
                    let fail = state.fail.expect("a root is a branch");
                    let middle = bands::verdict(self.builder.states[fail as usize].end);
                    words.push(self.target(target));
                    push_octets(self.builder.run(text, len), words);
                    RUN | len << COUNT_SHIFT | if middle == Verdict::Blocked { MIDDLE_BLOCKED } else { 0 }
                }
                Edges::Branch { start, end } => self.branch(start, end, words),
                Edges::Unknown => unreachable!("only expanded states are written"),
            };
    }

    /// Writes the payload of a branch; returns its part of the header.
    fn branch(&self, start: u32, end: u32, words: &mut Vec<u32>) -> u32 {
        let edges = &self.builder.edges[start as usize..end as usize];
        let count = edges.len();
        let kind = if count <= NARROW_MOST {
            let mut octets = [0; NARROW_MOST];
            // Unused places repeat an octet that is there, so that they are never found first.
            octets.fill(edges.first().map_or(0, |edge| edge.octet));
            for (place, edge) in octets.iter_mut().zip(edges) {
                *place = edge.octet;
            }
            push_octets(&octets[..4 * narrow_octet_words(count)], words);
            NARROW
        } else {
            let mut bitmap = [0u32; 8];
            for edge in edges {
                bitmap[usize::from(edge.octet >> 5)] |= 1 << (edge.octet & 31);
            }
            words.extend(bitmap);
            words.push(rank_word(&bitmap));
            WIDE
        };
        words.extend(edges.iter().map(|edge| self.target(edge.target)));
        kind | (count as u32) << COUNT_SHIFT
    }
}

/// How many bits are set before the second, third and fourth pair of the bitmap's words, in one octet each (the first
/// is 0; there are at most 192).
fn rank_word(bitmap: &[u32; 8]) -> u32 {
    let mut before = 0;
    let mut word = 0;
    for (pair, words) in bitmap.chunks_exact(2).enumerate() {
        word |= before << (8 * pair);
        before += words[0].count_ones() + words[1].count_ones();
    }
    word
}

/// Appends octets in memory order, the last word filled up with zeros.
fn push_octets(octets: &[u8], words: &mut Vec<u32>) {
    words.extend(octets.chunks(4).map(|chunk| {
        let mut word = [0; 4];
        word[..chunk.len()].copy_from_slice(chunk);
        u32::from_le_bytes(word)
    }));
}
